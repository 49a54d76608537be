/**
 * `npm run new task NAME`, `new role NAME`, `new kind FOLDER/NAME`: copies the template and updates the index and the
 * reference.
 */
import { execFileSync } from "node:child_process";
import { root } from "./reference/catalogue.ts";
import { allPages, writePages } from "./reference/pages.ts";
import { makeUnit } from "./new-unit.ts";

const [kind, name, ...rest] = process.argv.slice(2);
if ((kind !== "task" && kind !== "role" && kind !== "kind") || name === undefined || rest.length > 0) {
  console.error("usage: npm run new task NAME, npm run new role NAME, or npm run new kind FOLDER/NAME");
  process.exit(64);
}
try {
  const made = makeUnit(root, kind, name);
  execFileSync("oxfmt", made, { cwd: root, stdio: "ignore" });
  const pages = writePages(await allPages());
  for (const path of [...made, ...pages]) console.log(`wrote ${path}`);
  const next =
    kind === "kind"
      ? "export it in src/facts/catalogue.ts, and add its values to test/contract/arbitraries.ts and src/testing/plausible.ts"
      : "run npm run generate and npm run ok";
  console.log(`Next: write ${made.find((path) => !path.includes(".test.")) ?? ""} and its test; then ${next}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
