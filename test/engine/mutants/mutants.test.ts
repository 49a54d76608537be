import { join } from "node:path";
import { expect, test } from "vitest";
import { type Edit, placeOf } from "./mutant-place.ts";
import { mutants } from "./mutants.ts";
import { runMutants } from "./run-mutants.ts";
import { hostMutants } from "./host-mutants.ts";
import { nameMutants } from "../../paths/mutants.ts";

const root = join(import.meta.dirname, "../../..");

test("every mutant still matches exactly one place of the source: change the mutant together with that place", () => {
  const all = [...mutants, ...runMutants, ...hostMutants, ...nameMutants];
  expect(all.flatMap((mutant) => misplaced(mutant))).toEqual([]);
});

test("a mutant whose text is found in two places, or in none, is reported by name", () => {
  const twice = { name: "twice", in: "placeOf", from: "context", to: "" };
  expect(misplaced(twice)).toEqual([expect.stringContaining('"twice" must have one place in a declaration "placeOf"')]);
});

function misplaced(mutant: Edit): string[] {
  try {
    placeOf(root, mutant);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
