import { errorCodes } from "../../src/core/errors.ts";
import { cell, markdownMark, type Page } from "./page.ts";

/** All error codes with what each means. */
export function errorsPage(): Page {
  const rows = Object.entries(errorCodes).map(([code, text]) => `| \`${code}\` | ${cell(text)} |`);
  const blocks = [
    markdownMark,
    "# Errors",
    "Every expected failure has one of these codes and prints one block: what failed, where, what is there, what was expected, and a hint.",
    ["| code | raised when |", "| --- | --- |", ...rows].join("\n"),
  ];
  return { path: "docs/reference/errors.md", text: `${blocks.join("\n\n")}\n` };
}
