// This page shows the three APIs, one document at a time, and lets a person try them. It adds the key's header, or the directory's
// signature, to each call. It sends requests to this server only.
"use strict";

const apis = ["schools", "libraries", "directory"];
const chosen = new URLSearchParams(location.search).get("api");
const api = apis.includes(chosen) ? chosen : apis[0];
const signed = api === "directory";

for (const a of document.querySelectorAll("#apis a")) {
  if (new URLSearchParams(a.search).get("api") === api) a.setAttribute("aria-current", "page");
}
const language = document.getElementById("language");
const { search } = language;
// The switch of the language keeps the API and the open route.
language.addEventListener("click", () => {
  language.search = `${search}&api=${api}`;
  language.hash = location.hash;
});

// The viewer has its own dark style, which a class on the page turns on.
const dark = matchMedia("(prefers-color-scheme: dark)");
const shade = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", shade);
shade();

for (const form of document.querySelectorAll("form")) {
  form.hidden = form.matches(".signature") !== signed;
  form.addEventListener("submit", (e) => e.preventDefault());
}

const field = (id) => document.getElementById(id).value.trim();
const bytes = (text) => new TextEncoder().encode(text);
const base64 = (hash) => btoa(String.fromCharCode(...hash));

// Browsers have no hash functions on a page that comes over plain HTTP from another machine.
const hashes = signed && Promise.all([import("/docs/noble-hashes/hmac.js"), import("/docs/noble-hashes/sha2.js")]);

// sign adds the headers of a directory call: its date as X-Date, since a browser does not let a page set Date, the hash of its body,
// and the HMAC of METHOD,content-type,content-hash,path?query,date.
async function sign(request) {
  const [{ hmac }, { sha256 }] = await hashes;
  const method = request.method.toUpperCase();
  const url = new URL(request.url, location.href);
  const date = new Date().toUTCString();
  const body = typeof request.body === "string" ? request.body : "";
  const typeName = Object.keys(request.headers).find((h) => h.toLowerCase() === "content-type");
  const type = body && typeName ? request.headers[typeName] : "";
  let hash = "";
  if (body || method === "POST" || method === "PUT") {
    hash = base64(sha256(bytes(body)));
    request.headers["X-Authorization-Content-SHA256"] = hash;
  }
  const canonical = [method, type, hash, url.pathname + url.search, date].join(",");
  const signature = base64(hmac(sha256, bytes(field("secret")), bytes(canonical)));
  request.headers["X-Date"] = date;
  request.headers.Authorization = `APIAuth-HMAC-SHA256 ${field("key-id")}:${signature}`;
}

// name gives a control without a name one that a screen reader can read: that of its parameter, or of its purpose.
function name(control) {
  if (control.labels?.length || control.hasAttribute("aria-label") || control.hasAttribute("aria-labelledby")) return;
  const parameter = control.closest("[data-param-name]")?.dataset.paramName;
  const body = control.closest(".opblock-section-request-body") && "Request body";
  control.setAttribute("aria-label", parameter || body || control.title || control.placeholder || "Value");
}

const routes = document.getElementById("routes");
new MutationObserver(() => {
  routes.querySelectorAll("select, input, textarea").forEach(name);
  for (const example of routes.querySelectorAll(".microlight")) example.tabIndex = 0; // it scrolls
  // A link inside a button is not allowed. Opening an operation still puts it into the address.
  for (const a of routes.querySelectorAll("button a[href], [role=button] a[href]")) a.removeAttribute("href");
}).observe(routes, { childList: true, subtree: true });

SwaggerUIBundle({
  url: `/openapi/${api}.json`,
  dom_id: "#routes",
  validatorUrl: null,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  async requestInterceptor(request) {
    if (request.loadSpec) return request;
    if (signed) {
      if (field("secret")) await sign(request);
    } else if (field("key")) {
      request.headers["X-Api-Key"] = field("key");
    }
    return request;
  },
});
