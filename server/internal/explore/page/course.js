// What happened in a library network over a period, by day where few requests give it, else by week or month.

import * as days from "./days.js";
import { Pages, pageSize } from "./pages.js";
import * as w from "./words.js";

const window = 31; // days, the most that engagements take at once
const metrics = ["loans", "readings10", "readings50"];

export class Course {
  unit = "Day";
  points = [];
  lists = null; // the queries of engagements and their rows, once they are known

  // summarised is the summary of the whole period.
  constructor(api, { startDate, endDate }, summarised) {
    Object.assign(this, { api, startDate, endDate, summarised });
  }

  // A row of engagements has activity, or is an automatic expiry, which is one of the returns: so there are no more rows than
  // these. Every window may end with a page that is not full.
  get pages() {
    const { logins, returns } = this.summarised.general;
    return days.spans(this.startDate, this.endDate, window).length + Math.floor((logins + returns) / pageSize);
  }

  // byDayCosts is the number of requests for every day: pages of rows, or a summary for each day.
  get byDayCosts() {
    return Math.min(this.pages, days.count(this.startDate, this.endDate));
  }

  get left() {
    return this.unit === "Day" ? 0 : this.byDayCosts;
  }

  // part says what is shown.
  get part() {
    return w.say(`by${this.unit}`);
  }

  // fill makes so many requests at most.
  async fill(requests, seen) {
    const weeks = days.spans(this.startDate, this.endDate, 7);
    const months = days.months(this.startDate, this.endDate).map((m) => this.within(m));
    if (this.byDayCosts <= requests) await this.byDay(seen);
    else if (weeks.length <= requests) await this.bySummaries("Week", weeks, week, seen);
    else if (months.length <= requests) await this.bySummaries("Month", months, month, seen);
    else this.byMonths();
  }

  // within is the part of a month that is in the period.
  within(m) {
    const [first, last] = [`${m}-01`, days.lastOf(m)];
    return { startDate: first > this.startDate ? first : this.startDate, endDate: last < this.endDate ? last : this.endDate };
  }

  async byDay(seen) {
    if (this.pages <= days.count(this.startDate, this.endDate)) await this.byEngagements(seen);
    else await this.bySummaries("Day", days.spans(this.startDate, this.endDate, 1), oneDay, seen);
  }

  async byEngagements(seen) {
    const found = new Map(
      days.each(this.startDate, this.endDate).map((day) => [day, { active: 0, loans: 0, readings10: 0, readings50: 0 }]),
    );
    const fold = (rows) => {
      for (const row of rows) {
        const d = found.get(row.date);
        d.active += row.logins;
        for (const m of metrics) d[m] += row[m];
      }
    };
    const lists = days.spans(this.startDate, this.endDate, window).map((span) => new Pages(this.api, "engagements", span, { fold }));
    for (const list of lists) {
      while (list.left > 0) {
        await list.step();
        await seen();
      }
    }
    this.lists = lists.map(({ path, params, total }) => ({ path, params, total }));
    this.show(
      "Day",
      [...found].map(([day, values]) => ({ ...oneDay({ startDate: day }), values })),
    );
  }

  // bySummaries asks one summary for each span.
  async bySummaries(unit, spans, name, seen) {
    const points = [];
    for (const span of spans) {
      const { general } = (await this.api.json("summary", span)).data;
      points.push({ ...name(span), values: { active: general.usersWithLogin, ...pick(general) } });
      await seen();
    }
    this.show(unit, points);
  }

  // byMonths takes what the summary has by month, which is not the activity.
  byMonths() {
    this.show(
      "Months",
      this.summarised.monthly.map((m) => ({ ...month({ startDate: m.month }), values: { active: null, ...pick(m) } })),
    );
  }

  show(unit, points) {
    Object.assign(this, { unit, points });
  }
}

const pick = (values) => Object.fromEntries(metrics.map((m) => [m, values[m]]));
const oneDay = ({ startDate }) => ({ label: w.dayOfWeek(startDate), short: w.shortDay(startDate), first: w.firstOfMonth(startDate) });
const week = ({ startDate, endDate }) => ({
  label: w.say("span", { from: w.shortDay(startDate), to: w.shortDay(endDate) }),
  short: w.shortDay(startDate),
});
const month = ({ startDate }) => ({ label: w.month(startDate.slice(0, 7)), short: w.shortMonth(startDate.slice(0, 7)) });
