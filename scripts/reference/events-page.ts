import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./catalogue.ts";
import { markdownMark, type Page } from "./page.ts";

const source = "src/core/events.ts";

/** The page about the events that `--json` prints. It quotes the declarations, so it cannot differ from them. */
export function eventsPage(): Page {
  const declarations = readFileSync(join(root, source), "utf8")
    .replaceAll(/^import .*\n/gm, "")
    .trim();
  const names = [...declarations.matchAll(/type: "(\w+)"/g)].map(([, name]) => `\`${name ?? ""}\``);
  const blocks = [
    markdownMark,
    "# Events",
    `Everything that happens in a run is reported as one of these ${names.length} events, and every report is made from these events alone: ${names.join(", ")}.`,
    `The declarations, from \`${source}\`:`,
    `\`\`\`ts\n${declarations}\n\`\`\``,
  ];
  return { path: "docs/reference/events.md", text: `${blocks.join("\n\n")}\n` };
}
