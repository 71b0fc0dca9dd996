// The report of a library network: its summaries, stock, reservations, and engagements by day.

import { Chart } from "./chart.js";
import * as download from "./download.js";
import { Pages, pageSize } from "./pages.js";
import { downloads, el, panel, Table, tiles } from "./parts.js";
import { Course } from "./course.js";
import * as w from "./words.js";

const { say } = w;
const count = { show: w.number };
const share = { show: w.percent };
const groupPage = 100; // of summary and stock, the most that they have
const nearEnd = "91-100";
const groupings = ["library", "city", "ageGroup"];
const unknownGroup = ""; // the key of those without the value

export class LibrariesReport {
  kind = "libraries";
  root = el("div", { class: "panels" });
  groups = new Map(); // the answers of summary by grouping

  constructor(api, params, run, history) {
    Object.assign(this, { api, params, run, history });
  }

  // begin makes the first request, which tells whether the key is one of a library network, and the period.
  async begin() {
    const answer = await this.summary("library");
    this.summarised = answer.data;
    this.period = answer.meta.period;
    this.updatedAt = answer.meta.updatedAt;
  }

  async summary(groupBy) {
    const answer = await this.api.json("summary", { ...this.params, groupBy, pageSize: groupPage });
    this.groups.set(groupBy, answer);
    return answer;
  }

  // fill makes the other requests of a first look; when it is called again, those that give every day.
  async fill(requests, seen) {
    if (this.course) {
      await this.course.byDay(seen);
      return;
    }
    this.params = { ...this.period };
    for (const grouping of groupings.slice(1)) await this.summary(grouping);
    await this.titlesOf(this.firstBand());
    this.waiting = new Waiting();
    this.queue = new Pages(
      this.api,
      "datasets/reservations",
      { status: "waiting", startDate: this.history, endDate: this.today },
      { fold: (rows) => this.waiting.fold(rows) },
    );
    await this.queue.step();
    this.course = new Course(this.api, this.period, this.summarised);
    await this.course.fill(requests - 4, seen);
  }

  // today is the last day of which there can be data.
  get today() {
    return this.updatedAt ? this.updatedAt.slice(0, 10) : this.period.endDate;
  }

  get left() {
    return this.course ? this.course.left : 0;
  }

  // empty names the text for a view without anything in it.
  get empty() {
    if (!this.updatedAt) return "emptyLibrary";
    const { logins, loans, returns, readingSeconds } = this.summarised.general;
    return logins + loans + returns + readingSeconds === 0 ? "emptyPeriod" : "";
  }

  get more() {
    return this.course.part;
  }

  // firstBand is the band whose titles are shown first: those near their end, or else the fullest band that has titles.
  firstBand() {
    const has = this.summarised.stock.histogram.filter((b) => b.count > 0).map((b) => b.band);
    return has.includes(nearEnd) ? nearEnd : (has.at(-1) ?? nearEnd);
  }

  async titlesOf(band) {
    const params = { consumptionBand: band, orderBy: "percentage", orderDir: "desc" };
    const answer = await this.api.json("datasets/stock", { ...params, pageSize: groupPage });
    this.titles = { band, params, total: answer.meta.page.totalRows, rows: answer.data.rows };
  }

  render() {
    if (!this.parts) this.build();
    this.tiles.replaceChildren(tiles(this.figures()));
    this.renderDays();
    this.renderFunnel();
    this.renderStock();
    this.renderTitles();
    this.renderWaiting();
    for (const grouping of groupings) this.renderGroups(grouping);
    this.renderDeleted();
  }

  build() {
    this.parts = {
      activity: this.dayPanel(
        "activity",
        [{ key: "active", label: say("activeReaders"), unit: say("activeUnit"), look: "full", ...count }],
        true,
      ),
      lending: this.dayPanel(
        "lending",
        ["loans", "readings10", "readings50"].map((key) => ({ key, label: say(key), unit: say(`${key}Unit`), ...count })),
        false,
      ),
      funnel: this.funnelPanel(),
      deleted: this.deletedPanel(),
      stock: this.stockPanel(),
      waiting: this.waitingPanel(),
      titles: this.titlesPanel(),
      ...Object.fromEntries(groupings.map((g) => [g, this.groupPanel(g)])),
    };
    this.tiles = el("div", { class: "wide" });
    this.root.append(this.tiles, ...Object.values(this.parts).map((p) => p.panel.root));
  }

  name(list) {
    return `lectern-${list}-${this.period.startDate}-${this.period.endDate}`;
  }

