// A chart over days, weeks or months, drawn by uPlot, that can be walked with the arrow keys.

import { el, id } from "./parts.js";
import { lang, number, say } from "./words.js";

const height = 220;
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const font = "12px system-ui, sans-serif";
const compact = new Intl.NumberFormat(lang, { notation: "compact", maximumFractionDigits: 1 });

// Lines are told apart by colour, and by their dashes; full bars are drawn before the soft ones, of which they are a part.
const lines = [
  { colour: "--series-1", dash: [] },
  { colour: "--series-2", dash: [8, 4] },
  { colour: "--series-3", dash: [2, 3] },
];
const bars = { full: "--series-1", soft: "--series-soft" };

// The axis has whole numbers only.
const steps = Array.from({ length: 10 }, (_, i) => [1, 2, 5].map((n) => n * 10 ** i)).flat();

const axisNumber = (n) => (n < 100_000 ? number(n) : compact.format(n));

const charts = new WeakMap(); // by their elements
for (const media of ["(prefers-color-scheme: dark)", "print"]) {
  matchMedia(media).addEventListener("change", () => {
    for (const root of document.querySelectorAll(".chart")) charts.get(root).plot?.redraw();
  });
}

const barPaths = () => uPlot.paths.bars({ size: [0.7, 48] });
const bar = ({ label, look }) => ({ label, width: 0, fill: () => colour(bars[look]), points: { show: false }, paths: barPaths() });

// unfinished draws the part of a series that goes on: a dashed outline in the place of a bar, or a dashed end of a line.
const unfinished = (isBar, { label, look }, i) => ({
  label,
  width: 2,
  dash: [4, 4],
  stroke: () => colour(isBar ? bars[look] : lines[i].colour),
  points: { show: false },
  ...(isBar && { paths: barPaths(), fill: () => colour("--panel") }),
});

// Chart shows points with a label each: { label, short, first, weekend, monday, open, values }; first is the name of a month where
// one begins, and open a point that is not over yet. A series has a key, a label, a unit, `show` to write its values, and as bars a
// look.
export class Chart {
  constructor({ label, series, bars = false }) {
    Object.assign(this, { label, series, bars, points: [] });
    const hint = id();
    this.marks = el("ul", { class: "legend", "aria-hidden": "true" });
    this.canvas = el("div", { class: "plot" });
    this.readout = el("p", { class: "readout", "aria-live": "polite" });
    this.frame = el(
      "div",
      {
        class: "frame",
        role: "group",
        tabindex: "0",
        "aria-describedby": hint,
        onkeydown: (e) => this.walk(e),
        onblur: () => this.leave(),
      },
      this.canvas,
    );
    this.root = el(
      "div",
      { class: "chart" },
      this.marks,
      this.frame,
      this.readout,
      el("p", { class: "spoken", id: hint }, say("chartKeys")),
    );
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    charts.set(this.root, this);
  }

  // legend names the series where there are several, and what marks points.
  legend() {
    const item = (name, text) => el("li", { class: name }, text);
    const has = (mark) => this.points.some((p) => p[mark]);
    return [
      ...(this.series.length < 2 ? [] : this.series.map((s, i) => item(this.bars ? s.look : `line-${i + 1}`, s.label))),
      ...(has("weekend") ? [item("weekend", say("weekend"))] : []),
      ...(has("open") ? [item("today", say("unfinished"))] : []),
    ];
  }

  set(points) {
    this.points = points;
    this.at = null;
    this.readout.textContent = "";
    this.marks.replaceChildren(...this.legend());
    this.frame.setAttribute("aria-label", this.summary());
    this.plot?.destroy();
    this.plot = null;
    this.resize();
  }

  // summary says what the chart shows in a sentence for each series.
  summary() {
    const known = this.points.filter((p) => p.values[0] !== null);
    if (!known.length) return `${this.label}. ${say("nothing")}`;
    const of = this.series.map((s, i) => {
      const top = known.reduce((a, b) => (b.values[i] > a.values[i] ? b : a));
      return say("chartSummary", { series: s.label, most: s.show(top.values[i]), at: top.label });
    });
    return `${this.label}. ${say("chartSpan", { from: known[0].label, to: known.at(-1).label })} ${of.join(" ")}`;
  }

