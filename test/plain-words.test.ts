import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { oddIn } from "../scripts/lint/plain-words.ts";
import { sourceFiles } from "./source-files.ts";

/** Files that must quote the phrases. */
const exempt = new Set(["scripts/lint/plain-words.ts", "scripts/lint/plain-words.test.ts"]);

test("no comment, message or page has a phrase that an engineer would not say", () => {
  const odd = sourceFiles()
    .filter((path) => /\.(js|ts|md|sh)$/.test(path) && !exempt.has(path))
    .flatMap((path) =>
      oddIn(readFileSync(join(import.meta.dirname, "..", path), "utf8")).map(
        ({ line, found, instead }) => `${path}:${line}: "${found}" → ${instead}`,
      ),
    );
  expect(odd).toEqual([]);
});
