// Days and months as texts, YYYY-MM-DD and YYYY-MM, as the API has them: of Brasilia, at UTC-3.

const msDay = 86_400_000;
const number = (day) => Date.parse(day) / msDay;
const text = (n) => new Date(n * msDay).toISOString().slice(0, 10);

export const add = (day, n) => text(number(day) + n);
export const count = (from, to) => number(to) - number(from) + 1;
export const month = (day) => day.slice(0, 7);

// ofInstant is the day of Brasilia of a time in UTC.
export const ofInstant = (time) => new Date(Date.parse(time) - 3 * 3_600_000).toISOString().slice(0, 10);
export const today = () => ofInstant(new Date().toISOString());

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