  rows(name, lists, size = pageSize) {
    return new download.Rows({ name: this.name(name), api: this.api, size, run: this.run, lists }).root;
  }

  dayPanel(name, series, bars) {
    const title = say(`${name}Title`);
    const chart = new Chart({ label: title, series, bars });
    const table = new Table(title, [{ key: "label", label: say("time"), head: true }, ...series]);
    return { panel: panel({ name, title, note: say(`${name}Note`), wide: true, folded: table }, chart.root), chart, table, series };
  }

  renderDays() {
    const { course } = this;
    for (const name of ["activity", "lending"]) {
      const { panel, chart, table, series } = this.parts[name];
      chart.set(
        course.points.map(({ label, short, first, values }) => ({ label, short, first, values: series.map((s) => values[s.key]) })),
      );
      table.set(course.points.map(({ label, values }) => ({ label, ...values })));
      panel.setPart(course.left ? say(`by${course.unit}`) : "");
      const rows = course.lists ? [this.rows("engagements", course.lists)] : [];
      downloads(panel, download.ofTable(this.name(name), table), ...rows);
    }
  }

  funnelPanel() {
    const title = say("funnelTitle");
    const table = new Table(title, [
      { key: "step", label: say("step"), head: true },
      { key: "n", label: say("number"), bar: true, ...count },
      { key: "share", label: say("ofLoans"), ...share },
    ]);
    return { panel: panel({ name: "funnel", title, note: say("funnelNote") }, table.root), table };
  }

  renderFunnel() {
    const { panel, table } = this.parts.funnel;
    const { general } = this.summarised;
    table.set(
      ["loans", "readings10", "readings50"].map((k) => ({
        step: say(k),
        n: general[k],
        share: general.loans ? general[k] / general.loans : null,
      })),
    );
    downloads(panel, download.ofTable(this.name("funnel"), table));
  }

  stockPanel() {
    const title = say("stockTitle");
    const table = new Table(title, [
      { key: "label", label: say("band"), head: true },
      { key: "count", label: say("titles"), bar: true, ...count },
    ]);
    return { panel: panel({ name: "stock", title }, el("p", { class: "hint" }), table.root), table };
  }

  renderStock() {
    const { panel, table } = this.parts.stock;
    const { histogram, readings, possibleReadings, percentage } = this.summarised.stock;
    panel.root.querySelector(".hint").textContent = say("stockNote", {
      readings,
      possible: possibleReadings,
      share: w.percent(percentage),
    });
    table.set(histogram.map(({ band, count }) => ({ label: bandLabel(band), count })));
    downloads(
      panel,
      download.ofTable(this.name("stock-bands"), table),
      this.rows("stock", [{ path: "datasets/stock", params: {}, total: histogram.reduce((sum, b) => sum + b.count, 0) }], groupPage),
    );
  }

  titlesPanel() {
    const title = say("titlesTitle");
    const choice = el("select", { onchange: () => this.run(() => this.chooseBand(choice.value)) });
    const table = new Table(title, [
      { key: "title", label: say("book"), head: true },
      { key: "share", label: say("consumed"), bar: true, ...share },
      { key: "expires", label: say("expires"), show: w.day, raw: (d) => d },
      { key: "reservations", label: say("reserved"), ...count },
      { key: "readings", label: say("readingsCount"), ...count },
      { key: "possible", label: say("possible"), ...count },
    ]);
    return {
      panel: panel({ name: "titles", title, wide: true }, el("p", {}, el("label", {}, say("bandOf"), " ", choice)), table.root),
      table,
      choice,
    };
  }

  async chooseBand(band) {
    await this.titlesOf(band);
    this.renderTitles();
  }

  renderTitles() {
    const { panel, table, choice } = this.parts.titles;
    const { band, params, total, rows } = this.titles;
    choice.replaceChildren(
      ...this.summarised.stock.histogram.map((b) =>
        el("option", { value: b.band }, say("bandChoice", { band: bandLabel(b.band), n: b.count })),
      ),
    );
    choice.value = band;
    table.set(
      rows.map((r) => ({
        title: r.title,
        readings: r.readings,
        possible: r.possibleReadings,
        share: r.percentage,
        reservations: r.activeReservations,
        expires:
          r.purchases
            .map((p) => p.expiresAt)
            .filter((d) => d >= this.today)
            .sort()[0] ?? null,
      })),
    );
    panel.setPart(total > rows.length ? say("titlesPart", { shown: rows.length, total }) : "");
    downloads(
      panel,
      download.ofTable(this.name("titles"), table),
      this.rows(`stock-${band}`, [{ path: "datasets/stock", params, total }], groupPage),
    );
  }

