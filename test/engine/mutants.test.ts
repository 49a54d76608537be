import { join } from "node:path";
import { expect, test } from "vitest";
import { type Edit, placeOf } from "./mutant-place.ts";
import { mutants } from "./mutants.ts";
import { runMutants } from "./run-mutants.ts";
import { hostMutants } from "./host-mutants.ts";
import { nameMutants } from "../paths/mutants.ts";

const root = join(import.meta.dirname, "../..");

test("every mutant still names one place of the source: whoever changes that place changes the mutant, too", () => {
  const all = [...mutants, ...runMutants, ...hostMutants, ...nameMutants];
  expect(all.flatMap((mutant) => misplaced(mutant))).toEqual([]);
});

test("a mutant whose text is in two places, or in none, is named", () => {
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
