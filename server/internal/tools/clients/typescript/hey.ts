// Pulls pages with the client of @hey-api/openapi-ts and prints what it summed.
import { client as libraries } from "./gen/hey/libraries/client.gen";
import { books, channels, libraryEngagements, loans, logins, readers, reservations, stock, suggestionRequests, suggestions } from "./gen/hey/libraries/sdk.gen";
import { client as schools } from "./gen/hey/schools/client.gen";
import { engagements, readings, users } from "./gen/hey/schools/sdk.gen";

const env = (name: string): string => process.env[name] ?? "";
const pulled = { users: 0, inClass: 0, readings: 0, minutes: 0, percent: 0, titles: 0, share: 0, removed: 0, lists: [] as number[] };
schools.setConfig({ baseUrl: env("CLIENTS_URL"), headers: { "X-Api-Key": env("CLIENTS_SCHOOLS") } });
libraries.setConfig({ baseUrl: env("CLIENTS_URL"), headers: { "X-Api-Key": env("CLIENTS_LIBRARIES") } });

for (let page = 1, got = 0, total = 1; got < total; page++) {
  const { data } = await users({ query: { page, pageSize: 50 }, throwOnError: true });
  for (const user of data.data.rows) {
    pulled.users++;
    if (user.class !== null) pulled.inClass++;
  }
  [got, total] = [got + data.data.rows.length, data.meta.page.totalRows];
}
for (let page = 1, got = 0, total = 1; got < total; page++) {
  const { data } = await readings({ query: { page, pageSize: 50 }, throwOnError: true });
  for (const row of data.data.rows) {
    pulled.readings++;
    pulled.minutes += row.readingMinutes;
    pulled.percent += row.percent;
  }
  [got, total] = [got + data.data.rows.length, data.meta.page.totalRows];
}
for (let page = 1, got = 0, total = 1; got < total; page++) {
  const { data } = await stock({ query: { page, pageSize: 20 }, throwOnError: true });
  for (const title of data.data.rows) {
    pulled.titles++;
    pulled.share += title.percentage;
  }
  [got, total] = [got + data.data.rows.length, data.meta.page.totalRows];
}
// list pulls a list and keeps how many rows it has.
async function list(page: (n: number) => Promise<{ rows: number; total: number }>): Promise<void> {
  let all = 0;
  for (let n = 1, total = 1; all < total; n++) {
    const got = await page(n);
    [all, total] = [all + got.rows, got.total];
  }
  pulled.lists.push(all);
}
await list(async (page) => {
  const { data } = await engagements({ query: { page, pageSize: 50 }, throwOnError: true });
  return { rows: data.data.rows.length, total: data.meta.page.totalRows };
});
await list(async (page) => {
  const { data } = await libraryEngagements({ query: { page, pageSize: 20, startDate: env("CLIENTS_FROM"), endDate: env("CLIENTS_TO") }, throwOnError: true });
  return { rows: data.data.rows.length, total: data.meta.page.totalRows };
});
await list(async (page) => {
  const { data } = await readers({ query: { page, pageSize: 20 }, throwOnError: true });
  return { rows: data.data.rows.length, total: data.meta.page.totalRows };
});
await list(async (page) => {
  const { data } = await books({ query: { page, pageSize: 20 }, throwOnError: true });
  return { rows: data.data.rows.length, total: data.meta.page.totalRows };
});
await list(async (page) => {
  const { data } = await loans({ query: { page, pageSize: 20 }, throwOnError: true });
  return { rows: data.data.rows.length, total: data.meta.page.totalRows };
});
await list(async (page) => {
  const { data } = await reservations({ query: { page, pageSize: 20 }, throwOnError: true });
  return { rows: data.data.rows.length, total: data.meta.page.totalRows };
});
await list(async (page) => {
  const { data } = await logins({ query: { page, pageSize: 20 }, throwOnError: true });
  return { rows: data.data.rows.length, total: data.meta.page.totalRows };
});
await list(async (page) => {
  const { data } = await suggestions({ query: { page, pageSize: 20 }, throwOnError: true });
  return { rows: data.data.rows.length, total: data.meta.page.totalRows };
});
await list(async (page) => {
  const { data } = await suggestionRequests({ query: { page, pageSize: 20 }, throwOnError: true });
  return { rows: data.data.rows.length, total: data.meta.page.totalRows };
});
const { data: sessions } = await channels({ throwOnError: true }); // not paged
pulled.lists.push(sessions.data.rows.length);
const { data: changed } = await users({ query: { changedSince: env("CLIENTS_SINCE") }, throwOnError: true });
for (const key of changed.data.removed ?? []) pulled.removed += Number(key.userId);
console.log(JSON.stringify(pulled));
