// What the reports are made of: panels, tiles and tables.

import { say } from "./words.js";

// el makes an element with attributes, properties that begin with a dot, listeners that begin with "on", and children.
export function el(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else if (name.startsWith(".")) e[name.slice(1)] = value;
    else if (value !== null) e.setAttribute(name, value);
  }
  e.append(...children);
  return e;
}

let ids = 0;
export const id = () => `part-${++ids}`;

// tiles shows a few figures with their names.
export function tiles(figures) {
  return el(
    "dl",
    { class: "tiles" },
    ...figures.map(({ name, label, value, hint }) =>
      el("div", {}, el("dt", {}, label), el("dd", { "data-figure": name }, value), ...(hint ? [el("dd", { class: "hint" }, hint)] : [])),
    ),
  );
}

// panel is a part of the report with its heading; note says how it is counted, part what of it is not shown, and folded is the
// table of its chart, which a person opens.
export function panel({ name, title, note = "", wide = false, folded = null }, ...body) {
  const heading = id();
  const part = el("p", { class: "part", hidden: "" });
  const downloads = el("details", { class: "downloads" }, el("summary", {}, say("download")), el("p"));
  const root = el(
    "section",
    { class: wide ? "panel wide" : "panel", "aria-labelledby": heading, "data-panel": name },
    el("h2", { id: heading }, title),
    ...(note ? [el("p", { class: "hint" }, note)] : []),
    part,
    ...body,
    el("div", { class: "folds" }, ...(folded ? [el("details", {}, el("summary", {}, say("table")), folded.root)] : []), downloads),
  );
  return {
    root,
    downloads,
    setPart(text) {
      part.textContent = text;
      part.hidden = !text;
    },
  };
}

// downloads replaces what a panel offers, without closing what a person has opened.
export function downloads(panel, ...offers) {
  panel.downloads.lastChild.replaceChildren(...offers);
}

// Table is a table of rows. A column has a key and a label; `show` writes its values, which are numbers where it is given; `bar`
// draws them too, against the largest one, and 1 at least; `head` is the column that names the row, and `raw` the value for a
// file, if another. What matters most stands first: a phone shows that, and the rest when it is scrolled.
export class Table {
  rows = [];

  constructor(caption, columns) {
    this.caption = caption;
    this.columns = columns;
    this.body = el("tbody");
    this.root = el(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": caption },
      el(
        "table",
        {},
        el("caption", { class: "spoken" }, caption),
        el("thead", {}, el("tr", {}, ...columns.map((c) => el("th", { scope: "col", class: kind(c) }, c.label)))),
        this.body,
      ),
    );
  }

  // set shows rows; a row with `sub` belongs to the one above.
  set(rows) {
    this.rows = rows;
    this.root.classList.toggle("long", rows.length > 25);
    this.body.replaceChildren(...(rows.length ? rows.map((row) => this.line(row)) : [this.nothing()]));
  }

  line(row) {
    return el(
      "tr",
      { class: row.sub ? "sub" : row.sum ? "sum" : null },
      ...this.columns.map((c) => {
        const value = row[c.key];
        const content = value === null || value === undefined ? "–" : c.show ? c.show(value) : value;
        if (c.head) return el("th", { scope: "row" }, content);
        return el("td", { class: kind(c) }, c.bar ? el("span", { class: "barred" }, bar(value / this.most(c, row)), content) : content);
      }),
    );
  }

  // most is the largest value of a column among the rows of a row's kind.
  most(column, row) {
    return this.rows.reduce((most, r) => (r.sub === row.sub ? Math.max(most, r[column.key]) : most), Number(column.bar));
  }

  nothing() {
    return el("tr", {}, el("td", { colspan: String(this.columns.length) }, say("nothing")));
  }
}

// kind is the class of a column's cells: a number, or one that a phone has no room for.
const kind = (c) => (c.show ? "number" : c.spare ? "spare" : null);

// bar is a share as a bar beside its number, which says the same.
function bar(share) {
  const inner = el("i");
  inner.style.inlineSize = `${Math.max(0, share) * 100}%`;
  return el("span", { class: "bar", "aria-hidden": "true" }, inner);
}
