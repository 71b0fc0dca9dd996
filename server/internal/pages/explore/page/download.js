// Downloads: of a table, and of the rows behind it as the server writes them.

import { Trouble, pageSize } from "./api.js";
import { button, el } from "./parts.js";
import { say } from "./words.js";

const types = {
  csv: "text/csv",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};

// save hands bytes to the browser as a file.
function save(name, type, parts) {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // the browser has read it by then
}

// cell writes a value as the server's CSV does: numbers and days as they are.
function cell(value) {
  if (value === null || value === undefined) return "";
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// csv writes all rows of a table, as the API has their values.
function csv({ columns, rows }) {
  const lines = [columns.map((c) => c.label), ...rows.map((r) => columns.map((c) => r[c.key]))];
  return lines.map((l) => l.map(cell).join(",") + "\r\n").join("");
}

// ofTable offers a table.
export function ofTable(name, table) {
  return button(say("tableCSV"), () => save(`${name}.csv`, types.csv, ["\ufeff", csv(table)]));
}

// Rows are the rows of a list, as the server writes them. `lists` are its queries in turn, of size rows a page: [{ path, params,
// total }]. run makes a download: it shows what goes on, and what went wrong.
export class Rows {
  constructor({ name, api, lists, size = pageSize, run }) {
    Object.assign(this, { name, api, lists, size, run, next: 0 });
    this.root = el("span", { class: "rows" });
    this.show();
  }

  pages() {
    return this.lists.flatMap(({ path, params, total }) =>
      Array.from({ length: Math.max(1, Math.ceil(total / this.size)) }, (_, i) => ({
        path,
        params: { ...params, page: i + 1, pageSize: this.size },
      })),
    );
  }

  show() {
    const rows = this.lists.reduce((sum, l) => sum + l.total, 0);
    const n = this.pages().length;
    this.root.replaceChildren(
      el("span", { class: "hint" }, say("rowsBehind", { n: rows })),
      button(n > 1 ? say("csvOf", { n }) : "CSV", () => this.run(() => this.csv())),
      button(n > 1 ? say("xlsxPart", { i: (this.next % n) + 1, n }) : "XLSX", () => this.run(() => this.xlsx())),
    );
  }

  // csv joins all pages into one file: the later ones without the line of names.
  async csv() {
    const parts = [];
    for (const { path, params } of this.pages()) {
      const bytes = new Uint8Array(await this.ask(path, params, "csv"));
      parts.push(parts.length ? bytes.subarray(bytes.indexOf(10) + 1) : bytes); // no name has a line end in it
    }
    save(`${this.name}.csv`, types.csv, parts);
  }

  // xlsx saves one page: a workbook is a file of its own. The next press saves the next one.
  async xlsx() {
    const pages = this.pages();
    const i = this.next % pages.length;
    const bytes = await this.ask(pages[i].path, pages[i].params, "xlsx");
    save(pages.length > 1 ? `${this.name}-${i + 1}.xlsx` : `${this.name}.xlsx`, types.xlsx, [bytes]);
    this.next = i + 1;
    this.show();
  }

  async ask(path, params, form) {
    const res = await this.api.get(path, params, types[form]);
    const got = res.headers.get("Content-Type") ?? "";
    if (!got.startsWith(types[form].split(";")[0])) throw new Trouble("form", form.toUpperCase());
    return this.api.read(res, "arrayBuffer");
  }
}
