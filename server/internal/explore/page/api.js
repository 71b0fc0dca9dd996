// The public API, as its clients ask it: with a key, within the rate, and from one snapshot.

const prefixes = { schools: "/api-platform/schools/v1", libraries: "/api-platform/libraries/v1" };
const xRate = (name) => `x-ratelimit-${name}-public-default`;

// Trouble is why there is no answer: "network", "key" (401), "gone" (410), "refused" (what was asked is not valid), "busy" (503, also
// when asked again), "fault", or "stopped" by the person.
export class Trouble extends Error {
  constructor(kind, detail = "") {
    super(`${kind} ${detail}`);
    this.kind = kind;
    this.detail = detail;
  }
}

// Api asks one of the two APIs for one view: all its answers are of the snapshot of the first one.
export class Api {
  snapshot = "";
  asked = 0; // requests that counted, or may have
  rate = null; // { limit, remaining, reset }, reset as a time of performance.now; null where there is no limit

  // told is called when the rate, or what is waited for, has changed: with the seconds of a wait, or 0.
  constructor(report, key, told) {
    this.report = report;
    this.key = key;
    this.told = told;
    this.stopping = new AbortController();
  }

  stop() {
    this.stopping.abort();
  }

  // another is for another view of the same key.
  another() {
    const next = new Api(this.report, this.key, this.told);
    next.rate = this.rate;
    return next;
  }

  // resume lets a stopped view go on.
  resume() {
    if (this.stopping.signal.aborted) this.stopping = new AbortController();
  }

  async json(path, params) {
    return this.read(await this.get(path, params), "json");
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

  // get answers a good response. It waits for the rate before it is used up, and where the server says so.
  async get(path, params = {}, accept = "application/json") {
    const query = new URLSearchParams(params);
    if (this.snapshot) query.set("snapshot", this.snapshot);
    for (let busy = 0; ;) {
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
    const headers = { "X-Api-Key": this.key, Accept: accept };
    let res;
    try {
      res = await fetch(url, { headers, signal: this.stopping.signal, cache: "no-store", credentials: "omit" });
    } catch {
      throw this.cutOff();
    }
    const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((name) => res.headers.get(xRate(name)));
    if (res.status !== 401) {
      this.asked++;
      this.rate = limit && { limit: +limit, remaining: +remaining, reset: performance.now() + reset * 1000 };
      this.told(0);
    }
    return res;
  }

  // wait lets the time of a wait pass, and says how much of it is left.
  async wait(ms) {
    const end = performance.now() + ms;
    for (let left = ms; left > 0; left = end - performance.now()) {
      this.told(Math.ceil(left / 1000));
      await new Promise((resolve) => setTimeout(resolve, Math.min(left, 1000)));
      if (this.stopping.signal.aborted) throw new Trouble("stopped");
    }
    if (this.rate) this.rate.remaining = null; // of a new minute: not known yet
    this.told(0);
  }
}

async function troubleOf(res) {
  const kind = { 401: "key", 410: "gone", 400: "refused", 404: "refused", 503: "busy" }[res.status] ?? "fault";
  let detail = "";
  try {
    detail = [(await res.json()).message].flat().join("; ");
  } catch {
    // an answer of something between: its status says enough
  }
  return new Trouble(kind, detail || String(res.status));
}
