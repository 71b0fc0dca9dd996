// Who read in a class: asked when a person chooses the class. Users and readings of its school are pulled and cut to the class here.

import { pageSize } from "./api.js";
import * as days from "./days.js";
import * as download from "./download.js";
import { el, panel } from "./parts.js";
import { count, Table } from "./table.js";
import * as w from "./words.js";

const { say } = w;

export class Pupils {
  constructor(report) {
    this.report = report;
    this.choice = el(
      "select",
      { class: "field", onchange: () => this.draw() },
      ...["all", "who", "whoNot"].map((value) => el("option", { value }, "")),
    );
    this.table = new Table(say("pupilsTitle"), [
      { key: "name", label: say("name"), head: true },
      { key: "minutes", label: say("minutesRead"), bar: true, show: w.minutes },
      { key: "books", label: say("readingsCount"), ...count },
      { key: "finished", label: say("finished"), ...count },
      { key: "last", label: say("lastDay"), show: w.day },
    ]);
    const choice = el("p", { class: "choice" }, el("label", {}, say("pupilsShown"), " ", this.choice));
    this.panel = panel({ name: "pupils", title: say("pupilsTitle"), note: say("pupilsNote"), wide: true }, choice, this.table.root);
  }

  // show shows the pupils of a class, { key, label }.
  async show(api, { key, label }) {
    const { report, panel } = this;
    const query = { schoolId: report.school, profile: "student" };
    panel.setTitle(say("pupilsOf", { class: label }));
    const told = (list) => ({ size: pageSize, seen: (shown, total) => panel.setPart(say("pupilsLoading", { list: say(list), shown, total })) });
    const users = await api.all("users", query, told("users"));
    const readings = await api.all("readings", { ...query, ...report.period }, told("readingsCount"));
    panel.setPart("");

    const read = new Map();
    for (const { userId, readingMinutes, lastReadAt, finished } of readings.rows) {
      const r = read.get(userId) ?? { tenths: 0, books: 0, finished: 0, last: "" };
      r.tenths += Math.round(readingMinutes * 10);
      r.books++;
      r.finished += finished ? 1 : 0;
      if (lastReadAt > r.last) r.last = lastReadAt;
      read.set(userId, r);
    }
    this.rows = users.rows
      .filter((u) => String(u.class?.id) === key && (u.active || read.has(u.userId)))
      .map(({ userId, name }) => {
        const r = read.get(userId) ?? { tenths: 0, books: 0, finished: 0, last: "" };
        const last = r.last ? days.ofInstant(r.last) : null;
        return { name: name ?? say("noName", { id: String(userId) }), minutes: r.tenths / 10, books: r.books, finished: r.finished, last };
      })
      .sort((a, b) => b.minutes - a.minutes || w.natural(a.name, b.name));
    this.draw();
    panel.show(download.ofTable(report.name("pupils"), this.table));
  }

  draw() {
    const sets = { all: this.rows, who: this.rows.filter((r) => r.books > 0), whoNot: this.rows.filter((r) => r.books === 0) };
    for (const option of this.choice.options) option.textContent = say(`${option.value}Option`, { n: sets[option.value].length });
    this.table.set(sets[this.choice.value]);
  }
}
