import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./catalogue.ts";
import { markdownMark, type Page } from "./page.ts";

const folder = "test/screens/transcripts";

/** What furrow says to every sort of bad input: the transcripts that the tests of `test/screens` hold, as one page. */
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
    "Each transcript is what the real command printed in a test, with nothing replaced but paths, ports, keys and durations. What can be found before a host is touched is found before.",
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
