import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mutants } from "./mutants.ts";
import { runMutants } from "./run-mutants.ts";
import { hostMutants } from "./host-mutants.ts";

test("every mutant still names one place of the engine: whoever changes that place changes the mutant, too", () => {
  const places = ({ file, from }: { readonly file: string; readonly from: string }): number =>
    readFileSync(join(import.meta.dirname, "../../src", file), "utf8").split(from).length - 1;
  const all = [...mutants, ...runMutants, ...hostMutants];
  expect(all.filter((mutant) => places(mutant) !== 1).map(({ name, file }) => `${name}: ${file}`)).toEqual([]);
});
