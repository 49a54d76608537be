import { defineCommand } from "../words/command.ts";
import type { z } from "zod";
import * as catalogue from "../../../tasks/index.ts";
import { FurrowError } from "../../core/errors.ts";
import { paramSets } from "../../core/params/param-table.ts";
import { closest } from "../../core/closest.ts";
import { paintFor } from "../../report/text/colours.ts";
import { flagsOf } from "../words/flags.ts";
import { print, printJson, wantsColor } from "../terminal.ts";

interface Card {
  readonly name: string;
  readonly summary: string;
  readonly params: z.ZodType;
  readonly examples: readonly unknown[];
  readonly cannotPredict?: string;
}

/** The command `furrow doc [TASK]`. */
export const command = defineCommand({
  args: flagsOf.doc,
  run({ args }) {
    const cards = allCards();
    if (args.task === undefined) {
      const width = Math.max(...cards.map(({ name }) => name.length));
      const list = cards.map(({ name, summary }) => ({ name, summary }));
      if (args.json) printJson({ schema: 1, tasks: list });
      else print(`${cards.map(({ name, summary }) => `${name.padEnd(width)}  ${summary}`).join("\n")}\n`);
      return 0;
    }
    const card = cards.find(({ name }) => name === args.task);
    if (card === undefined) throw unknownTask(args.task, cards);
    const { name, summary, examples } = card;
    if (args.json) printJson({ schema: 1, name, summary, params: paramSets(card.params), examples });
    else print(cardText(card));
    return 0;
  },
});

function allCards(): Card[] {
  // Some modules have two names: `package` is a reserved word.
  return [...new Set(Object.values(catalogue as Record<string, unknown>))]
    .flatMap((value) => (typeof value === "function" && "card" in value ? [value.card as Card] : []))
    .toSorted((a, b) => a.name.localeCompare(b.name, "en"));
}

/** The tasks that correspond to Ansible modules with other names. */
const ansibleNames: Readonly<Record<string, string>> = {
  apt: "package",
  copy: "file",
  dnf: "package",
  blockinfile: "fileBlock",
  lineinfile: "fileLine",
  shell: "command",
  systemd: "service",
  template: "file",
  yum: "package",
  zypper: "package",
};

function unknownTask(name: string, cards: readonly Card[]): FurrowError {
  const ours = ansibleNames[name.replace(/^ansible\.builtin\./, "")];
  const near =
    ours ??
    closest(
      name,
      cards.map((card) => card.name),
    );
  return new FurrowError("E_USAGE", {
    what: `furrow has no task "${name}"`,
    hint: near === undefined ? "Run furrow doc to see all tasks" : `Run furrow doc ${near}`,
  });
}

function cardText({ name, summary, params, examples, cannotPredict }: Card): string {
  const paint = paintFor(wantsColor(process.stdout));
  const sets = paramSets(params).map(({ about, rows }) => {
    const width = Math.max(0, ...rows.map((row) => row.name.length));
    const lines = rows.map((row) => {
      const standard = row.required ? "required" : row.default === undefined ? "optional" : `default ${row.default}`;
      return `  ${row.name.padEnd(width)}  ${row.text} ${paint.dim(`(${row.type}, ${standard})`)}`;
    });
    return { about, lines };
  });
  const shownSets = sets.flatMap(({ about, lines }, index) => {
    const title = about ?? (sets.length === 1 ? "params" : index === 0 ? "params, one of these sets" : "or");
    return ["", paint.strong(title), ...lines];
  });
  const shown = examples.map(
    (example) =>
      `  t.${name}(${JSON.stringify(example, undefined, 1)
        .replaceAll(/\n\s*/g, " ")
        .replaceAll(/"(\w+)":/g, "$1:")})`,
  );
  const check = cannotPredict === undefined ? [] : [`Check mode cannot tell: ${cannotPredict}`];
  return `${[paint.strong(name), summary, ...check, ...shownSets, "", paint.strong("examples"), ...shown].join("\n")}\n`;
}
