// The report of a school network: its summaries as tiles, charts and tables.

import { groupPage } from "./api.js";
import { Chart } from "./chart.js";
import * as days from "./days.js";
import * as download from "./download.js";
import { button, el, panel, Tiles } from "./parts.js";
import { Pupils } from "./pupils.js";
import { count, Table } from "./table.js";
import * as w from "./words.js";

const { say } = w;
const mostDays = 100; // that are shown as days; longer periods are shown as months
const minutes = { show: w.minutes };

// The series of the charts, by their panels.
const series = {
  readers: [
    { key: "usersWithAccess", label: say("came"), unit: say("cameUnit"), look: "soft", ...count },
    { key: "readers", label: say("read"), unit: say("readUnit"), look: "full", ...count },
  ],
  minutes: [{ key: "readingMinutes", label: say("minutesRead"), unit: say("minutesUnit"), look: "full", ...minutes }],
  finished: [{ key: "finished", label: say("finished"), unit: say("finishedUnit"), look: "full", ...count }],
};

const metrics = [
  { key: "readers", label: say("readers"), ...count },
  { key: "readingMinutes", label: say("minutesRead"), bar: true, ...minutes },
  { key: "finished", label: say("finished"), ...count },
  { key: "readings", label: say("readingsCount"), ...count },
  { key: "each", label: say("minutesEach"), ...minutes },
  { key: "users", label: say("users"), ...count },
];

export class SchoolsReport {
  schools = new Map(); // their names, by id

  // run does something that a person asked for, again shows the view again, and address is that of a view with some choices changed.
  constructor({ history, run, again, address }) {
    Object.assign(this, { history, run, address, whole: false });
    this.rest = button("", () => {
      this.whole = true; // all pages of the schools
      again();
    });
    this.tiles = new Tiles();
    this.trends = Object.fromEntries(Object.entries(series).map(([name, of]) => [name, this.trend(name, of)]));
    this.classes = this.groups("classes", "class");
    this.bySchool = this.groups("schools", "school", this.rest);
    this.pupils = new Pupils(this);
    const books = new Table(say("booksTitle"), [
      { key: "title", label: say("book"), head: true },
      { key: "readers", label: say("readers"), bar: true, ...count },
      { key: "readingMinutes", label: say("minutesRead"), ...minutes },
      { key: "finished", label: say("finished"), ...count },
    ]);
    this.books = { panel: panel({ name: "books", title: say("booksTitle"), wide: true }, books.root), table: books };
    const { readers, minutes: time, finished } = this.trends;
    const panels = [readers, time, finished, this.classes, this.pupils, this.bySchool, this.books].map((p) => p.panel.root);
    this.root = el("div", { class: "panels" }, this.tiles.root, ...panels);
  }

  trend(name, of) {
    const title = say(`${name}Day`);
    const chart = new Chart({ label: title, series: of, bars: true });
    const table = new Table(title, [{ key: "at", label: say("time"), head: true, show: (at) => this.pointName(at) }, ...of]);
    return { panel: panel({ name, title, note: say(`${name}Note`), wide: true, folded: table }, chart.root), chart, table, series: of };
  }

  groups(name, head, ...more) {
    const title = say(`${name}Title`);
    const table = new Table(title, [{ key: "label", label: say(head), head: true }, ...metrics]);
    return { panel: panel({ name, title, note: say(`${name}Note`), wide: true }, table.root, ...more), table };
  }

  pointName(at) {
    return at.length === 7 ? w.month(at) : w.dayOfWeek(at);
  }

  // isEmpty reports whether a period has nothing, so that another one is looked for.
  async isEmpty(api, period) {
    const { data } = await this.trendOf(api, period, {});
    return data.general.accessDays === 0 && data.general.readings === 0;
  }

  // latest is the last month of the year before today that has data, or that of today.
  async latest(api, today) {
    const year = days.months(this.history > days.add(today, -330) ? this.history : days.add(today, -330), today);
    const first = `${year[0]}-01`;
    const startDate = first > this.history ? first : this.history;
    const { data } = await api.json("summary", { startDate, endDate: today, groupBy: "month", pageSize: groupPage });
    return data.breakdown.findLast((m) => m.metrics.accessDays > 0 || m.metrics.readings > 0)?.key ?? days.month(today);
  }

  trendOf(api, period, who) {
    const groupBy = days.count(period.startDate, period.endDate) <= mostDays ? "day" : "month";
    return api.json("summary", { ...period, ...who, groupBy, pageSize: groupPage });
  }

  stale() {
    for (const e of this.root.children) e.classList.add("stale");
  }

