import { errorCodes } from "../../src/core/errors.ts";
import { cell, markdownMark, type Page } from "./page.ts";

/** The page of all error codes and their meanings. */
export function errorsPage(): Page {
  const rows = Object.entries(errorCodes).map(([code, text]) => `| \`${code}\` | ${cell(text)} |`);
  const blocks = [
    markdownMark,
    "# Errors",
    "Every expected failure has one of these codes and prints one block: what failed, where, the current and the expected value, and a hint.",
    ["| code | raised when |", "| --- | --- |", ...rows].join("\n"),
  ];
  return { path: "docs/reference/errors.md", text: `${blocks.join("\n\n")}\n` };
}
