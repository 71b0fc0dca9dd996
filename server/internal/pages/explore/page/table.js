// Tables that a person sorts, searches and unfolds.

import { el } from "./parts.js";
import { natural, number, say } from "./words.js";

const first = 15; // rows that are shown at first

// Table is a table of rows. A column has a key and a label; `show` writes its values, which are numbers or days; `bar` draws
// them too, against the largest one, and 1 at least; `head` is the column that names the row. A row has its values, and may have the
// address `to` which its name links; one with `last` stays at the end.
export class Table {
  rows = [];
  order = null; // { column, down }; null for the order of the rows
  limit = first;

  constructor(caption, columns) {
    Object.assign(this, { caption, columns });
    this.body = el("tbody");
    this.search = el("input", {
      type: "search",
      class: "field search",
      placeholder: say("search"),
      "aria-label": say("searchIn", { table: caption }),
      oninput: () => this.draw(),
    });
    this.count = el("span", { role: "status" });
    this.more = el("button", { type: "button", class: "button quiet", onclick: () => this.unfold() });
    this.heads = columns.map((c) =>
      el("th", { scope: "col", class: kind(c) }, el("button", { type: "button", onclick: () => this.sort(c) }, c.label)),
    );
    this.scroll = el(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": caption },
      el("table", {}, el("caption", { class: "spoken" }, caption), el("thead", {}, el("tr", {}, ...this.heads)), this.body),
    );
    this.root = el("div", {}, this.search, this.scroll, el("p", { class: "foot" }, this.count, this.more));
  }

  set(rows) {
    this.rows = rows;
    this.draw();
  }

  // sort orders by a column: numbers from the largest on first, names from A; pressed again, the other way round.
  sort(column) {
    const again = this.order?.column === column;
    this.order = { column, down: again ? !this.order.down : Boolean(column.show) };
    this.draw();
  }

  unfold() {
    this.limit = Infinity;
    this.draw();
    this.scroll.focus({ preventScroll: true }); // the button is gone
  }

  draw() {
    const text = this.search.value.trim().toLocaleLowerCase();
    const found = this.sorted().filter((r) =>
      this.columns.some((c) => (c.head || !c.show) && this.text(c, r).toLocaleLowerCase().includes(text)),
    );
    const shown = found.slice(0, this.limit);
    const most = new Map(this.columns.filter((c) => c.bar).map((c) => [c, Math.max(1, ...this.rows.map((r) => r[c.key] ?? 0))]));
    this.body.replaceChildren(...(shown.length ? shown.map((row) => this.line(row, most)) : [this.nothing()]));
    this.columns.forEach((c, i) => {
      if (this.order?.column === c) this.heads[i].setAttribute("aria-sort", this.order.down ? "descending" : "ascending");
      else this.heads[i].removeAttribute("aria-sort");
    });
    this.search.hidden = this.rows.length <= first;
    this.count.textContent = shown.length < this.rows.length ? say("shownOf", { shown: shown.length, n: this.rows.length }) : "";
    this.more.hidden = shown.length === found.length;
    this.more.textContent = say("showAll", { n: found.length });
  }

  sorted() {
    if (!this.order) return this.rows;
    const { column, down } = this.order;
    const known = (r) => r[column.key] !== null && r[column.key] !== undefined;
    const compare = (a, b) => (typeof a === "number" ? a - b : column.show ? (a < b ? -1 : a > b ? 1 : 0) : natural(a, b));
    return this.rows.toSorted(
      (a, b) =>
        Boolean(a.last) - Boolean(b.last) ||
        known(b) - known(a) ||
        (known(a) ? (down ? -1 : 1) * compare(a[column.key], b[column.key]) : 0),
    );
  }

  line(row, most) {
    return el("tr", {}, ...this.columns.map((c) => this.cell(c, row, most)));
  }

  text(c, row) {
    const value = row[c.key];
    return value === null || value === undefined ? "–" : c.show ? c.show(value) : value;
  }

  cell(c, row, most) {
    const content = this.text(c, row);
    if (c.head) return el("th", { scope: "row" }, row.to ? el("a", { href: row.to }, content) : content);
    return el("td", { class: kind(c) }, c.bar ? el("span", { class: "barred" }, bar((row[c.key] ?? 0) / most.get(c)), content) : content);
  }

  nothing() {
    return el("tr", {}, el("td", { colspan: String(this.columns.length) }, say(this.rows.length ? "notFound" : "nothing")));
  }
}

const kind = (c) => (c.show && !c.head ? "number" : null);

// bar is a share as a bar beside its number, which says the same.
function bar(share) {
  const inner = el("i");
  inner.style.inlineSize = `${Math.max(0, share) * 100}%`;
  return el("span", { class: "bar", "aria-hidden": "true" }, inner);
}

// Kinds of columns.
export const count = { show: number };
