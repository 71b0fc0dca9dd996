// Days and months as texts, YYYY-MM-DD and YYYY-MM, as the API has them: of Brasilia, at UTC-3.

const msDay = 86_400_000;
const number = (day) => Date.parse(day) / msDay;
const text = (n) => new Date(n * msDay).toISOString().slice(0, 10);

export const add = (day, n) => text(number(day) + n);
export const count = (from, to) => number(to) - number(from) + 1;
export const month = (day) => day.slice(0, 7);
const weekday = (day) => new Date(day).getUTCDay();
export const isMonday = (day) => weekday(day) === 1;
export const isWeekend = (day) => weekday(day) % 6 === 0;

// ofInstant is the day of Brasilia of a time in UTC.
export const ofInstant = (time) => new Date(Date.parse(time) - 3 * 3_600_000).toISOString().slice(0, 10);

// each lists the days from one to another, both included.
export const each = (from, to) => Array.from({ length: Math.max(0, count(from, to)) }, (_, i) => add(from, i));

// lastOf is the last day of a month.
export function lastOf(month) {
  const [year, m] = month.split("-").map(Number);
  return new Date(Date.UTC(year, m, 0)).toISOString().slice(0, 10);
}

// months lists the months from one day's to another's.
export function months(from, to) {
  const found = [];
  for (let m = month(from); m <= month(to); m = month(add(lastOf(m), 1))) found.push(m);
  return found;
}

// spans cuts a period into spans of so many days, the last one shorter.
export function spans(from, to, days) {
  const found = [];
  for (let start = from; start <= to; start = add(start, days)) {
    const end = add(start, days - 1);
    found.push({ startDate: start, endDate: end < to ? end : to });
  }
  return found;
}

// periodOf is a choice as a period, cut to what has a history: a year, a month, "last30", or two days. Null is for anything else.
export function periodOf(choice, history, today) {
  const day = /^\d{4}-\d\d-\d\d$/;
  let [from, to] = choice.split("..");
  if (choice === "last30") [from, to] = [add(today, -29), today];
  else if (/^\d{4}$/.test(choice)) [from, to] = [`${choice}-01-01`, `${choice}-12-31`];
  else if (/^\d{4}-(0[1-9]|1[0-2])$/.test(choice)) [from, to] = [`${choice}-01`, lastOf(choice)];
  if (!day.test(from) || !day.test(to ?? "") || Number.isNaN(number(from)) || Number.isNaN(number(to))) return null;
  if (from < history) from = history;
  if (to > today) to = today;
  return from <= to ? { startDate: from, endDate: to } : null;
}

// before is the period that a chosen one is compared with: as many days of the month or year before, or the days just before. It is
// null where the history does not have all of it.
export function before(choice, { startDate, endDate }, history) {
  const n = count(startDate, endDate);
  let start = add(startDate, -n);
  let end = add(startDate, -1);
  const back = { 4: 12, 7: 1 }[choice.length];
  if (back && startDate.endsWith(choice.length === 4 ? "-01-01" : "-01")) {
    const shift = (m) => new Date(Date.UTC(+m.slice(0, 4), +m.slice(5, 7) - 1 - back)).toISOString().slice(0, 7);
    const last = lastOf(shift(endDate));
    start = `${shift(startDate)}-01`;
    end = endDate === lastOf(endDate) ? last : `${shift(endDate)}${endDate.slice(7)}`;
    if (end > last) end = last;
  }
  return start >= history ? { startDate: start, endDate: end } : null;
}
