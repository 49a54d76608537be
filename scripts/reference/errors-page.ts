import { exitCodeOfError } from "../../src/cli/exit-codes.ts";
import { type ErrorCode, errorCodes, FurrowError } from "../../src/core/errors.ts";
import { cell, markdownMark, type Page } from "./page.ts";

/** The page of all error codes and their meanings. */
export function errorsPage(): Page {
  const rows = Object.entries(errorCodes).map(
    ([code, text]) =>
      `| \`${code}\` | ${cell(text)} | ${exitCodeOfError(new FurrowError(code as ErrorCode, { what: text }))} |`,
  );
  const blocks = [
    markdownMark,
    "# Errors",
    "Every expected failure has one of these codes and prints one block: what failed, where, the current and the expected value, and a hint.",
    ["| code | raised when | exit code |", "| --- | --- | --- |", ...rows].join("\n"),
    "A command that fails with one of these errors exits with the code in the table, except that a wrong host pattern in a playbook gives exit code 1. [The command line](cli.md) explains the rule, and the exit code of a run with several hosts.",
  ];
  return { path: "docs/reference/errors.md", text: `${blocks.join("\n\n")}\n` };
}