  resize() {
    const width = this.canvas.clientWidth;
    if (!width || !this.points.length) return;
    if (this.plot) this.plot.setSize({ width, height });
    else this.plot = new uPlot(this.options(width), this.data(), this.canvas);
  }

  data() {
    const of = (is) => this.series.map((_, s) => this.points.map((p, i) => (is(p, i) ? p.values[s] : null)));
    const { points } = this;
    const joins = (i) => !this.bars && points[i + 1]?.open; // a dashed line begins where the whole one ends
    return [points.map((_, i) => i), ...of((p) => !p.open), ...of((p, i) => p.open || joins(i))];
  }

  options(width) {
    const axis = { stroke: () => colour("--text"), font, grid: { stroke: () => colour("--grid"), width: 1 }, ticks: { show: false } };
    return {
      width,
      height,
      legend: { show: false },
      padding: [10, 26, 0, 0],
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 9 } },
      scales: {
        x: { time: false, range: [-0.5, this.points.length - 0.5] },
        y: { range: (_, __, max) => [0, Math.max(1, max * 1.08)] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          splits: (u) => this.ticks(u.bbox.width / devicePixelRatio),
          values: (_, at) => at.map((i) => (this.long ? this.points[i].first : this.points[i].short)),
          gap: 6,
          size: 32,
        },
        {
          ...axis,
          incrs: steps,
          values: (_, at) => at.map(axisNumber),
          size: (_, values) => 18 + 7 * Math.max(1, ...(values ?? []).map((v) => v.length)),
        },
      ],
      series: [
        {},
        ...this.series.map((s, i) => (this.bars ? bar(s) : this.line(s, lines[i]))),
        ...this.series.map((s, i) => unfinished(this.bars, s, i)),
      ],
      hooks: { drawClear: [(u) => this.shade(u)], setCursor: [(u) => this.read(u.cursor.idx)] },
    };
  }

  // shade marks the weekends.
  shade(u) {
    u.ctx.fillStyle = colour("--weekend");
    this.points.forEach((p, i) => {
      if (!p.weekend) return;
      const from = u.valToPos(i - 0.5, "x", true);
      u.ctx.fillRect(from, u.bbox.top, u.valToPos(i + 0.5, "x", true) - from, u.bbox.height);
    });
  }

  line(series, look) {
    const own = () => colour(look.colour);
    return { label: series.label, stroke: own, width: 2, dash: look.dash, points: { show: this.points.length < 40, size: 6, fill: own } };
  }

  // long is a chart on which only months are named.
  get long() {
    return this.points.length > 62 && this.points.some((p) => p.first);
  }

  // ticks chooses the points whose labels fit: the first of each month on a long chart, else Mondays if there are any.
  ticks(width) {
    const fit = Math.max(1, Math.floor(width / 64));
    const of = (is) => this.points.flatMap((p, i) => (is(p) ? [i] : []));
    const mondays = this.points.length > fit ? of((p) => p.monday) : [];
    const all = this.long ? of((p) => p.first) : mondays.length > 1 ? mondays : of(() => true);
    const every = Math.ceil(all.length / fit);
    return all.filter((_, i) => i % every === 0);
  }

  // read writes the point under the cursor.
  read(i) {
    if (i === this.at) return;
    this.at = i ?? null;
    const p = this.points[i];
    this.readout.textContent = p
      ? `${p.label}: ${this.series.map((s, k) => (p.values[k] === null ? "–" : `${s.show(p.values[k])} ${s.unit}`)).join(", ")}` +
        (p.open ? ` (${say("unfinished")})` : "")
      : "";
  }

  walk(e) {
    const last = this.points.length - 1;
    const at = this.at ?? (e.key === "ArrowLeft" ? last + 1 : -1);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[e.key];
    if (e.key === "Escape") this.leave();
    if (to === undefined || !this.plot) return;
    e.preventDefault();
    const i = Math.min(last, Math.max(0, to));
    this.plot.setCursor({ left: this.plot.valToPos(i, "x"), top: 0 });
    this.read(i);
  }

  leave() {
    this.plot?.setCursor({ left: -10, top: -10 });
    this.read(null);
  }
}
