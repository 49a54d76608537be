import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./catalogue.ts";
import { markdownMark, type Page } from "./page.ts";

const folder = "test/screens/transcripts";

/**
 * The page that shows how furrow responds to bad input of every kind: the transcripts that the tests in `test/screens`
 * check.
 */
export function badInputPage(): Page {
  const parts = readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    .map((name) => readFileSync(join(root, folder, name), "utf8").trimEnd());
  const contents = parts.map((part) => {
    const title = /^## (.+)$/m.exec(part)?.[1] ?? "";
    const number = [...part.matchAll(/^### /gm)].length;
    return `- [${title}](#${anchor(title)}) (${number})`;
  });
  const blocks = [
    markdownMark,
    "# What furrow says when something is wrong",
    "Each transcript is the output of the real command in a test; only paths, ports, keys and durations are replaced. furrow reports every mistake that it can find without a host before it touches one.",
    contents.join("\n"),
    ...parts,
  ];
  return { path: "docs/reference/bad-input.md", text: `${blocks.join("\n\n")}\n` };
}

function anchor(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w -]/g, "")
    .replaceAll(" ", "-");
}
