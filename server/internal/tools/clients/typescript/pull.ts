// Pulls pages with the generated types and prints the same sums as golang/main.go.
import { createHmac } from "node:crypto";
import createClient, { type Middleware } from "openapi-fetch";
import type { paths as Directory } from "./gen/directory.js";
import type { paths as Libraries } from "./gen/libraries.js";
import type { paths as Schools } from "./gen/schools.js";

const env = (name: string): string => process.env[name] ?? "";
const baseUrl = env("CLIENTS_URL");
const pulled = { users: 0, inClass: 0, readings: 0, minutes: 0, percent: 0, titles: 0, share: 0, classes: 0, refused: 0, removed: 0 };

// pages calls page for each page, until it has all rows.
async function pages(page: (n: number) => Promise<{ rows: number; total: number }>): Promise<void> {
  let got = 0;
  for (let n = 1; ; n++) {
    const { rows, total } = await page(n);
    got += rows;
    if (rows === 0 || got >= total) return;
  }
}

const schools = createClient<Schools, "application/json">({ baseUrl, headers: { "X-Api-Key": env("CLIENTS_SCHOOLS") } });
await pages(async (page) => {
  const { data, error } = await schools.GET("/api-platform/schools/v1/users", { params: { query: { page, pageSize: 50 } } });
  if (!data) throw new Error(JSON.stringify(error));
  for (const user of data.data.rows) {
    pulled.users++;
    if (user.class !== null) pulled.inClass++;
  }
  return { rows: data.data.rows.length, total: data.meta.page.totalRows };
});
const { data: changed } = await schools.GET("/api-platform/schools/v1/users", { params: { query: { changedSince: env("CLIENTS_SINCE") } } });
for (const key of changed?.data.removed ?? []) pulled.removed += key.userId;
const { error: refusal } = await schools.GET("/api-platform/schools/v1/users", { params: { query: { page: 0, pageSize: 0 } } });
if (!refusal || !Array.isArray(refusal.message)) throw new Error("page 0 is not refused");
pulled.refused = refusal.message.length;
await pages(async (page) => {
  const { data, error } = await schools.GET("/api-platform/schools/v1/readings", { params: { query: { page, pageSize: 50 } } });
  if (!data) throw new Error(JSON.stringify(error));
  for (const row of data.data.rows) {
    pulled.readings++;
    pulled.minutes += row.readingMinutes;
    pulled.percent += row.percent;
  }
  return { rows: data.data.rows.length, total: data.meta.page.totalRows };
});

const libraries = createClient<Libraries, "application/json">({ baseUrl, headers: { "X-Api-Key": env("CLIENTS_LIBRARIES") } });
await pages(async (page) => {
  const { data, error } = await libraries.GET("/api-platform/libraries/v1/datasets/stock", { params: { query: { page, pageSize: 20 } } });
  if (!data) throw new Error(JSON.stringify(error));
  for (const row of data.data.rows) {
    pulled.titles++;
    pulled.share += row.percentage;
  }
  return { rows: data.data.rows.length, total: data.meta.page.totalRows };
});

// signed signs a GET.
const signed: Middleware = {
  onRequest({ request }) {
    const url = new URL(request.url);
    const date = new Date().toUTCString();
    const signature = createHmac("sha256", env("CLIENTS_SECRET")).update(`GET,,,${url.pathname}${url.search},${date}`).digest("base64");
    request.headers.set("X-Date", date);
    request.headers.set("Authorization", `APIAuth-HMAC-SHA256 ${env("CLIENTS_KEY_ID")}:${signature}`);
    return request;
  },
};
const directory = createClient<Directory>({ baseUrl });
directory.use(signed);
let after: string | undefined;
do {
  const { data, error } = await directory.GET("/api/v2/partners/entities", {
    params: { query: { entity_type: "class", ...(after === undefined ? {} : { after }) } },
  });
  if (!data) throw new Error(JSON.stringify(error));
  pulled.classes += data.entries.length;
  after = data.metadata.after ?? undefined;
} while (after !== undefined);

console.log(JSON.stringify(pulled));
