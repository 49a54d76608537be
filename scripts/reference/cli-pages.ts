import { commandHelp, commands, overview } from "../../src/cli/words/help.ts";
import type { CommandName } from "../../src/cli/words/flags.ts";
import { markdownMark, type Page } from "./page.ts";

/** The output of `furrow --help` as a file, so that the command can print it on any Node without loading anything. */
export function helpPage(): Page {
  return { path: "bin/help.txt", text: overview() };
}

/** The help of every command on one page. */
export function cliPage(): Page {
  const names = Object.keys(commands) as CommandName[];
  const blocks = [
    markdownMark,
    "# The command line",
    block(overview()),
    ...names.flatMap((name) => [`## furrow ${name}`, block(commandHelp(name))]),
  ];
  return { path: "docs/reference/cli.md", text: `${blocks.join("\n\n")}\n` };
}

function block(text: string): string {
  return `\`\`\`\n${text.trimEnd()}\n\`\`\``;
}
