// Sums the readings that were pulled as files of CSV and of NDJSON, exactly, with DuckDB, and prints what it has for each form.
import { DuckDBInstance } from "@duckdb/node-api";

const sums = `count(*)::INTEGER AS rows, sum("readingMinutes"::DECIMAL(18, 1))::VARCHAR AS minutes, sum("percent"::DECIMAL(18, 2))::VARCHAR AS percent,
  count(*) FILTER ("finished")::INTEGER AS finished, count(DISTINCT "userId")::INTEGER AS users, min("firstReadAt"::TIMESTAMP)::VARCHAR AS first`;
const connection = await (await DuckDBInstance.create(":memory:")).connect();
const forms = {
  csv: `read_csv('*.csv', header = true)`,
  ndjson: `read_json('*.ndjson', format = 'newline_delimited')`,
};
const found = {};
for (const [form, table] of Object.entries(forms)) {
  const isbn = form === "csv" ? `"book.isbn"` : `"book"."isbn"`;
  const reader = await connection.runAndReadAll(`SELECT ${sums}, count(DISTINCT ${isbn})::INTEGER AS isbns FROM ${table}`);
  [found[form]] = reader.getRowObjectsJson();
}
console.log(JSON.stringify(found));
