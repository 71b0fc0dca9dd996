// The parts of the reports: panels and tiles.

import { change, say } from "./words.js";

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

export const button = (label, act) => el("button", { type: "button", class: "button quiet", onclick: act }, label);

// Tiles shows a few numbers with their names. A tile of the period also shows the change against the period before; `now` marks one
// that is not of the period.
export class Tiles {
  root = el("dl", { class: "tiles wide" });

  set(tiles) {
    this.root.classList.remove("stale");
    this.root.replaceChildren(
      ...tiles.map(({ name, label, value, before, show, now = false, hint = "" }) =>
        el(
          "div",
          {},
          el("dt", {}, label),
          el("dd", { "data-figure": name }, show(value)),
          el("dd", { class: "change" }, ...(now ? [el("span", { class: "now" }, say("now"))] : versus(value, before, show))),
          ...(hint ? [el("dd", { class: "change" }, hint)] : []),
        ),
      ),
    );
  }
}

// versus says how a number changed; before is null where there is nothing to compare with.
function versus(value, before, show) {
  if (before === null) return ["–"];
  const text = value === before ? change(0) : before === 0 ? "–" : change(value / before - 1);
  return [el("b", {}, text), " ", say("before", { n: show(before) })];
}

// panel is a part of the report with its heading; note says how it is counted, part what of it is shown, and folded is the table of
// its chart, which a person opens.
export function panel({ name, title, note = "", wide = false, folded = null }, ...body) {
  const heading = el("h2", { id: id() }, title);
  const hint = el("p", { class: "hint", hidden: note ? null : "" }, note);
  const part = el("p", { class: "part", hidden: "" });
  const offers = el("p");
  const folds = [
    ...(folded ? [el("details", {}, el("summary", {}, say("table")), folded.root)] : []),
    el("details", { class: "downloads" }, el("summary", {}, say("download")), offers),
  ];
  const root = el(
    "section",
    { class: wide ? "panel wide" : "panel", tabindex: "-1", "aria-labelledby": heading.id, "data-panel": name },
    heading,
    hint,
    part,
    ...body,
    el("div", { class: "folds" }, ...folds),
  );
  const set = (e) => (text) => {
    e.textContent = text;
    e.hidden = !text;
  };
  return {
    root,
    setTitle: (text) => (heading.textContent = text),
    setNote: set(hint),
    setPart: set(part),
    wait: () => root.classList.add("stale"),
    // show says that the panel is of the present question, and what it offers to save.
    show(...downloads) {
      root.classList.remove("stale");
      offers.replaceChildren(...downloads);
    },
  };
}
