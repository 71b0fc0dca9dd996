// The report of the schools: engagements, readings and users, folded page by page into charts and tables.

import { Chart } from "./chart.js";
import * as days from "./days.js";
import * as download from "./download.js";
import { Pages, pageSize, pull } from "./pages.js";
import { downloads, panel, Table, tiles, el } from "./parts.js";
import * as w from "./words.js";

const { say } = w;
const topBooks = 20;

// Minutes have one decimal and are summed as whole tenths, as the API's own sums are.
const tenths = (minutes) => Math.round(minutes * 10);
const asMinutes = { show: w.minutes, raw: (t) => t / 10 };
const count = { show: w.number };

export class SchoolsReport {
  kind = "schools";
  root = el("div", { class: "panels" });
  schools = new Map(); // names by id: the choice of schools, kept from view to view

  // params are those of all three lists: period, school and profile.
  constructor(api, params, run) {
    const { schoolId, profile } = params;
    const who = { ...(schoolId && { schoolId }), ...(profile && { profile }) };
    Object.assign(this, { api, run });
    this.visits = new Visits();
    this.reading = new Reading();
    this.users = new Map();
    this.engagements = new Pages(api, "engagements", params, { newest: true, fold: (rows, page) => this.visits.fold(rows, page) });
    this.readings = new Pages(api, "readings", params, { fold: (rows) => rows.forEach((r) => this.reading.fold(r)) });
    this.register = new Pages(api, "users", who, { fold: (rows) => rows.forEach((r) => this.enter(r)) });
    this.lists = [this.engagements, this.readings, this.register];
  }

  // enter keeps of a user where they belong, and nothing that says who they are.
  enter({ userId, school, class: group, active }) {
    this.users.set(userId, { school: school?.id ?? null, group: group?.id ?? null, groupName: group?.name ?? "", active });
    if (school) this.schools.set(school.id, school.name ?? String(school.id));
  }

  // begin makes the first request, which tells whether the key is one of the schools, and the period.
  async begin() {
    const { meta } = await this.engagements.step();
    this.period = meta.period;
  }

  // The other lists are of the period of the first answer, in so many words.
  async fill(requests, seen) {
    for (const list of [this.engagements, this.readings]) Object.assign(list.params, this.period);
    await pull(this.lists, requests, seen);
  }

  get left() {
    return this.lists.reduce((sum, l) => sum + l.left, 0);
  }

  // empty names the text for a view without anything in it.
  get empty() {
    return this.engagements.total === 0 && this.readings.total === 0 ? "emptyPeriod" : "";
  }

  // more is what remains to be asked for, in words.
  get more() {
    const [shown, total] = ["rows", "total"].map((k) => this.lists.reduce((sum, l) => sum + (l[k] ?? 0), 0));
    return say("schoolsPart", { shown, total });
  }

  render() {
    if (!this.parts) this.build();
    this.visits.settle(this.engagements, this.period);
    this.tiles.replaceChildren(tiles(this.figures()));
    this.renderDays();
    this.renderBooks();
    this.renderFinished();
    this.renderSchools();
  }

  build() {
    this.parts = {
      readers: this.dayPanel("readers", [
        { key: "came", label: say("came"), unit: say("cameUnit"), look: "soft", ...count },
        { key: "read", label: say("read"), unit: say("readUnit"), look: "full", ...count },
      ]),
      minutes: this.dayPanel("minutes", [
        { key: "tenths", label: say("minutesRead"), unit: say("minutesUnit"), look: "full", ...asMinutes },
      ]),
      books: this.booksPanel(),
      finished: this.finishedPanel(),
      schools: this.schoolsPanel(),
    };
    this.tiles = el("div", { class: "wide" });
    this.root.append(this.tiles, ...Object.values(this.parts).map((p) => p.panel.root));
  }

  name(list) {
    return `lectern-${list}-${this.period.startDate}-${this.period.endDate}`;
  }

  rows(name, list) {
    const { path, params, total } = list;
    return new download.Rows({
      name: this.name(name),
      api: this.api,
      size: pageSize,
      run: this.run,
      lists: [{ path, params, total: total ?? 0 }],
    });
  }

  dayPanel(name, series) {
    const title = say(`${name}Title`);
    const chart = new Chart({ label: title, series, bars: true, scale: name === "minutes" ? 10 : 1 });
    const table = new Table(title, [{ key: "label", label: say("day"), head: true }, ...series]);
    const part = panel({ name, title, note: say(`${name}Note`), wide: true, folded: table }, chart.root);
    return { panel: part, chart, table, series };
  }

