// The page that shows the numbers: it takes a key, asks for its network, and shows the view that the address names.
//
// The address says what is shown, in its fragment: period, school, profile and class. A choice changes the address, and the change
// of the address shows the view; so reload, bookmark and the back button work.

import { Api, networkOf, Trouble } from "./api.js";
import * as days from "./days.js";
import { LibrariesReport } from "./libraries.js";
import { el } from "./parts.js";
import { SchoolsReport } from "./schools.js";
import * as w from "./words.js";

const { say } = w;
const fresh = 600_000; // ms, after which a new view asks for the current data
const firstLook = 10; // requests to open a view at most, of which one asks for the network

const at = (id) => document.getElementById(id);
const histories = { schools: document.body.dataset.schoolsHistory, libraries: document.body.dataset.librariesHistory };
const reports = { schools: SchoolsReport, libraries: LibrariesReport };

// The key stays in the tab: in this storage, and nowhere else.
const stored = {
  get: () => JSON.parse(sessionStorage.getItem("lectern") ?? "null"),
  set: (value) => sessionStorage.setItem("lectern", JSON.stringify(value)),
  remove: () => sessionStorage.removeItem("lectern"),
};

let key = ""; // the one in use
let network = null; // the network of the key
let api = null;
let report = null;

// The address.

const fragment = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

// address is that of the present view with some choices changed; an empty choice is none.
function address(changes) {
  const choices = Object.entries({ ...fragment(), ...changes }).filter(([name, value]) => value && name !== "key");
  return "#" + new URLSearchParams(choices);
}

const replace = (hash) => history.replaceState(null, "", location.pathname + location.search + hash);

// go shows another view, which the back button leaves again.
function go(changes) {
  const hash = address(changes);
  if (hash === location.hash) show();
  else location.hash = hash;
}

// takeKey takes the key that a link brought out of the address, so that it is in no history.
function takeKey() {
  const brought = fragment().key;
  if (!brought) return;
  replace(address({}));
  use(brought);
}

// Views.

// show shows the view that the address names, in the place of the one before.
let wanted = 0;
function show() {
  const mine = ++wanted;
  api?.stop();
  report?.stale();
  return act(async () => {
    if (mine === wanted && key) await open();
  });
}

async function open() {
  if (!api || performance.now() - api.since > fresh) await begin();
  const { report: kind, today } = network;
  const asked = api.asked;
  let choice = fragment();
  if (choice.report && choice.report !== kind) choice = {}; // the address is of another key
  const periodOf = (period) => days.periodOf(period, histories[kind], today);
  if (!periodOf(choice.period ?? "")) {
    choice.period = days.month(today);
    const empty = !periodOf(choice.period) || (await report.isEmpty(api, periodOf(choice.period)));
    if (empty) choice.period = await report.latest(api, today);
  }
  const { period: chosen, school = "", profile = "", class: group = "" } = choice;
  replace("#" + new URLSearchParams(Object.entries({ report: kind, period: chosen, school, profile, class: group }).filter(([, v]) => v)));
  const period = periodOf(chosen);
  const before = days.before(chosen, period, histories[kind]);
  offer({ period: chosen, school, profile }, period);
  tell(before, period);
  at("open").hidden = true;
  if (!report.root.isConnected) {
    at("report").replaceChildren(report.root);
    report.stale();
  }
  const left = () => firstLook - 1 - (api.asked - asked);
  await report.show(api, { period, before, today, school, profile, group, left });
  stored.set({ key, accepted: true });
  offer({ period: chosen, school, profile }, period); // with the names of the schools
  warn(report.empty ? say(report.empty) : "");
  tell(before, period);
  at("report").dataset.view = location.hash; // which is shown whole now
  if (next) reveal(next);
}

// reveal brings the panel that a link of a table leads to into sight.
let next = ""; // the one that a person asked for
function reveal(name) {
  next = "";
  const { root } = report[name].panel;
  root.focus({ preventScroll: true });
  root.scrollIntoView();
}

// begin asks for the network of the key. The first answer of the API then fixes the snapshot.
async function begin() {
  const found = await networkOf(key);
  const former = network;
  network = found;
  api = new Api(found.report, key, waits);
  if (former?.report !== found.report || !report) {
    report = new reports[found.report]({ history: histories[found.report], run, again: show, address });
  }
  document.documentElement.dataset.report = found.report;
  at("heading").textContent = found.name;
  at("subject").textContent = say(`${found.report}Heading`);
  at("subject").hidden = at("controls").hidden = false;
  document.title = `${found.name} · Lectern`;
}

// tell says what is shown, and what with.
function tell(before, { startDate, endDate }) {
  const span = ({ startDate, endDate }) => say("span", { from: w.day(startDate), to: w.day(endDate) });
  const texts = [span({ startDate, endDate })];
  if (before) texts.push(say("compared", { with: span(before) }));
  if (report.updatedAt) texts.push(say("asOf", { at: `${w.day(report.updatedAt.slice(0, 10))}, ${report.updatedAt.slice(11, 16)}` }));
  at("status").dataset.told = texts.join(" · ");
}

// Actions: one at a time.

let last = Promise.resolve();

