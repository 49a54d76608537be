import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covered } from "../../covered.ts";
import { MutantCopy } from "./mutant-copy.ts";
import type { Mutant } from "./mutant.ts";

/** Tests each mutant: the random playbooks must detect it. Takes about a second per mutant. */
export function killMutants(what: string, mutants: readonly Mutant[]): void {
  let copy: MutantCopy;
  beforeAll(() => {
    copy = new MutantCopy();
  });

  afterAll(() => {
    copy.remove();
    const counts = Object.values(copy.killedAfter).toSorted((a, b) => a - b);
    covered(`${counts.length} mutants of ${what} killed, the slowest after ${counts.at(-1) ?? 0} random playbooks`);
  });

  describe("the property tests notice an engine that would", () => {
    test.for(mutants)("$name", async (mutant) => {
      expect(await copy.kill(mutant)).toBeTypeOf("number");
    });
  });
}
