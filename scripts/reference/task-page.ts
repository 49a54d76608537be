import { readdirSync } from "node:fs";
import { join } from "node:path";
import { askStages } from "../../src/core/authoring/evaluate.ts";
import { factId, listFacts } from "../../src/core/facts/fact.ts";
import { foldedSets, type ParamRow, paramSets } from "../../src/core/params/param-table.ts";
import type { Entry } from "./catalogue.ts";
import { literal } from "./literal.ts";
import { cell, markdownMark, type Page } from "./page.ts";
import { allTopics, pageOf, topicOf } from "./topics.ts";

/** The reference page of one task, from its card. */
export function taskPage(entry: Entry): Page {
  const { card, folder } = entry;
  const tests = readdirSync(join(entry.path, "..")).filter((file) => file.endsWith(".test.ts"));
  const blocks = [
    markdownMark,
    `# ${card.name}`,
    `${card.summary}.`,
    ...("cannotPredict" in card && card.cannotPredict !== undefined
      ? [`Check mode cannot tell: ${card.cannotPredict}`]
      : []),
    "## Params",
    ...foldedSets(paramSets(card.params)).flatMap(({ about, rows }) => [
      ...(about ? [`### ${about}`] : []),
      table(rows),
    ]),
    "## Examples",
    ...card.examples.map((example) => exampleBlock(entry, example)),
    `Source: ${link(entry, `${folder}.ts`)}, tests: ${tests.map((file) => link(entry, file)).join(", ") || "none"}`,
  ];
  return { path: `docs/reference/tasks/${pageOf(card)}`, text: `${blocks.join("\n\n")}\n` };
}

function link({ card, folder }: Entry, file: string): string {
  const up = "../".repeat(pageOf(card).split("/").length + 2);
  return `[${file}](${up}tasks/${folder}/${file})`;
}

/** The list of all tasks. */
export function taskList(entries: readonly Entry[]): Page {
  const parts = allTopics.flatMap((topic) => {
    const rows = entries
      .filter(({ card }) => topicOf(card) === topic)
      .map(({ card }) => `| [${card.name}](tasks/${pageOf(card)}) | ${cell(card.summary)} |`);
    return rows.length === 0
      ? []
      : [`## ${topic.title}`, ["| task | what it does |", "| --- | --- |", ...rows].join("\n")];
  });
  return { path: "docs/reference/tasks.md", text: `${[markdownMark, "# Tasks", ...parts].join("\n\n")}\n` };
}

function table(rows: readonly ParamRow[]): string {
  const lines = rows.map(({ name, type, required, default: value, text }) => {
    const standard = required ? "required" : value === undefined ? "" : `\`${value}\``;
    return `| \`${name}\` | ${cell(`\`${type}\``)} | ${cell(standard)} | ${cell(text)} |`;
  });
  return ["| param | type | default | |", "| --- | --- | --- | --- |", ...lines].join("\n");
}

function exampleBlock(entry: Entry, example: unknown): string {
  const call = entry.card.name === entry.exportName ? entry.exportName : `t.${entry.card.name}`;
  const code = `\`\`\`ts\n${call}(${literal(example)});\n\`\`\``;
  const note = entry.definition === undefined ? made(entry, example) : lookedAt(entry, example);
  return note === "" ? code : `${code}\n\n${note}`;
}

function lookedAt({ definition, card }: Entry, example: unknown): string {
  if (definition === undefined) return "";
  const stage = askStages(definition, card.params.parse(example)).next();
  if (stage.done === true && Object.keys(stage.value).length === 0) return "";
  const ids = listFacts(stage.value).map(({ fact }) => `\`${factId(fact)}\``);
  // A secret's marker differs from run to run.
  return `Reads ${[...new Set(ids)].join(", ").replaceAll(/«secret[^»]*»/g, "«secret»")}.`;
}

function made({ expand, card }: Entry, example: unknown): string {
  const nodes = expand?.(example).expand(card.params.parse(example) as never) ?? [];
  const names = nodes.flatMap((node) => (node && "module" in node ? [`\`${node.module.card.name}\``] : []));
  return `Consists of ${names.join(", ")}.`;
}
