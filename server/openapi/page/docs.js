// The page to read and try the three APIs: one document at a time, with the key's header, or the directory's signature, put
// on each call here. Nothing is asked of another host.
"use strict";

const apis = ["schools", "libraries", "directory"];
const asked = new URLSearchParams(location.search).get("api");
const api = apis.includes(asked) ? asked : apis[0];
const signed = api === "directory";

for (const a of document.querySelectorAll("nav a")) {
  if (a.getAttribute("href").endsWith("=" + api)) a.setAttribute("aria-current", "page");
}
for (const e of document.querySelectorAll(".key")) e.hidden = signed;
for (const e of document.querySelectorAll(".signature")) e.hidden = !signed;
document.getElementById("credentials").addEventListener("submit", (e) => e.preventDefault());

const field = (id) => document.getElementById(id).value.trim();
const bytes = (text) => new TextEncoder().encode(text);
const base64 = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)));

// sign puts the headers of a directory call on it: its date as X-Date, since a browser keeps Date to itself, the hash of its
// body, and the HMAC of METHOD,content-type,content-hash,path?query,date.
async function sign(request) {
  const method = request.method.toUpperCase();
  const url = new URL(request.url, location.href);
  const date = new Date().toUTCString();
  const body = typeof request.body === "string" ? request.body : "";
  const typeName = Object.keys(request.headers).find((h) => h.toLowerCase() === "content-type");
  const type = body && typeName ? request.headers[typeName] : "";
  let hash = "";
  if (body || method === "POST" || method === "PUT") {
    hash = base64(await crypto.subtle.digest("SHA-256", bytes(body)));
    request.headers["X-Authorization-Content-SHA256"] = hash;
  }
  const canonical = [method, type, hash, url.pathname + url.search, date].join(",");
  const key = await crypto.subtle.importKey("raw", bytes(field("secret")), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  request.headers["X-Date"] = date;
  request.headers.Authorization = `APIAuth-HMAC-SHA256 ${field("key-id")}:${base64(await crypto.subtle.sign("HMAC", key, bytes(canonical)))}`;
}

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
