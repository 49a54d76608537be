import { existsSync } from "node:fs";
import { defineCommand } from "../words/command.ts";
import type { z } from "zod";
import * as catalogue from "../../../tasks/index.ts";
import { FurrowError } from "../../core/errors.ts";
import { foldedSets, paramSets } from "../../core/params/param-table.ts";
import { closest } from "../../core/closest.ts";
import { insteadOf } from "../../core/params/other-modules.ts";
import { taskLike } from "../../core/params/other-tools.ts";
import { paintFor } from "../../report/text/colours.ts";
import { safeLine } from "../../report/text/value.ts";
import { inColumns, wrapped } from "../../report/text/wrapped.ts";
import { flagsOf } from "../words/flags.ts";
import { columnsOf, print, printJson, wantsColor } from "../terminal.ts";

/** The information that `furrow doc` shows about a task. */
export interface Card {
  readonly name: string;
  readonly summary: string;
  readonly params: z.ZodType;
  readonly examples: readonly unknown[];
  readonly cannotPredict?: string;
}

/** The `furrow doc [TASK | PLAYBOOK]` command. */
export const command = defineCommand({
  args: flagsOf.doc,
  async run({ args }) {
    const cards = allCards();
    const columns = columnsOf(process.stdout);
    if (args.task === undefined) {
      const width = Math.max(...cards.map(({ name }) => name.length));
      const list = cards.map(({ name, summary }) => ({ name, summary }));
      if (args.json) printJson({ schema: 1, tasks: list });
      else
        print(
          `${cards.flatMap(({ name, summary }) => inColumns(`${name.padEnd(width)}  `, summary, columns)).join("\n")}\n`,
        );
      return 0;
    }
    if (/[./]/.test(args.task)) return showPlaybook(playbookFile(args.task), args.json === true, columns);
    const card = cards.find(({ name }) => name === args.task);
    if (card === undefined) throw unknownTask(args.task, cards);
    const { name, summary, examples } = card;
    if (args.json) printJson({ schema: 1, name, summary, params: paramSets(card.params), examples });
    else print(cardText(card, columns));
    return 0;
  },
});

/** The file of a playbook; the pages omit the folder and the extension: `gitops/networks`. */
function playbookFile(given: string): string {
  const named = `playbooks/${given.replace(/^playbooks\//, "")}.ts`;
  return !existsSync(given) && existsSync(named) ? named : given;
}

async function showPlaybook(path: string, json: boolean, columns: number | undefined): Promise<number> {
  const { loadPlaybook } = await import("../../load/playbook/playbook-file.ts");
  const { name, vars } = (await loadPlaybook(path)).playbook;
  if (json) printJson({ schema: 1, name, vars: vars === undefined ? [] : paramSets(vars) });
  else {
    const lines = vars === undefined ? ["", "no vars"] : paramLines(vars, "vars", columns);
    print(`${[paintFor(wantsColor(process.stdout)).strong(safeLine(name)), ...lines].join("\n")}\n`);
  }
  return 0;
}

/** Returns the tasks of the catalogue, by name. */
export function allCards(): Card[] {
  // Some modules are exported under two names, because `package` is a reserved word.
  return [...new Set(Object.values(catalogue as Record<string, unknown>))]
    .flatMap((value) => (typeof value === "function" && "card" in value ? [value.card as Card] : []))
    .toSorted((a, b) => a.name.localeCompare(b.name, "en"));
}

function unknownTask(name: string, cards: readonly Card[]): FurrowError {
  const ours = taskLike(name);
  const near =
    ours ??
    closest(
      name,
      cards.map((card) => card.name),
    );
  return new FurrowError("E_USAGE", {
    what: `furrow has no task "${name}"`,
    hint: insteadOf(name) ?? (near === undefined ? "Run furrow doc to see all tasks" : `Run furrow doc ${near}`),
  });
}

/** Returns the help text of a task. With `columns`, lines are wrapped at that width; only a long word can exceed it. */
export function cardText({ name, summary, params, examples, cannotPredict }: Card, columns?: number): string {
  const paint = paintFor(wantsColor(process.stdout));
  const shownSets = paramLines(params, "params", columns);
  const shown = examples.flatMap((example) => {
    const text = JSON.stringify(example, undefined, 1)
      .replaceAll(/\n\s*/g, " ")
      .replaceAll(/"(\w+)":/g, "$1:");
    return wrapped(`  t.${name}(${text})`, columns, "    ");
  });
  const about = [summary, ...(cannotPredict === undefined ? [] : [`Check mode cannot tell: ${cannotPredict}`])];
  const head = about.flatMap((line) => wrapped(line, columns, "  "));
  return `${[paint.strong(name), ...head, ...shownSets, "", paint.strong("examples"), ...shown].join("\n")}\n`;
}

/**
 * Formats the params that a schema accepts, with one or more lines for each. `noun`: the word for a param in the text.
 */
function paramLines(schema: z.ZodType, noun: string, columns?: number): string[] {
  const paint = paintFor(wantsColor(process.stdout));
  const sets = foldedSets(paramSets(schema)).map(({ about, rows }) => {
    const width = Math.max(0, ...rows.map((row) => safeLine(row.name).length));
    const lines = rows.flatMap((row) => {
      const standard = row.required ? "required" : row.default === undefined ? "optional" : `default ${row.default}`;
      return inColumns(
        `  ${safeLine(row.name).padEnd(width)}  `,
        `${safeLine(row.text)} ${paint.dim(safeLine(`(${shortType(row.type)}, ${standard})`))}`.trim(),
        columns,
      );
    });
    return { about: about === undefined ? undefined : safeLine(about), lines };
  });
  const firstUnnamed = sets.findIndex(({ about }) => about === undefined);
  return sets.flatMap(({ about, lines }, index) => {
    const title = about ?? (sets.length === 1 ? noun : index === firstUnnamed ? `${noun} (one of these sets)` : "or");
    return ["", paint.strong(title), ...lines];
  });
}

/** Types longer than this are shown without the fields of nested objects. */
const longestType = 200;

function shortType(type: string): string {
  if (type.length <= longestType) return type;
  let depth = 0;
  return type.split("").reduce((text, sign) => {
    if (sign === "{") depth += 1;
    const isInside = depth > 1;
    if (sign === "}") depth -= 1;
    if (!isInside) return text + sign;
    return sign === "{" && depth === 2 ? `${text}{ … }` : text;
  }, "");
}
