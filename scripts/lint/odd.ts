import { readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { oddIn } from "./plain-words.ts";

// Prints every odd phrase in the tracked files, or only in those below the given paths: `node scripts/lint/odd.ts
// src/engine docs`.
const paths = execFileSync("git", ["ls-files", "--", ...process.argv.slice(2)], { encoding: "utf8" }).split("\n");
let count = 0;
for (const path of paths.filter((name) => /\.(ts|md)$/.test(name) && !name.includes("plain-words"))) {
  for (const { line, found, instead } of oddIn(readFileSync(path, "utf8"))) {
    process.stdout.write(`${path}:${line}: "${found}" → ${instead}\n`);
    count += 1;
  }
}
process.stdout.write(`${count} odd phrases\n`);
