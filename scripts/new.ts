/** `npm run new task NAME`, `npm run new role NAME`: copies the template and makes index and reference anew. */
import { execFileSync } from "node:child_process";
import { root } from "./reference/catalogue.ts";
import { allPages, writePages } from "./reference/pages.ts";
import { makeUnit } from "./new-unit.ts";

const [kind, name, ...rest] = process.argv.slice(2);
if ((kind !== "task" && kind !== "role") || name === undefined || rest.length > 0) {
  console.error("usage: npm run new task NAME, or npm run new role NAME");
  process.exit(64);
}
try {
  const made = makeUnit(root, kind, name);
  execFileSync("oxfmt", made, { cwd: root, stdio: "ignore" });
  const pages = writePages(await allPages());
  for (const path of [...made, ...pages]) console.log(`wrote ${path}`);
  console.log(`Next: write ${made[0] ?? ""} and its test, then "npm run generate" and "npm run ok"`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