function act(action) {
  last = last.then(async () => {
    warn("");
    busy(true);
    api?.resume();
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

// run does something in the view that is shown, unless another one was chosen meanwhile.
function run(action) {
  const mine = wanted;
  return act(async () => {
    if (mine === wanted) await action();
  });
}

function busy(is) {
  at("state").hidden = !key;
  at("report").setAttribute("aria-busy", String(is));
  at("stop").hidden = !is;
  at("status").textContent = is ? say("loading") : (at("status").dataset.told ?? "");
}

// waits says for how many seconds the page waits for the rate.
function waits(seconds) {
  at("rate").textContent = seconds ? say("waitingFor", { n: seconds }) : "";
}

// warn shows a sentence, and what can be done about it.
function warn(text, label, todo) {
  at("alert").replaceChildren(
    ...(text ? [el("p", {}, text)] : []),
    ...(label ? [el("button", { type: "button", class: "button", onclick: todo }, label)] : []),
  );
}

// explain says what went wrong and what to do.
function explain(e) {
  const kind = e instanceof Trouble ? e.kind : "fault";
  if (!(e instanceof Trouble)) console.error(e);
  waits(0);
  switch (kind) {
    case "key": {
      const accepted = stored.get()?.accepted;
      forget();
      warn(say(accepted ? "keyEnded" : "keyWrong"));
      break;
    }
    case "gone":
      warn(say("gone"), say("refresh"), refresh);
      break;
    case "stopped":
      if (key && wanted === shown) warn(say("stopped"), say("again"), show);
      break;
    case "form":
      warn(say("otherForm", { form: e.detail }));
      break;
    case "network":
      warn(say("network"), say("again"), show);
      break;
    default:
      warn(say(kind, { detail: e.detail ?? String(e) }), say("again"), show);
  }
}

let shown = -1; // the view that a person stopped

function stop() {
  shown = wanted;
  api?.stop();
}

// The forms.

// use opens with a key.
function use(text) {
  api?.stop();
  if (text !== key) clear();
  key = text;
  if (stored.get()?.key !== key) stored.set({ key });
  return show();
}

function clear() {
  api = network = report = null;
  at("report").replaceChildren();
}

function refresh() {
  api?.stop();
  api = null;
  return show();
}

// forget takes the key out of the tab.
function forget() {
  wanted++;
  stored.remove();
  api?.stop();
  key = "";
  clear();
  warn("");
  replace("");
  at("heading").textContent = say("heading");
  document.title = say("title");
  delete document.documentElement.dataset.report;
  at("subject").hidden = at("controls").hidden = at("state").hidden = true;
  at("open").hidden = false;
  at("key").value = "";
  at("key").focus();
}

const option = (value, label) => el("option", { value }, label);

// offer shows what can be chosen, and what is.
function offer({ period, school, profile }, { startDate, endDate }) {
  const { report: kind, today } = network;
  const months = days.months(histories[kind], today).reverse();
  const years = [...new Set(months.map((m) => m.slice(0, 4)))];
  at("period").replaceChildren(
    el("optgroup", { label: say("months") }, ...months.map((m) => option(m, w.month(m)))),
    option("last30", say("last30")),
    ...years.map((y) => option(y, say("year", { year: y }))),
    option("dates", say("otherDates")),
  );
  const own = period.includes("..");
  at("period").value = own ? "dates" : period;
  at("dates").hidden = !own;
  [at("from").value, at("to").value] = [startDate, endDate];
  at("from").min = at("to").min = histories[kind];
  at("from").max = at("to").max = today;

  const schools = [...(report.schools ?? [])].sort((a, b) => w.natural(a[1], b[1]));
  if (school && !report.schools?.has(school)) schools.unshift([school, school]);
  at("school").replaceChildren(option("", say("allSchools")), ...schools.map(([id, name]) => option(id, name)));
  at("school").value = school;
  at("profile").value = profile;
  const chosen = ["period", "school", "profile"].filter((id) => kind === "schools" || id === "period");
  at("controls").firstElementChild.textContent = chosen.map((id) => at(id).selectedOptions[0]?.textContent ?? "").join(" · ");
}

at("open").addEventListener("submit", (e) => {
  e.preventDefault();
  use(at("key").value.trim()).then(() => at("open").hidden && (at("period").checkVisibility() ? at("period") : at("report")).focus());
});

at("choose").addEventListener("submit", (e) => {
  e.preventDefault();
  if (at("period").value === "dates" && at("from").value && at("to").value) {
    const [from, to] = [at("from").value, at("to").value].sort();
    go({ period: `${from}..${to}` });
  }
});

at("period").addEventListener("change", () => {
  const own = at("period").value === "dates";
  at("dates").hidden = !own;
  if (own) at("from").focus();
  else go({ period: at("period").value });
});

at("school").addEventListener("change", () => go({ school: at("school").value, class: "" }));
at("profile").addEventListener("change", () => go({ profile: at("profile").value }));
at("refresh").addEventListener("click", refresh);
at("print").addEventListener("click", () => print());
at("forget").addEventListener("click", forget);
at("stop").addEventListener("click", stop);
at("language").addEventListener("click", () => (at("language").href = at("language").href.replace(/#.*|$/, location.hash)));
document.querySelector(".skip").addEventListener("click", (e) => {
  e.preventDefault();
  at("report").focus();
});

at("report").addEventListener("click", (e) => {
  const from = e.target.closest("tbody a")?.closest("[data-panel]").dataset.panel;
  if (from) next = from === "schools" ? "classes" : "pupils";
});

addEventListener("hashchange", () => (fragment().key ? takeKey() : show()));

// On a phone the controls are folded, so that the numbers come first.
const wide = matchMedia("(min-width: 40.01rem)");
const unfold = () => (at("controls").open = wide.matches);
wide.addEventListener("change", unfold);
unfold();

const former = stored.get();
if (fragment().key) takeKey();
else if (former) use(former.key);