  renderDays() {
    for (const name of ["readers", "minutes"]) {
      const { panel, chart, table, series } = this.parts[name];
      chart.set(
        this.visits.days.map((d) => ({
          label: w.dayOfWeek(d.day),
          short: w.shortDay(d.day),
          first: w.firstOfMonth(d.day),
          values: series.map((s) => d[s.key]),
        })),
      );
      table.set(this.visits.days.filter((d) => d.came !== null).map((d) => ({ label: w.dayOfWeek(d.day), ...d })));
      panel.setPart(this.engagements.left ? this.partOfDays() : "");
      downloads(panel, download.ofTable(this.name(name), table), this.rows("engagements", this.engagements).root);
    }
  }

  partOfDays() {
    const { total, rows } = this.engagements;
    const { endDate } = this.period;
    const { from } = this.visits;
    if (from > endDate) return say("daysNone", { shown: rows, total });
    return say("daysPart", { from: w.day(from), to: w.day(endDate), shown: this.visits.sum("came"), total });
  }

  booksPanel() {
    const title = say("booksTitle");
    const table = new Table(title, [
      { key: "title", label: say("book"), head: true },
      { key: "author", label: say("author"), spare: true },
      { key: "readers", label: say("readers"), bar: true, ...count },
      { key: "tenths", label: say("minutesRead"), ...asMinutes },
      { key: "finished", label: say("finished"), ...count },
    ]);
    return { panel: panel({ name: "books", title, note: say("booksNote", { n: topBooks }), wide: true }, table.root), table };
  }

  renderBooks() {
    const { panel, table } = this.parts.books;
    table.set(
      [...this.reading.books.values()]
        .sort((a, b) => b.readers - a.readers || b.tenths - a.tenths || a.title.localeCompare(b.title, w.lang))
        .slice(0, topBooks),
    );
    this.ofReadings(panel, "books", table);
  }

  // ofReadings says which part of the readings a panel is of, and offers its downloads.
  ofReadings(panel, name, table, users = 0) {
    const { left, rows, total } = this.readings;
    panel.setPart(left || users ? say("readingsPart", { shown: rows, total: total ?? 0 }) : "");
    downloads(panel, download.ofTable(this.name(name), table), this.rows("readings", this.readings).root);
  }

  finishedPanel() {
    const title = say("finishedTitle");
    const series = [{ key: "finished", label: say("finished"), unit: say("finishedUnit"), look: "full", ...count }];
    const chart = new Chart({ label: title, series, bars: true });
    const table = new Table(title, [{ key: "label", label: say("month"), head: true }, ...series]);
    return { panel: panel({ name: "finished", title, note: say("finishedNote"), wide: true, folded: table }, chart.root), chart, table };
  }

  renderFinished() {
    const { panel, chart, table } = this.parts.finished;
    const rows = days
      .months(this.period.startDate, this.period.endDate)
      .map((m) => ({ label: w.month(m), short: w.shortMonth(m), finished: this.reading.months.get(m) ?? 0 }));
    chart.set(rows.map(({ label, short, finished }) => ({ label, short, values: [finished] })));
    table.set(rows);
    this.ofReadings(panel, "finished", table);
  }

  schoolsPanel() {
    const title = say("schoolsTitle");
    const table = new Table(title, [
      { key: "name", label: say("schoolAndClass"), head: true },
      { key: "readers", label: say("readers"), ...count },
      { key: "tenths", label: say("minutesRead"), bar: true, ...asMinutes },
      { key: "finished", label: say("finished"), ...count },
      { key: "books", label: say("readingsCount"), ...count },
      { key: "each", label: say("minutesEach"), ...asMinutes },
      { key: "users", label: say("users"), ...count },
    ]);
    return { panel: panel({ name: "schools", title, note: say("schoolsNote"), wide: true }, table.root), table };
  }

  renderSchools() {
    const { panel, table } = this.parts.schools;
    table.set(this.bySchool());
    this.ofReadings(panel, "schools", table, this.register.left);
  }