  // show asks for a view, and shows each part of it as it comes.
  async show(api, { period, before, today, school, profile, group, left }) {
    const of = { ...(profile && { profile }) };
    const who = { ...(school && { schoolId: school }), ...of };
    Object.assign(this, { api, period, who, school });
    for (const part of [this.classes, this.pupils]) part.panel.root.hidden = !school;
    this.pupils.panel.root.hidden ||= !group;

    const trend = await this.trendOf(api, period, who);
    this.general = trend.data.general;
    this.showTrends(trend.data.breakdown, today);
    const former = before && (await api.json("summary", { ...before, ...who })).data.general;
    this.tiles.set(this.figures(former));

    this.showBooks(await api.json("summary", { ...period, ...who, groupBy: "book", pageSize: groupPage }));
    const pages = this.whole ? Infinity : Math.max(1, left() - (school ? 1 : 0)); // one is for the classes
    const schools = await api.all("summary", { ...period, ...of, groupBy: "school" }, { pages });
    for (const { key, label } of schools.rows) if (key) this.schools.set(key, label);
    this.showGroups(this.bySchool, "by-school", schools, (key) => this.address({ school: key, class: "" }));
    this.rest.hidden = schools.rows.length === schools.total;
    this.rest.textContent = say("loadAll", { n: schools.total });
    if (!school) return;

    const classes = await api.all("summary", { ...period, ...who, groupBy: "class" });
    this.showGroups(this.classes, "by-class", classes, (key) => this.address({ class: key }));
    if (group) await this.pupils.show(api, classes.rows.find((c) => c.key === group) ?? { key: group, label: group });
  }

  // empty names the text for a view without anything in it.
  get empty() {
    return this.general.accessDays === 0 && this.general.readings === 0 ? "emptyPeriod" : "";
  }

  name(list) {
    return `lectern-${list}-${this.period.startDate}-${this.period.endDate}`;
  }

  rows(list, total) {
    const { api, run } = this;
    const params = { ...this.who, ...(list !== "users" && this.period) };
    return new download.Rows({ name: this.name(list), api, run, lists: [{ path: list, params, total }] }).root;
  }

  showTrends(points, today) {
    const byDay = points[0]?.key.length === 10;
    const last = points.at(-1)?.key;
    const isOpen = (at) => at === last && this.period.endDate === today && at === today.slice(0, at.length);
    for (const [name, { panel, chart, table, series: of }] of Object.entries(this.trends)) {
      panel.setTitle(say(`${name}${byDay ? "Day" : "Month"}`));
      panel.root.hidden = byDay && name === "finished";
      chart.set(
        points.map(({ key, metrics }) => ({
          label: this.pointName(key),
          short: byDay ? w.shortDay(key) : w.shortMonth(key),
          ...(byDay && { first: w.firstOfMonth(key), weekend: days.isWeekend(key), monday: days.isMonday(key) }),
          open: isOpen(key),
          values: of.map((s) => metrics[s.key]),
        })),
      );
      table.set(points.map(({ key, metrics }) => ({ at: key, ...metrics })));
      const list = name === "finished" ? this.rows("readings", this.general.readings) : this.rows("engagements", this.general.accessDays);
      panel.show(download.ofTable(this.name(`${name}-by-${byDay ? "day" : "month"}`), table), list);
    }
  }

  showGroups({ panel, table }, name, { rows, total }, to) {
    table.set(
      rows
        .map(({ key, label, metrics }) => ({
          ...metrics,
          label: key ? label : say("notInformed"),
          last: !key,
          to: key ? to(key) : null,
          each: metrics.readers ? Math.round(Math.round(metrics.readingMinutes * 10) / metrics.readers) / 10 : null, // in exact tenths
        }))
        .sort((a, b) => a.last - b.last || w.natural(a.label, b.label)),
    );
    panel.setPart(total > rows.length ? say("groupsPart", { shown: rows.length, total }) : "");
    panel.show(download.ofTable(this.name(name), table), this.rows("readings", this.general.readings));
  }

  showBooks({ data, meta }) {
    const { panel, table } = this.books;
    table.set(data.breakdown.map(({ label, metrics }) => ({ title: label, ...metrics })));
    const [shown, total] = [data.breakdown.length, meta.page.totalRows];
    panel.setPart(total > shown ? say("booksPart", { shown, total }) : "");
    panel.show(download.ofTable(this.name("books"), table), this.rows("readings", this.general.readings));
  }

  figures(former) {
    const { general } = this;
    const of = (name, label, key, show = w.number, hint = "") => {
      return { name, label: say(label), value: general[key], before: former ? former[key] : null, show, hint };
    };
    return [
      of("came", "cameOnce", "usersWithAccess", w.number, say("ofUsers", { n: general.users })),
      of("readers", "readers", "readers"),
      of("time", "timeRead", "readingMinutes", w.hours),
      of("titles", "titlesRead", "distinctBooks"),
      of("finished", "finishedBooks", "finished"),
      { name: "active", label: say("activeUsers"), value: general.activeUsers, show: w.number, now: true, hint: say("ofUsers", { n: general.users }) },
    ];
  }
}