  waitingPanel() {
    const title = say("waitingTitle");
    const table = new Table(title, [
      { key: "title", label: say("book"), head: true },
      { key: "count", label: say("waiting"), bar: true, ...count },
      { key: "since", label: say("since"), show: w.day, raw: (d) => d },
    ]);
    return { panel: panel({ name: "waiting", title, note: say("waitingNote") }, table.root), table };
  }

  renderWaiting() {
    const { panel, table } = this.parts.waiting;
    const { path, params, total, rows, left } = this.queue;
    table.set(this.waiting.byTitle());
    panel.setPart(left ? say("waitingPart", { shown: rows, total }) : "");
    downloads(panel, download.ofTable(this.name("waiting"), table), this.rows("reservations", [{ path, params, total }]));
  }

  groupPanel(grouping) {
    const title = say(`${grouping}Title`);
    const metrics = ["usersWithLogin", "loans", "readings10", "readings50"].map((key) => ({
      key,
      label: say(key),
      bar: key === "usersWithLogin",
      ...count,
    }));
    const table = new Table(title, [
      { key: "label", label: say(grouping), head: true },
      ...metrics,
      { key: "hours", label: say("hoursRead"), ...count },
      { key: "registeredUsers", label: say("registeredUsers"), ...count },
    ]);
    return { panel: panel({ name: grouping, title, wide: true }, table.root), table };
  }

  renderGroups(grouping) {
    const { panel, table } = this.parts[grouping];
    const { data, meta } = this.groups.get(grouping);
    table.set(
      data.breakdown.map(({ key, label, metrics }) => ({
        ...metrics,
        label: key === unknownGroup ? say("notInformed") : label,
        hours: Math.floor(metrics.readingSeconds / 3600),
      })),
    );
    panel.setPart(
      meta.page.totalRows > data.breakdown.length ? say("groupsPart", { shown: data.breakdown.length, total: meta.page.totalRows }) : "",
    );
    downloads(panel, download.ofTable(this.name(`by-${grouping}`), table));
  }

  deletedPanel() {
    const title = say("deletedTitle");
    const series = [{ key: "total", label: say("deleted"), unit: say("deletedUnit"), look: "full", ...count }];
    const chart = new Chart({ label: title, series, bars: true });
    const table = new Table(title, [{ key: "label", label: say("month"), head: true }, ...series]);
    return { panel: panel({ name: "deleted", title, folded: table }, el("p", { class: "hint" }), chart.root), chart, table };
  }

  renderDeleted() {
    const { panel, chart, table } = this.parts.deleted;
    const { total, last30Days, withLoans, monthly } = this.summarised.deletedUsers;
    panel.root.querySelector(".hint").textContent = say("deletedNote", {
      total,
      last: last30Days,
      loans: withLoans,
      from: w.day(this.history),
    });
    const rows = monthly.map((m) => ({ label: w.month(m.month), short: w.shortMonth(m.month), total: m.total }));
    chart.set(rows.map(({ label, short, total }) => ({ label, short, values: [total] })));
    table.set(rows);
    downloads(panel, download.ofTable(this.name("deleted"), table));
  }

  figures() {
    const {
      general,
      reservationsByStatus: { active },
    } = this.summarised;
    return [
      ...["registeredUsers", "usersWithLogin", "loans", "readings10", "readings50"].map((k) => ({
        name: k,
        label: say(k),
        value: w.number(general[k]),
      })),
      { name: "time", label: say("timeRead"), value: w.hours(general.readingSeconds / 60) },
      { name: "reservations", label: say("reserved"), value: w.number(active) },
    ];
  }
}

const bandLabel = (band) => (band === "0" ? "0%" : band === "101+" ? say("above100") : `${band.replace("-", "–")}%`);

// Waiting are the reservations that wait, by title: the oldest come first, so that the first of a title is its oldest.
class Waiting {
  titles = new Map();

  fold(rows) {
    for (const { bookId, title, reservedAt } of rows) {
      const t = this.titles.get(bookId) ?? { title, count: 0, since: reservedAt };
      t.count++;
      this.titles.set(bookId, t);
    }
  }

  byTitle() {
    return [...this.titles.values()].sort((a, b) => b.count - a.count || (a.since < b.since ? -1 : 1));
  }
}
