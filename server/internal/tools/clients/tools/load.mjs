// load.mjs FOLDER DATABASE [ids] reads the files of a feed into tables of a DuckDB database, with ids each with the unique key that its
// first column is.
import { DuckDBInstance } from "@duckdb/node-api";
import { readdirSync } from "node:fs";
import { join } from "node:path";

const [folder, database, ids] = process.argv.slice(2);
const connection = await (await DuckDBInstance.create(database)).connect();
for (const file of readdirSync(folder)) {
  const name = file.split(".")[0];
  const rows = `read_json('${join(folder, file)}', format = 'newline_delimited', compression = '${file.endsWith(".zst") ? "zstd" : "none"}')`;
  await connection.run(`CREATE TABLE "${name}" AS FROM ${rows}${ids ? " LIMIT 0" : ""}`);
  if (!ids) continue;
  const [first] = (await connection.runAndReadAll(`SELECT column_name FROM (DESCRIBE "${name}")`)).getRows()[0];
  const key = /id$/i.test(first);
  if (key) await connection.run(`ALTER TABLE "${name}" ADD PRIMARY KEY ("${first}")`);
  await connection.run(`INSERT ${key ? "OR IGNORE " : ""}INTO "${name}" FROM ${rows}`);
}
