import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Edit, placeOf } from "./mutant-place.ts";
import { mutants } from "./mutants.ts";
import { runMutants } from "./run-mutants.ts";
import { hostMutants, takenMutants } from "./host-mutants.ts";
import { nameMutants } from "../../paths/mutants.ts";

const root = join(import.meta.dirname, "../../..");

test("every mutant matches exactly one place in the source (if not, update the mutant to match the source)", () => {
  const all = [...mutants, ...runMutants, ...hostMutants, ...takenMutants, ...nameMutants];
  expect(all.flatMap((mutant) => misplaced(mutant))).toEqual([]);
});

test("the test file that must detect a mutant exists", () => {
  const files = [...runMutants, ...hostMutants, ...takenMutants].map((mutant) => mutant.test);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test("the test that must detect a mutant has the title that the mutant names", () => {
  const missing = [...runMutants, ...hostMutants, ...takenMutants].filter(({ test: file, only }) => {
    const title = only?.replace(/^.*\.\*/, "");
    return title !== undefined && !readFileSync(join(root, file), "utf8").includes(title);
  });
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test("a mutant whose text occurs twice, or not at all, is reported by name", () => {
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
