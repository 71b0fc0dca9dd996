// The public API, as its clients ask it: with a key, within the rate, and from one snapshot.

const prefixes = { schools: "/api-platform/schools/v1", libraries: "/api-platform/libraries/v1" };
const xRate = (name) => `x-ratelimit-${name}-public-default`;

export const pageSize = 1000; // of the lists
export const groupPage = 100; // of summaries and the stock

// Trouble is why there is no answer: "network", "key" (401), "gone" (410), "refused" (the request is not valid), "busy" (503, also
// when asked again), "fault", or "stopped" by the person.
export class Trouble extends Error {
  constructor(kind, detail = "") {
    super(`${kind} ${detail}`);
    this.kind = kind;
    this.detail = detail;
  }
}

const options = (key, accept) => ({ headers: { "X-Api-Key": key, Accept: accept }, cache: "no-store", credentials: "omit" });

// networkOf asks the server for the network of a key: { report, name, today }.
export async function networkOf(key) {
  let network;
  try {
    const res = await fetch("/explore/network", options(key, "application/json"));
    if (!res.ok) throw await troubleOf(res);
    network = await res.json();
  } catch (e) {
    throw e instanceof Trouble ? e : new Trouble("network");
  }
  if (!network) throw new Trouble("key");
  return network;
}

// Api asks one of the two APIs. All its answers are of the snapshot of the first one, so that it keeps them.
export class Api {
  snapshot = "";
  since = performance.now();
  asked = 0; // requests that counted, or may have
  rate = null; // { remaining, reset }, reset as a time of performance.now; null where there is no limit
  answers = new Map();
  stopping = new AbortController();

  // told is called when a wait begins or goes on, with the seconds that are left of it, and with 0 at its end.
  constructor(report, key, told) {
    Object.assign(this, { report, key, told });
  }

  stop() {
    this.stopping.abort();
  }

  // resume lets a stopped API go on.
  resume() {
    if (this.stopping.signal.aborted) this.stopping = new AbortController();
  }

  async json(path, params) {
    const query = `${path}?${new URLSearchParams(params)}`;
    if (!this.answers.has(query)) this.answers.set(query, await this.read(await this.get(path, params), "json"));
    return this.answers.get(query);
  }

  // all returns the rows, or groups, of the first pages of a list, with the number that there are in all.
  async all(path, params, { size = groupPage, pages = Infinity, seen = () => {} } = {}) {
    const rows = [];
    for (let page = 1; ; page++) {
      const { data, meta } = await this.json(path, { ...params, page, pageSize: size });
      rows.push(...(data.rows ?? data.breakdown));
      const total = meta.page.totalRows;
      seen(Math.min(rows.length, total), total);
      if (page >= pages || page * size >= total) return { rows, total };
    }
  }

  // read returns the body of a response, which can be cut off as the response itself can.
  async read(res, form) {
    try {
      return await res[form]();
    } catch {
      throw this.cutOff();
    }
  }

  cutOff() {
    return new Trouble(this.stopping.signal.aborted ? "stopped" : "network");
  }

  // get returns a good response. It waits before the rate is used up, and where the server says so.
  async get(path, params = {}, accept = "application/json") {
    const query = new URLSearchParams(params);
    if (this.snapshot) query.set("snapshot", this.snapshot);
    for (let busy = 0; ; ) {
      if (this.rate?.remaining === 0) await this.wait(this.rate.reset - performance.now());
      const res = await this.fetch(`${prefixes[this.report]}/${path}?${query}`, accept);
      if (res.ok) {
        this.snapshot ||= res.headers.get("X-Snapshot") ?? "";
        return res;
      }
      const retry = Number(res.headers.get("Retry-After"));
      if (!(res.status === 429 || (res.status === 503 && retry && ++busy < 4))) throw await troubleOf(res);
      await this.wait(retry * 1000);
    }
  }

  async fetch(url, accept) {
    let res;
    try {
      res = await fetch(url, { ...options(this.key, accept), signal: this.stopping.signal });
    } catch {
      throw this.cutOff();
    }
    this.asked++;
    const [remaining, reset] = ["remaining", "reset"].map((name) => res.headers.get(xRate(name)));
    this.rate = remaining && { remaining: +remaining, reset: performance.now() + reset * 1000 };
    return res;
  }

  // wait lets time pass, and says how much of it is left.
  async wait(ms) {
    const end = performance.now() + ms;
    for (let left = ms; left > 0; left = end - performance.now()) {
      this.told(Math.ceil(left / 1000));
      await new Promise((resolve) => setTimeout(resolve, Math.min(left, 1000)));
      if (this.stopping.signal.aborted) throw new Trouble("stopped");
    }
    this.rate = null; // of a new minute: not known yet
    this.told(0);
  }
}

async function troubleOf(res) {
  const kind = { 401: "key", 410: "gone", 400: "refused", 404: "refused", 503: "busy" }[res.status] ?? "fault";
  let detail = "";
  try {
    detail = [(await res.json()).message].flat().join("; ");
  } catch {
    // an answer from something in between: its status says enough
  }
  return new Trouble(kind, detail || String(res.status));
}
