import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mutants } from "./mutants.ts";

test("every mutant still names one place of the engine: whoever changes that place changes the mutant, too", () => {
  const places = ({ file, from }: (typeof mutants)[number]): number =>
    readFileSync(join(import.meta.dirname, "../../src", file), "utf8").split(from).length - 1;
  expect(mutants.filter((mutant) => places(mutant) !== 1).map(({ name, file }) => `${name}: ${file}`)).toEqual([]);
});
