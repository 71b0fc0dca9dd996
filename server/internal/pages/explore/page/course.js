// The activity of a library network over a period: by day if that takes few requests, else by week or month.

import { pageSize } from "./api.js";
import * as days from "./days.js";
import * as w from "./words.js";

const window = 31; // days, the most that engagements take at once
const metrics = ["loans", "readings10", "readings50"];

export class Course {
  unit = "";
  points = []; // { at, to, values }: a day, or the first and the last day of more
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

  // fill makes so many requests at most.
  async fill(requests) {
    const weeks = days.spans(this.startDate, this.endDate, 7);
    const months = days.months(this.startDate, this.endDate).map((m) => this.within(m));
    if (this.byDayCosts <= requests) await this.byDay();
    else if (weeks.length <= requests) await this.bySummaries("Week", weeks);
    else if (months.length <= requests) await this.bySummaries("Month", months);
    else this.byMonths(months);
  }

  // within is the part of a month that is in the period.
  within(m) {
    const [first, last] = [`${m}-01`, days.lastOf(m)];
    return { startDate: first > this.startDate ? first : this.startDate, endDate: last < this.endDate ? last : this.endDate };
  }

  async byDay() {
    if (this.pages <= days.count(this.startDate, this.endDate)) await this.byEngagements();
    else await this.bySummaries("Day", days.spans(this.startDate, this.endDate, 1));
  }

  async byEngagements() {
    const zero = { active: 0, loans: 0, readings10: 0, readings50: 0 };
    const found = new Map(days.each(this.startDate, this.endDate).map((day) => [day, { ...zero }]));
    this.lists = [];
    for (const params of days.spans(this.startDate, this.endDate, window)) {
      const { rows, total } = await this.api.all("engagements", params, { size: pageSize });
      for (const row of rows) {
        const d = found.get(row.date);
        d.active += row.logins;
        for (const m of metrics) d[m] += row[m];
      }
      this.lists.push({ path: "engagements", params, total });
    }
    this.unit = "Day";
    this.points = [...found].map(([at, values]) => ({ at, to: at, values }));
  }

  // bySummaries asks one summary for each span.
  async bySummaries(unit, spans) {
    const points = [];
    for (const span of spans) {
      const { general } = (await this.api.json("summary", span)).data;
      points.push({ at: span.startDate, to: span.endDate, values: { active: general.usersWithLogin, ...general } });
    }
    Object.assign(this, { unit, points });
  }

  // byMonths takes what the summary has by month, which is not the activity.
  byMonths(months) {
    const of = new Map(this.summarised.monthly.map((m) => [m.month, m]));
    this.unit = "Months";
    this.points = months.map(({ startDate, endDate }) => {
      const known = of.get(days.month(startDate));
      return { at: startDate, to: endDate, values: { active: null, loans: 0, readings10: 0, readings50: 0, ...known } };
    });
  }

  // pointName names a point in a table, and short on an axis.
  pointName({ at, to }) {
    if (this.unit === "Day") return w.dayOfWeek(at);
    return this.unit === "Week" ? w.say("span", { from: w.shortDay(at), to: w.shortDay(to) }) : w.month(days.month(at));
  }

  short({ at }) {
    return this.unit.startsWith("Month") ? w.shortMonth(days.month(at)) : w.shortDay(at);
  }
}
