// The report of a library network: its summary, stock, reservations, and what happened by day.

import { groupPage } from "./api.js";
import { Chart } from "./chart.js";
import { Course } from "./course.js";
import * as days from "./days.js";
import * as download from "./download.js";
import { button, el, panel, Tiles } from "./parts.js";
import { count, Table } from "./table.js";
import * as w from "./words.js";

const { say } = w;
const share = { show: w.percent };
const nearEnd = "91-100";
const groupings = ["library", "city", "ageGroup"];

const series = {
  activity: [{ key: "active", label: say("activeReaders"), unit: say("activeUnit"), look: "full", ...count }],
  lending: ["loans", "readings10", "readings50"].map((key) => ({ key, label: say(key), unit: say(`${key}Unit`), ...count })),
};

const groupMetrics = [
  ...["usersWithLogin", "loans", "readings10", "readings50"].map((key) => ({
    key,
    label: say(key),
    bar: key === "usersWithLogin",
    ...count,
  })),
  { key: "hours", label: say("hoursRead"), ...count },
  { key: "registeredUsers", label: say("registeredUsers"), ...count },
];

const titleColumns = [
  { key: "title", label: say("book"), head: true },
  { key: "share", label: say("consumed"), bar: true, ...share },
  { key: "expires", label: say("expires"), show: w.day },
  { key: "reservations", label: say("reserved"), ...count },
  { key: "readings", label: say("readingsCount"), ...count },
  { key: "possible", label: say("possible"), ...count },
];

export class LibrariesReport {
  // run does something that a person asked for.
  constructor({ history, run }) {
    Object.assign(this, { history, run });
    this.tiles = new Tiles();
    this.course = null;
    this.parts = {
      activity: this.trend("activity", true),
      lending: this.trend("lending", false),
      groups: this.groupPanel(),
      funnel: this.plain("funnel", [
        { key: "step", label: say("step"), head: true },
        { key: "n", label: say("number"), bar: true, ...count },
        { key: "share", label: say("ofLoans"), ...share },
      ]),
      deleted: this.deletedPanel(),
      titles: this.titlesPanel(),
      waiting: this.plain("waiting", [
        { key: "title", label: say("book"), head: true },
        { key: "activeReservations", label: say("reserved"), bar: true, ...count },
        { key: "loans", label: say("loans"), ...count },
      ]),
      stock: this.plain("stock", [
        { key: "label", label: say("band"), head: true },
        { key: "count", label: say("titles"), bar: true, ...count },
      ]),
    };
    this.root = el("div", { class: "panels" }, this.tiles.root, ...Object.values(this.parts).map((p) => p.panel.root));
  }

  stale() {
    for (const e of this.root.children) e.classList.add("stale");
  }

  plain(name, columns) {
    const title = say(`${name}Title`);
    const table = new Table(title, columns);
    return { panel: panel({ name, title, note: say(`${name}Note`) }, table.root), table };
  }

  trend(name, bars) {
    const title = say(`${name}Title`);
    const chart = new Chart({ label: title, series: series[name], bars });
    const head = { key: "at", label: say("time"), head: true, show: (at) => this.pointNames.get(at) };
    const table = new Table(title, [head, ...series[name]]);
    const byDay = button(say("showByDay"), () => this.run(() => this.everyDay()));
    return {
      panel: panel({ name, title, note: say(`${name}Note`), wide: true, folded: table }, chart.root, byDay),
      chart,
      table,
      byDay,
    };
  }

  groupPanel() {
    const choice = el(
      "select",
      { class: "field", onchange: () => this.run(() => this.showGroups()) },
      ...groupings.map((g) => el("option", { value: g }, say(g))),
    );
    const table = new Table(say("groupsTitle"), [{ key: "label", label: say("group"), head: true }, ...groupMetrics]);
    const label = el("p", { class: "choice" }, el("label", {}, say("groupBy"), " ", choice));
    return { panel: panel({ name: "groups", title: say("groupsTitle"), wide: true }, label, table.root), table, choice };
  }

  titlesPanel() {
    const choice = el("select", { class: "field", onchange: () => this.run(() => this.showTitles(choice.value)) });
    const table = new Table(say("titlesTitle"), titleColumns);
    const label = el("p", { class: "choice" }, el("label", {}, say("bandOf"), " ", choice));
    return { panel: panel({ name: "titles", title: say("titlesTitle"), wide: true }, label, table.root), table, choice };
  }

