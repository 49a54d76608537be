import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Figures, merged } from "./figures.ts";
import { asMarkdown } from "./markdown.ts";

const file = join(import.meta.dirname, "../figures.json");
const page = join(import.meta.dirname, "../README.md");
const marks = { begin: "<!-- figures: npm run bench -->", end: "<!-- /figures -->" };

const none: Figures = { machine: {}, rttMs: {}, cells: [], looks: [], remarks: [] };

/** Like {@link keepFigures}, but does not write any file. */
export function gatherFigures(): typeof keepFigures {
  let figures = none;
  return (taken) => (figures = merged(figures, { ...none, ...taken }));
}

/** Merges new figures into the stored ones, and rewrites the tables of bench/README.md. */
export function keepFigures(taken: Partial<Figures>): Figures {
  const old = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Figures) : none;
  const figures = merged(old, { ...none, ...taken });
  writeFileSync(file, `${JSON.stringify(figures)}\n`);
  const text = readFileSync(page, "utf8");
  const begin = text.indexOf(marks.begin) + marks.begin.length;
  const end = text.indexOf(marks.end);
  if (end < begin)
    throw new Error(`${page} does not have the markers for the figures: ${marks.begin} and ${marks.end}`);
  writeFileSync(page, `${text.slice(0, begin)}\n\n${asMarkdown(figures)}\n\n${text.slice(end)}`);
  return figures;
}
