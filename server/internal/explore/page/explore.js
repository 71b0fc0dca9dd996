// The page that shows the numbers: it takes a key, finds out whose it is, and shows one view of the report that goes with it.

import { Api, Trouble } from "./api.js";
import * as days from "./days.js";
import { LibrariesReport } from "./libraries.js";
import { el } from "./parts.js";
import { SchoolsReport } from "./schools.js";
import * as w from "./words.js";

const { say } = w;
const firstLook = 10; // requests
const redrawn = 5; // requests, after which a long load shows what it has

const at = (id) => document.getElementById(id);
const histories = { schools: document.body.dataset.schoolsHistory, libraries: document.body.dataset.librariesHistory };
const kinds = Object.keys(histories);

// The key stays in the tab: in this storage, and nowhere else.
const stored = {
  get: () => JSON.parse(sessionStorage.getItem("lectern") ?? "null"),
  set: (value) => sessionStorage.setItem("lectern", JSON.stringify(value)),
  remove: () => sessionStorage.removeItem("lectern"),
};

let view = null; // the report that is shown
let credentials = null; // { key, report }, report where it is known
let schools = new Map(); // the names of the schools that were seen, by id

// Views.

// params are what the person chose.
function params(kind) {
  const chosen = { ...periodOf(kind, at("period").value) };
  if (kind !== "schools") return chosen;
  for (const [name, id] of [
    ["schoolId", "school"],
    ["profile", "profile"],
  ]) {
    if (at(id).value) chosen[name] = at(id).value;
  }
  return chosen;
}

function make(kind, api) {
  const run = (action) => act(view, action);
  return kind === "schools" ? new SchoolsReport(api, params(kind), run) : new LibrariesReport(api, params(kind), run, histories.libraries);
}

// recognise makes the first request of a view: of the report that is known or told, then of the other one. A key that is of neither
// API is refused by both.
async function recognise() {
  const asked = credentials;
  const order = kinds.toSorted((a, b) => (b === asked.report) - (a === asked.report));
  for (const kind of order) {
    const api = view?.kind === kind && view.api.key === asked.key ? view.api.another() : new Api(kind, asked.key, showRate);
    view = make(kind, api);
    try {
      await view.begin();
      if (asked !== credentials) throw new Trouble("stopped"); // the key was forgotten meanwhile
      credentials.report = kind;
      stored.set({ ...credentials, accepted: true });
      return;
    } catch (e) {
      if (e.kind !== "key" || kind === order.at(-1)) throw e;
    }
  }
}

// show makes a new view, in the place of the one before.
let wanted = 0;
async function show() {
  view?.api.stop();
  const mine = ++wanted;
  await act(null, async () => {
    if (mine !== wanted) return; // another choice came meanwhile
    at("more").hidden = true;
    const chosen = at("period").value;
    await recognise();
    if (chosen === "") offerPeriods(view.kind, view.period.endDate); // today, by the server's clock
    await view.fill(firstLook - view.api.asked, progress);
    reveal();
  });
}

// reveal shows the view whole.
function reveal() {
  document.documentElement.dataset.report = view.kind;
  at("heading").textContent = say(`${view.kind}Heading`);
  document.title = `${at("heading").textContent} · Lectern`;
  at("open").hidden = true;
  at("choose").hidden = false;
  if (at("report").firstChild !== view.root) at("report").replaceChildren(view.root);
  redraw();
  offerSchools();
}

function redraw() {
  view.render();
  const { left, period } = view;
  at("more").hidden = left === 0;
  if (left) at("more").firstElementChild.textContent = say("more", { part: view.more, n: left, time: w.about(seconds(left)) });
  at("status").textContent = say(view.kind === "libraries" && view.updatedAt ? "shownAsOf" : "shown", {
    from: w.day(period.startDate),
    to: w.day(period.endDate),
    at: view.updatedAt ? `${w.day(view.updatedAt.slice(0, 10))}, ${view.updatedAt.slice(11, 16)}` : "",
  });
  if (view.empty) tell(say(view.empty));
}

// seconds is about how long so many requests take: those that the minute has no room for wait for the next ones.
function seconds(requests) {
  const rate = view.api.rate;
  const over = rate ? requests - (rate.remaining ?? rate.limit) : 0;
  return requests / 5 + (over > 0 ? Math.ceil(over / rate.limit) * 60 : 0);
}

// more asks for what the first look left out, and shows it as it comes.
function more() {
  let made = 0;
  act(view, async () => {
    at("more").hidden = true;
    try {
      await view.fill(Infinity, () => {
        progress();
        if (++made % redrawn === 0) view.render();
      });
    } finally {
      redraw();
    }
  });
}

// Actions: one at a time.

let last = Promise.resolve();

// act does something for a view when what goes on has ended, unless another view was opened meanwhile. Null is for any.
function act(owner, action) {
  last = last.then(async () => {
    if (owner && owner !== view) return;
    tell("");
    busy(true);
    view?.api.resume();
    try {
      await action();
    } catch (e) {
      explain(e);
    } finally {
      busy(false);
    }
  });
  return last;
}

function busy(is) {
  at("state").hidden = !is && !view;
  at("report").setAttribute("aria-busy", String(is));
  at("stop").hidden = !is;
  if (is) at("status").textContent = say("loading");
}

// progress tells now and then: it is read aloud.
function progress() {
  if (view.api.asked % redrawn === 0) at("status").textContent = say("progress", { n: view.api.asked });
}

