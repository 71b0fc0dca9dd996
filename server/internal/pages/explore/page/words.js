// The texts of the page in its language, and numbers and days as that language writes them.

const words = JSON.parse(document.getElementById("words").textContent);

export const lang = document.documentElement.lang;

const plurals = new Intl.PluralRules(lang);

// say returns a text with its places filled in. A text in several forms is chosen by the number n. Numbers are written out.
export function say(name, values = {}) {
  let text = words[name];
  if (text === undefined) throw new Error(`no text ${name}`);
  if (typeof text === "object") text = text[plurals.select(values.n)] ?? text.other;
  return text.replace(/\{(\w+)\}/g, (_, key) => (typeof values[key] === "number" ? number(values[key]) : values[key]));
}

const whole = new Intl.NumberFormat(lang);
const decimal = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
const tenth = new Intl.NumberFormat(lang, decimal);
const share = new Intl.NumberFormat(lang, { style: "percent", ...decimal });
const signed = new Intl.NumberFormat(lang, { style: "percent", maximumFractionDigits: 0, signDisplay: "exceptZero" });

export const number = (n) => whole.format(n);
export const percent = (fraction) => share.format(fraction);
export const minutes = (n) => tenth.format(n);
export const change = (fraction) => signed.format(fraction).replace("-", "−");

// hours writes minutes as hours, and minutes where there are few.
export const hours = (minutes) =>
  say(minutes < 600 ? "hoursMinutes" : "hours", { h: Math.floor(minutes / 60), m: Math.floor(minutes % 60) });

// Days are texts as the API has them; they are of no zone.
const format = (options) => {
  const f = new Intl.DateTimeFormat(lang, { timeZone: "UTC", ...options });
  return (day) => f.format(new Date(day.length === 7 ? day + "-01" : day));
};

const portuguese = lang.startsWith("pt"); // where days in figures are the custom, and mean but one thing
const figures = { day: "2-digit", month: "2-digit" };

export const day = format({ ...(portuguese ? figures : { day: "numeric", month: "short" }), year: "numeric" });
export const dayOfWeek = format({ weekday: "short", day: "numeric", month: "short" });
export const month = format({ month: "long", year: "numeric" });
export const shortDay = format(portuguese ? figures : { day: "numeric", month: "short" });
const monthName = format({ month: "short" });
export const shortMonth = (m) => `${monthName(m)} ${m.slice(0, 4)}`;

// firstOfMonth names the month on its first day, and nothing on others.
export const firstOfMonth = (day) => (day.endsWith("-01") ? monthName(day) : "");

// natural compares names as people order them: Infantil, 1º … 9º ano, 1ª … 3ª série; Até 6, 7 a 9, 10 a 12, 60 ou mais.
export const natural = (a, b) => rank(a) - rank(b) || a.localeCompare(b, lang, { numeric: true });

const rank = (name) => {
  const at = [/^(infantil|até|up to|under) /i, null, /^\d+\s*[ªa.]?\s*série/i, /^(mais de|acima de|over) /i].findIndex((r) => r?.test(name));
  return at < 0 ? 1 : at;
};