  deletedPanel() {
    const title = say("deletedTitle");
    const deleted = [{ key: "total", label: say("deleted"), unit: say("deletedUnit"), look: "full", ...count }];
    const chart = new Chart({ label: title, series: deleted, bars: true });
    const table = new Table(title, [{ key: "month", label: say("month"), head: true, show: w.month }, ...deleted]);
    return { panel: panel({ name: "deleted", title, folded: table }, chart.root), chart, table };
  }

  summary(api, period, groupBy) {
    return api.json("summary", { ...period, groupBy, pageSize: groupPage });
  }

  async isEmpty(api, period) {
    return isEmpty((await this.summary(api, period, "library")).data.general);
  }

  // latest is the last month of the year before today that has data, or that of today.
  async latest(api, today) {
    const year = days.add(today, -330);
    const { data } = await api.json("summary", { startDate: year > this.history ? year : this.history, endDate: today });
    const used = (m) => m.loans + m.readings10 + m.readings50 + m.renewals + m.readingSeconds > 0;
    return data.monthly.findLast(used)?.month ?? days.month(today);
  }

  // show asks for a view, and shows each part of it as it comes.
  async show(api, { period, before, today, left }) {
    Object.assign(this, { api, period, today });
    const answer = await this.summary(api, period, "library");
    this.summarised = answer.data;
    this.updatedAt = answer.meta.updatedAt;
    const { funnel, stock, waiting } = this.parts;
    this.showFunnel(funnel);
    this.showStock(stock);
    this.showDeleted(this.parts.deleted);
    const former = before && (await api.json("summary", before)).data.general;
    this.tiles.set(this.figures(former));
    await this.showGroups();
    await this.showTitles(this.firstBand());
    await this.showWaiting(waiting);
    this.course = new Course(api, period, this.summarised);
    await this.course.fill(left());
    this.showTrends();
  }

  // empty names the text for a view without anything in it.
  get empty() {
    if (!this.updatedAt) return "emptyLibrary";
    return isEmpty(this.summarised.general) ? "emptyPeriod" : "";
  }

  name(list) {
    return `lectern-${list}-${this.period.startDate}-${this.period.endDate}`;
  }

  rows(name, lists, size) {
    return new download.Rows({ name: this.name(name), api: this.api, size, run: this.run, lists }).root;
  }

  async everyDay() {
    await this.course.byDay();
    this.showTrends();
  }

  showTrends() {
    const { course } = this;
    const byDay = course.unit === "Day";
    const named = course.points.map((p) => ({ ...p, label: course.pointName(p), short: course.short(p) }));
    this.pointNames = new Map(named.map((p) => [p.at, p.label]));
    for (const [name, of] of Object.entries(series)) {
      const { panel, chart, table } = this.parts[name];
      chart.set(
        named.map(({ at, to, label, short, values }) => ({
          label,
          short,
          ...(byDay && { first: w.firstOfMonth(at), weekend: days.isWeekend(at), monday: days.isMonday(at) }),
          open: to === this.today,
          values: of.map((s) => values[s.key]),
        })),
      );
      table.set(named.map(({ at, values }) => ({ at, ...values })));
      panel.setPart(byDay ? "" : say(`by${course.unit}`));
      this.parts[name].byDay.hidden = byDay;
      const rows = course.lists ? [this.rows("engagements", course.lists)] : [];
      panel.show(download.ofTable(this.name(name), table), ...rows);
    }
  }

  showFunnel({ panel, table }) {
    const { general } = this.summarised;
    const of = (k) => ({ step: say(k), n: general[k], share: general.loans ? general[k] / general.loans : null });
    table.set(["loans", "readings10", "readings50"].map(of));
    panel.show(download.ofTable(this.name("funnel"), table));
  }

  showStock({ panel, table }) {
    const { histogram, readings, possibleReadings, percentage } = this.summarised.stock;
    panel.setNote(say("stockNote", { readings, possible: possibleReadings, share: w.percent(percentage) }));
    table.set(histogram.map(({ band, count }) => ({ label: bandLabel(band), count })));
    const total = histogram.reduce((sum, b) => sum + b.count, 0);
    panel.show(
      download.ofTable(this.name("stock-bands"), table),
      this.rows("stock", [{ path: "datasets/stock", params: {}, total }], groupPage),
    );
  }

