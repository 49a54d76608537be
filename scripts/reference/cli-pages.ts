import { commandHelp, commands, overview } from "../../src/cli/words/help.ts";
import { type CommandName, type Flag, type Flags, flagsOf } from "../../src/cli/words/flags.ts";
import { cell, markdownMark, type Page } from "./page.ts";

/**
 * The output of `furrow --help` as a file, so that the command can print it on any version of Node without loading
 * anything.
 */
export function helpPage(): Page {
  return { path: "bin/help.txt", text: overview() };
}

/** The help of every command on one page, and a table of all options. */
export function cliPage(): Page {
  const names = Object.keys(commands) as CommandName[];
  const blocks = [
    markdownMark,
    "# The command line",
    block(overview()),
    ...names.flatMap((name) => [`## furrow ${name}`, block(commandHelp(name))]),
    "## All options",
    optionTable(names),
  ];
  return { path: "docs/reference/cli.md", text: `${blocks.join("\n\n")}\n` };
}

/** All options in alphabetical order, each with the commands that have it. */
function optionTable(names: readonly CommandName[]): string {
  const options = new Map<string, { readonly flag: string; readonly meaning: string; readonly users: CommandName[] }>();
  for (const name of names) {
    const flags: Flags = flagsOf[name];
    for (const [flag, about] of Object.entries(flags)) {
      if (about.type === "positional") continue;
      const key = `${flag} ${about.description}`;
      const option = options.get(key) ?? { flag: flagText(flag, about), meaning: about.description, users: [] };
      option.users.push(name);
      options.set(key, option);
    }
  }
  const rows = [...options]
    .toSorted(([a], [b]) => a.localeCompare(b, "en"))
    .map(([, { flag, meaning, users }]) => `| \`${flag}\` | ${usersText(users, names)} | ${cell(meaning)} |`);
  return [
    "| option | commands | meaning |",
    "| --- | --- | --- |",
    ...rows,
    "| `--help`, `-h` | all | Show the help of the command |",
    "| `--version`, `-V` | none: `furrow --version` | Show the version |",
  ].join("\n");
}

function flagText(flag: string, { alias, valueHint }: Flag): string {
  const value = valueHint === undefined ? "" : ` ${valueHint}`;
  return `--${flag}${value}${alias === undefined ? "" : `\`, \`-${alias}`}`;
}

/**
 * The names of the commands that have an option; if most commands have it, "all except" and the names of the others.
 */
function usersText(users: readonly CommandName[], all: readonly CommandName[]): string {
  const others = all.filter((name) => !users.includes(name));
  if (others.length === 0) return "all";
  return others.length < users.length ? `all except ${others.join(", ")}` : users.join(", ");
}

function block(text: string): string {
  return `\`\`\`\n${text.trimEnd()}\n\`\`\``;
}
