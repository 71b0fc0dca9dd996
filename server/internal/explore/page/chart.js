// A chart over days, weeks or months, drawn by uPlot, that can be walked with the arrow keys.

import { el, id } from "./parts.js";
import { lang, number, say } from "./words.js";

const height = 220;
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const font = "12px system-ui, sans-serif";
const compact = new Intl.NumberFormat(lang, { notation: "compact", maximumFractionDigits: 1 });

// Lines are told apart by colour, and by their dashes; of bars the full ones stand before the soft ones, of which they are a part.
const lines = [
  { colour: "--series-1", dash: [] },
  { colour: "--series-2", dash: [8, 4] },
  { colour: "--series-3", dash: [2, 3] },
];
const bars = { full: "--series-1", soft: "--series-soft" };

// Whole numbers alone stand on the axis.
const steps = Array.from({ length: 10 }, (_, i) => [1, 2, 5].map((n) => n * 10 ** i)).flat();

const axisNumber = (n) => (n < 100_000 ? number(n) : compact.format(n));

const charts = new WeakMap(); // by their elements
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const root of document.querySelectorAll(".chart")) charts.get(root).plot?.redraw();
});

const bar = ({ label, look }) => {
  const fill = () => colour(bars[look]);
  return { label, width: 0, fill, points: { show: false }, paths: uPlot.paths.bars({ size: [0.7, 48] }) };
};

// Chart shows points with a label each: { label, short, first, values }; first is the name of a month where one begins. A series
// has a label, a unit, `show` to write its values, and as bars a look; its values are `scale` times what stands on the axis.
export class Chart {
  constructor({ label, series, bars = false, scale = 1 }) {
    Object.assign(this, { label, series, bars, scale, points: [] });
    const hint = id();
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
      this.legend(),
      this.frame,
      this.readout,
      el("p", { class: "spoken", id: hint }, say("chartKeys")),
    );
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    charts.set(this.root, this);
  }

  legend() {
    if (this.series.length < 2) return "";
    return el(
      "ul",
      { class: "legend", "aria-hidden": "true" },
      ...this.series.map((s, i) => el("li", { class: this.bars ? s.look : `line-${i + 1}` }, s.label)),
    );
  }

  set(points) {
    this.points = points;
    this.at = null;
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
    return [this.points.map((_, i) => i), ...this.series.map((_, s) => this.points.map((p) => p.values[s]))];
  }

  options(width) {
    const axis = { stroke: () => colour("--text"), font, grid: { stroke: () => colour("--grid"), width: 1 }, ticks: { show: false } };
    return {
      width,
      height,
      legend: { show: false },
      padding: [10, 12, 0, 0],
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 9 } },
      scales: {
        x: { time: false, range: [-0.5, this.points.length - 0.5] },
        y: { range: (_, __, max) => [0, Math.max(this.scale, max * 1.08)] },
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
          incrs: steps.map((n) => n * this.scale),
          values: (_, at) => at.map((v) => axisNumber(v / this.scale)),
          size: (_, values) => 18 + 7 * Math.max(1, ...(values ?? []).map((v) => v.length)),
        },
      ],
      series: [{}, ...this.series.map((s, i) => (this.bars ? bar(s) : this.line(s, lines[i])))],
      hooks: { setCursor: [(u) => this.read(u.cursor.idx)] },
    };
  }

  line(series, look) {
    const own = () => colour(look.colour);
    return { label: series.label, stroke: own, width: 2, dash: look.dash, points: { show: this.points.length < 40, size: 6, fill: own } };
  }

  // long is a chart on which only months are named.
  get long() {
    return this.points.length > 62 && this.points.some((p) => p.first);
  }

  // ticks chooses the points whose labels fit: the first of each month on a long one.
  ticks(width) {
    const fit = Math.max(1, Math.floor(width / 64));
    const firsts = this.points.flatMap((p, i) => (p.first ? [i] : []));
    const of = this.long ? firsts : this.points.map((_, i) => i);
    const every = Math.ceil(of.length / fit);
    return of.filter((_, i) => i % every === 0);
  }

  // read writes the point under the cursor.
  read(i) {
    if (i === this.at) return;
    this.at = i ?? null;
    const p = this.points[i];
    this.readout.textContent = p
      ? `${p.label}: ${this.series.map((s, k) => (p.values[k] === null ? say("notLoaded") : `${s.show(p.values[k])} ${s.unit}`)).join(", ")}`
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
