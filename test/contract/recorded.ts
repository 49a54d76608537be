import { existsSync } from "node:fs";
import { join } from "node:path";
import { readCatalogue, root } from "../../scripts/reference/catalogue.ts";
import { isControllerFact, listFacts, type Question } from "../../src/core/facts/fact.ts";
import { ranKind } from "../../src/core/facts/ran.ts";
import type { Case } from "../../src/testing/index.ts";
import { factsOf, paramsOf } from "../../src/testing/trial.ts";

/** A question that some task case asks, and its current value in that case. */
export interface Recorded {
  readonly question: Question;
  readonly value: unknown;
}

/** All questions and values in the cases of all tasks. */
export async function recordedAnswers(): Promise<Recorded[]> {
  const found: Recorded[] = [];
  for (const { folder, definition } of await readCatalogue()) {
    const file = join(root, "tasks", folder, `${folder}.cases.ts`);
    if (definition === undefined || !existsSync(file)) continue;
    const { cases } = (await import(file)) as { cases: readonly Case[] };
    for (const { call, now } of cases) {
      for (const { name, index, fact } of listFacts(factsOf(definition, paramsOf(call), now))) {
        if (isControllerFact(fact) || fact.kind === ranKind) continue;
        const value = index === undefined ? now[name] : (now[name] as readonly unknown[])[index];
        found.push({ question: fact, value });
      }
    }
  }
  return found;
}
