import { expect, test } from "vitest";
import { askStages } from "../../src/core/authoring/evaluate.ts";
import { isControllerFact, listFacts } from "../../src/core/facts/fact.ts";
import { parseInput } from "../../src/core/params/params.ts";
import * as catalogue from "../../tasks/index.ts";
import virtual from "./playbook-virtual.ts";
import watched from "./playbook-watched.ts";
import { elsewhere, watchedBy } from "./watched.ts";

const clouds = Object.values(catalogue).filter(({ card }) => "service" in card && card.service !== undefined);
const names = Object.keys(catalogue)
  .map((name) => (name === "pkg" ? "package" : name))
  .filter((name) => !clouds.some(({ card }) => card.name === name));
const vars = { fixtures: "/fixtures", web: "http://web", digest: "0".repeat(64), disks: ["/dev/a", "/dev/b"] };
const seen = new Set([...watchedBy(watched, vars), ...watchedBy(virtual, vars)]);

test("every task in the catalogue that acts on a host is covered by a watched run", () => {
  const unseen = names.filter((name) => !seen.has(name) && !elsewhere.some(({ names: no }) => no.test(name)));
  expect(unseen).toEqual([]);
});

test("every task excluded from watched runs exists, and a cloud task reads nothing on a host", () => {
  for (const { names: out } of elsewhere) expect(names.filter((name) => out.test(name))).not.toEqual([]);
  expect(clouds).not.toEqual([]);
  for (const { card, definition } of clouds as (typeof catalogue.ec2Volume)[]) {
    const params = parseInput(card.params, card.examples[0], {});
    const { value } = askStages(definition, params).next();
    expect(listFacts(value).every(({ fact }) => isControllerFact(fact as never))).toBe(true);
  }
});