// showRate tells what is left of the rate, and what is waited for.
let fresh;
function showRate(waiting) {
  if (!view) return; // the key was forgotten meanwhile
  const { rate } = view.api;
  clearTimeout(fresh);
  at("rate").classList.toggle("waits", waiting > 0);
  if (waiting) {
    at("rate").textContent = say("waitingFor", { n: waiting });
  } else if (rate) {
    const tellLeft = (remaining) => (at("rate").textContent = say("rate", { remaining, limit: rate.limit }));
    tellLeft(rate.remaining ?? rate.limit);
    fresh = setTimeout(() => tellLeft(rate.limit), rate.reset - performance.now());
  } else {
    at("rate").textContent = "";
  }
}

// tell shows a sentence, and what can be done about it.
function tell(text, label, todo) {
  at("alert").replaceChildren(
    ...(text ? [el("p", {}, text)] : []),
    ...(label ? [el("button", { type: "button", onclick: todo }, label)] : []),
  );
}

// explain says what went wrong and what to do.
function explain(e) {
  const kind = e instanceof Trouble ? e.kind : "fault";
  if (!(e instanceof Trouble)) console.error(e);
  const again = () => show();
  at("status").textContent = "";
  switch (kind) {
    case "key":
      tell(say(stored.get()?.accepted ? "keyEnded" : "keyWrong"));
      forget({ telling: true });
      break;
    case "gone":
      tell(say("gone"), say("refresh"), again);
      break;
    case "stopped":
      if (credentials && !view?.parts) tell(say("stopped"), say("again"), again);
      break;
    case "form":
      tell(say("otherForm", { form: e.detail }));
      break;
    case "network":
      tell(say("network"), say("again"), again);
      break;
    default:
      tell(say(kind, { detail: e.detail ?? String(e) }), say("again"), again);
  }
}

// The forms.

// forget takes the key out of the tab.
function forget({ telling = false } = {}) {
  wanted++;
  stored.remove();
  view?.api.stop();
  credentials = view = null;
  schools = new Map();
  at("school").value = at("profile").value = at("period").value = "";
  if (!telling) tell("");
  at("report").replaceChildren();
  at("heading").textContent = say("heading");
  document.title = say("title");
  delete document.documentElement.dataset.report;
  at("choose").hidden = at("more").hidden = at("state").hidden = true;
  at("open").hidden = false;
  at("rate").textContent = at("status").textContent = "";
  at("key").value = "";
  at("key").focus();
}

// use opens with a key, and a report where it is told.
function use(key, report) {
  view?.api.stop();
  credentials = { key, report };
  stored.set(credentials);
  schools = new Map();
  offerPeriods(report ?? kinds[0], days.today());
  at("period").value = at("school").value = at("profile").value = "";
  return show();
}

// fromLink takes the key that a link brought out of the address, so that it is in no history.
function fromLink() {
  const link = new URLSearchParams(location.hash.slice(1));
  if (!link.get("key")) return false;
  history.replaceState(null, "", location.pathname);
  use(
    link.get("key"),
    kinds.find((k) => k === link.get("report")),
  );
  return true;
}

// periodOf is a choice of the list as parameters of the API: none for its own last 30 days.
function periodOf(kind, choice) {
  if (choice === "") return {};
  if (choice === "dates") return { startDate: at("from").value, endDate: at("to").value };
  const [first, end] = choice.length === 4 ? [`${choice}-01-01`, `${choice}-12-31`] : [`${choice}-01`, days.lastOf(choice)];
  const start = histories[kind] > first ? histories[kind] : first;
  return { startDate: start, endDate: end < today ? end : today };
}

let today = days.today();

// offerPeriods lists the years and months that have a history.
function offerPeriods(kind, end) {
  today = end;
  const months = days.months(histories[kind], end).reverse();
  const years = [...new Set(months.map((m) => m.slice(0, 4)))];
  const option = (value, label) => el("option", { value }, label);
  const chosen = at("period").value;
  at("period").replaceChildren(
    option("", say("last30")),
    ...years.map((y) => option(y, say("year", { year: y }))),
    el("optgroup", { label: say("months") }, ...months.map((m) => option(m, w.month(m)))),
    option("dates", say("otherDates")),
  );
  at("period").value = chosen;
  at("from").min = at("to").min = histories[kind];
  at("from").max = at("to").max = end;
}

// offerSchools lists the schools that any view showed.
function offerSchools() {
  if (view.kind !== "schools") return;
  for (const [id, name] of view.schools) schools.set(id, name);
  const chosen = at("school").value;
  const all = at("school").firstElementChild;
  at("school").replaceChildren(
    all,
    ...[...schools]
      .sort((a, b) => a[1].localeCompare(b[1], w.lang, { numeric: true }))
      .map(([id, name]) => el("option", { value: String(id) }, name)),
  );
  at("school").value = chosen;
}

at("open").addEventListener("submit", (e) => {
  e.preventDefault();
  use(at("key").value.trim()).then(() => at("open").hidden && at("period").focus());
});

at("choose").addEventListener("submit", (e) => {
  e.preventDefault();
  show();
});

at("period").addEventListener("change", () => {
  const own = at("period").value === "dates";
  at("dates").hidden = !own;
  at("from").required = at("to").required = own;
  if (!own) return show();
  at("from").value ||= view?.period.startDate;
  at("to").value ||= view?.period.endDate;
  at("from").focus();
});

for (const id of ["school", "profile"]) at(id).addEventListener("change", () => show());
at("refresh").addEventListener("click", () => show());
at("forget").addEventListener("click", () => forget());
at("stop").addEventListener("click", () => view?.api.stop());
at("more").lastElementChild.addEventListener("click", more);
addEventListener("hashchange", fromLink);

offerPeriods(kinds[0], today);
if (!fromLink()) {
  const former = stored.get();
  if (former) {
    credentials = former;
    show();
  }
}