  // firstBand is the band whose titles are shown first: the one near its end, or else the highest one that has titles.
  firstBand() {
    const has = this.summarised.stock.histogram.filter((b) => b.count > 0).map((b) => b.band);
    return has.includes(nearEnd) ? nearEnd : (has.at(-1) ?? nearEnd);
  }

  async showTitles(band) {
    const { panel, table, choice } = this.parts.titles;
    panel.wait();
    const params = { consumptionBand: band, orderBy: "percentage", orderDir: "desc" };
    const { rows, total } = await this.api.all("datasets/stock", params, { pages: 1 });
    choice.replaceChildren(
      ...this.summarised.stock.histogram.map((b) =>
        el("option", { value: b.band }, say("bandChoice", { band: bandLabel(b.band), n: b.count })),
      ),
    );
    choice.value = band;
    const next = (r) => r.purchases.map((p) => p.expiresAt).filter((d) => d >= this.today).sort()[0] ?? null;
    table.set(
      rows.map((r) => ({
        title: r.title,
        readings: r.readings,
        possible: r.possibleReadings,
        share: r.percentage,
        reservations: r.activeReservations,
        expires: next(r),
      })),
    );
    panel.setPart(total > rows.length ? say("titlesPart", { shown: rows.length, total }) : "");
    panel.show(
      download.ofTable(this.name("titles"), table),
      this.rows(`stock-${band}`, [{ path: "datasets/stock", params, total }], groupPage),
    );
  }

  async showWaiting({ panel, table }) {
    const params = { ...this.period, orderBy: "activeReservations" };
    const { rows } = await this.api.all("datasets/books", params, { pages: 1 });
    const queues = rows.filter((r) => r.activeReservations > 0);
    table.set(queues);
    panel.setPart(queues.length === groupPage ? say("waitingPart", { shown: queues.length }) : "");
    panel.show(download.ofTable(this.name("reservations"), table));
  }

  async showGroups() {
    const { panel, table, choice } = this.parts.groups;
    panel.wait();
    const { data, meta } = await this.summary(this.api, this.period, choice.value);
    const rows = data.breakdown.map(({ key, label, metrics }) => ({
      ...metrics,
      label: key ? label : say("notInformed"),
      last: !key,
      hours: Math.floor(metrics.readingSeconds / 3600),
    }));
    table.set(rows.sort((a, b) => a.last - b.last || w.natural(a.label, b.label)));
    const { totalRows: total } = meta.page;
    panel.setPart(total > rows.length ? say("groupsPart", { shown: rows.length, total }) : "");
    panel.show(download.ofTable(this.name(`by-${choice.value}`), table));
  }

  showDeleted({ panel, chart, table }) {
    const { total, last30Days, withLoans, monthly } = this.summarised.deletedUsers;
    panel.setNote(say("deletedNote", { total, last: last30Days, loans: withLoans, from: w.day(this.history) }));
    const thisMonth = days.month(this.today);
    chart.set(
      monthly.map((m) => ({ label: w.month(m.month), short: w.shortMonth(m.month), open: m.month === thisMonth, values: [m.total] })),
    );
    table.set(monthly);
    panel.show(download.ofTable(this.name("deleted"), table));
  }

  figures(former) {
    const { general, reservationsByStatus, stock } = this.summarised;
    const of = (name, label, key, show = w.number) => {
      return { name, label: say(label), value: general[key], before: former ? former[key] : null, show };
    };
    return [
      ...["usersWithLogin", "loans", "readings10", "readings50"].map((k) => of(k, k, k)),
      of("time", "timeRead", "readingSeconds", (s) => w.hours(s / 60)),
      { name: "registeredUsers", label: say("registeredUsers"), value: general.registeredUsers, show: w.number, now: true },
      { name: "reservations", label: say("reserved"), value: reservationsByStatus.active, show: w.number, now: true },
      { name: "stock", label: say("stockUsed"), value: stock.percentage, show: w.percent, now: true },
    ];
  }
}

const isEmpty = ({ logins, loans, returns, readingSeconds }) => logins + loans + returns + readingSeconds === 0;
const bandLabel = (band) => (band === "0" ? "0%" : band === "101+" ? say("above100") : `${band.replace("-", "–")}%`);