  // bySchool are the rows of schools, each followed by those of its classes.
  bySchool() {
    const rows = new Map(); // by school and class
    const at = (school, group, name) => {
      const key = `${school}/${group}`;
      if (!rows.has(key)) rows.set(key, { school, group, name, users: 0, readers: 0, tenths: 0, books: 0, finished: 0 });
      return rows.get(key);
    };
    for (const [id, user] of this.users) {
      const read = this.reading.users.get(id);
      const places = [at(user.school, "", user.school === null ? say("withoutSchool") : this.schools.get(user.school))];
      if (user.group !== null) places.push(at(user.school, user.group, user.groupName));
      for (const row of places) {
        row.users += user.active ? 1 : 0;
        if (!read) continue;
        row.readers++;
        for (const k of ["tenths", "books", "finished"]) row[k] += read[k];
      }
    }
    const byName = (a, b) => a.name.localeCompare(b.name, w.lang, { numeric: true });
    const all = [...rows.values()].map((r) => ({
      ...r,
      sub: r.group !== "",
      sum: r.group === "",
      each: r.readers ? Math.round(r.tenths / r.readers) : null,
    }));
    return all
      .filter((r) => r.sum)
      .sort(byName)
      .flatMap((s) => [s, ...all.filter((r) => r.sub && r.school === s.school).sort(byName)]);
  }

  figures() {
    const { reading, visits } = this;
    const finished = [...reading.users.values()].reduce((sum, u) => sum + u.finished, 0);
    const sum = this.readings.left ? visits.sum("tenths") : reading.tenths; // the same, where both are whole
    const part = (...lists) => (lists.some((l) => l.left) ? say("ofPart") : "");
    return [
      { name: "came", label: say("cameOnce"), value: w.number(visits.users.size), hint: part(this.engagements) },
      { name: "readers", label: say("readers"), value: w.number(reading.users.size), hint: part(this.readings) },
      { name: "time", label: say("timeRead"), value: w.hours(sum / 10), hint: this.readings.left ? part(this.engagements) : "" },
      { name: "titles", label: say("titlesRead"), value: w.number(reading.books.size), hint: part(this.readings) },
      { name: "finished", label: say("finishedBooks"), value: w.number(finished), hint: part(this.readings) },
    ];
  }
}

// Visits are the engagements by day. Pages come from the newest on; the oldest day of the oldest one may be cut, and page 1 stands
// apart until all between is there.
class Visits {
  pages = new Map(); // days of a page, by its number
  users = new Set();

  fold(rows, page) {
    const found = new Map();
    for (const { date, userId, readingMinutes } of rows) {
      const day = found.get(date) ?? { came: 0, read: 0, tenths: 0 };
      day.came++;
      day.read += readingMinutes > 0 ? 1 : 0;
      day.tenths += tenths(readingMinutes);
      found.set(date, day);
      this.users.add(userId);
    }
    this.pages.set(page, found);
  }

  // settle makes the days of the period: those that are not whole are unknown.
  settle(list, { startDate, endDate }) {
    const whole = list.left === 0;
    const tail = [...this.pages].filter(([page]) => whole || page > 1);
    const sums = new Map();
    for (const [, page] of tail) {
      for (const [day, d] of page) {
        const s = sums.get(day) ?? { came: 0, read: 0, tenths: 0 };
        sums.set(day, { came: s.came + d.came, read: s.read + d.read, tenths: s.tenths + d.tenths });
      }
    }
    const cut = [...sums.keys()].sort()[0] ?? endDate;
    this.from = whole ? startDate : days.add(cut, 1);
    const none = (day) => (day >= this.from ? { came: 0, read: 0, tenths: 0 } : { came: null, read: null, tenths: null });
    this.days = days.each(startDate, endDate).map((day) => ({ day, ...((day >= this.from && sums.get(day)) || none(day)) }));
  }

  sum(key) {
    return this.days.reduce((sum, d) => sum + (d[key] ?? 0), 0);
  }
}

// Reading is what the readings say, by book, by month of the last reading, and by user.
class Reading {
  books = new Map();
  months = new Map();
  users = new Map();
  tenths = 0;

  fold({ userId, book, readingMinutes, lastReadAt, finished }) {
    const t = tenths(readingMinutes);
    const b = this.books.get(book.id) ?? { title: book.title ?? String(book.id), author: book.author, readers: 0, tenths: 0, finished: 0 };
    const u = this.users.get(userId) ?? { tenths: 0, books: 0, finished: 0 };
    b.readers++;
    u.books++;
    for (const sum of [b, u]) {
      sum.tenths += t;
      sum.finished += finished ? 1 : 0;
    }
    this.books.set(book.id, b);
    this.users.set(userId, u);
    this.tenths += t;
    if (finished) {
      const m = days.month(days.ofInstant(lastReadAt));
      this.months.set(m, (this.months.get(m) ?? 0) + 1);
    }
  }
}
