import { exitCodeMeanings } from "../exit-codes.ts";
import { type CommandName, type Flags, flagsOf } from "./flags.ts";

/** The help text of one command, without its flags. */
export interface CommandHelp {
  /** The words after the command's name: `PLAYBOOK`. */
  readonly usage: string;
  readonly summary: string;
  readonly examples: readonly string[];
}

/**
 * All commands, in the order in which the help lists them. `furrow --help` and the help of each command are generated
 * from this table.
 */
export const commands: Readonly<Record<CommandName, CommandHelp>> = {
  run: {
    usage: "PLAYBOOK",
    summary: "Converge hosts",
    examples: ["furrow run site.ts -i inventory.ts", "furrow run site.ts -i web1,web2 --limit @unfinished -v"],
  },
  check: {
    usage: "PLAYBOOK",
    summary: "Show what a run would do, and change nothing",
    examples: ["furrow check site.ts -i inventory.ts --diff"],
  },
  list: {
    usage: "PLAYBOOK",
    summary: "Show plays, tasks, hosts and tags without connecting",
    examples: ["furrow list site.ts -i inventory.ts"],
  },
  validate: {
    usage: "PLAYBOOK...",
    summary: "Check playbooks, types and vars without a host",
    examples: ["furrow validate site.ts", "furrow validate playbooks/*.ts -i inventory.ts"],
  },
  inventory: {
    usage: "",
    summary: "Show hosts and groups; with --host, the merged vars of one host and their origin",
    examples: [
      "furrow inventory -i inventory.ts",
      "furrow inventory -i inventory.ts --host web1",
      "furrow inventory -i hosts.ini --graph",
    ],
  },
  facts: { usage: "HOST", summary: "Read facts from a host", examples: ["furrow facts web1 -i inventory.ts"] },
  exec: {
    usage: "PATTERN -- CMD",
    summary: "Run one command on hosts",
    examples: [
      "furrow exec web -i inventory.ts -- uptime",
      "furrow exec all -i inventory.ts -b -- sh -c 'df -h | tail -3'",
    ],
  },
  ping: {
    usage: "",
    summary: "Connect to hosts and show how long it took",
    examples: ["furrow ping -i inventory.ts", "furrow ping web -i inventory.ts"],
  },
  doctor: {
    usage: "SUBJECT HOST",
    summary: "Write a redacted report on what a playbook needs",
    examples: [
      "furrow doctor harvester web1 -i inventory.ts",
      "furrow doctor harvester web1 -i inventory.ts --yes --to web1.json",
    ],
  },
  doc: {
    usage: "[TASK | PLAYBOOK]",
    summary: "Show a task's params and examples, or a playbook's vars",
    examples: ["furrow doc file", "furrow doc playbooks/harvester.ts"],
  },
  lab: {
    usage: "up | list | down",
    summary: "Manage throwaway local hosts",
    examples: ["furrow lab up 3 --disks 2", "furrow lab down"],
  },
};

const exitCodes = [
  "Exit codes:",
  ...exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padEnd(3)}  ${meaning}`),
];

/**
 * Returns the text of `furrow --help`. `bin/help.txt` is a copy of it, so showing the help does not load any module.
 */
export function overview(): string {
  const rows = Object.entries(commands).map(([name, { usage, summary }]) =>
    row(`${name} ${usage}`.trimEnd(), summary, 21),
  );
  return [
    "furrow: an agentless, typed task runner",
    "",
    "Usage: furrow COMMAND [OPTIONS]",
    "",
    "Commands:",
    ...rows,
    "",
    "Options:",
    "  -h, --help     Show this help or, after a command, its help",
    "  -V, --version  Show the version",
    "",
    ...exitCodes,
    "",
  ].join("\n");
}

/** Formats text next to a label, on one or more lines. */
export type Layout = (label: string, text: string) => readonly string[];

const inOneLine: Layout = (label, text) => [label + text];

function row(left: string, right: string, width: number, layout = inOneLine): string {
  return layout(`  ${left.padEnd(width)}  `, right).join("\n");
}

/** Returns the text of `furrow NAME --help`. By default, each flag has one line, however long. */
export function commandHelp(name: CommandName, layout?: Layout): string {
  const { usage, summary, examples } = commands[name];
  const flags: Flags = flagsOf[name];
  const positional = Object.entries(flags).filter(([, { type }]) => type === "positional");
  const options = Object.entries(flags).filter(([, { type }]) => type !== "positional");
  const lefts = options.map(([flag, { alias, valueHint }]) => {
    const value = valueHint === undefined ? "" : ` ${valueHint}`;
    return `${alias === undefined ? "   " : `-${alias},`} --${flag}${value}`;
  });
  const width = Math.max(...lefts.map((left) => left.length), 10);
  return [
    summary,
    "",
    `Usage: furrow ${name} ${usage} [OPTIONS]`.replaceAll(/ +/g, " "),
    ...(positional.length === 0
      ? []
      : ["", ...positional.map(([arg, { description }]) => row(arg.toUpperCase(), description, width, layout))]),
    "",
    "Options:",
    ...options.map(([, { description }], index) => row(lefts[index] ?? "", description, width, layout)),
    "",
    "Examples:",
    ...examples.map((example) => `  ${example}`),
    "",
  ].join("\n");
}
