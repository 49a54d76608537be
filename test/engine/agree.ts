import * as fc from "fast-check";
import { expect } from "vitest";
import { covered } from "../covered.ts";
import { disagreement, type EngineOptions, type Mode } from "./comparison.ts";
import { type Program, programs } from "./programs.ts";

/** The number of random playbooks to run: FURROW_PROPERTY_RUNS, or 20,000 by default. */
export const propertyRuns = Number(process.env["FURROW_PROPERTY_RUNS"] ?? 20_000);

/**
 * Expects engine and oracle to report the same results and to leave the same state for this number of random playbooks.
 * Returns the number of playbooks compared.
 */
export async function agree(
  mode: Mode,
  numRuns: number,
  options: EngineOptions = {},
  among: { readonly of: fc.Arbitrary<Program>; readonly what: string } = { of: programs, what: "" },
): Promise<number> {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(among.of, async (program) => {
      expect(await disagreement(program, mode, options)).toBeUndefined();
      compared += 1;
    }),
    { numRuns },
  );
  covered(
    `engine and oracle compared in ${mode} mode${Object.keys(options)
      .map((name) => `, ${name},`)
      .join("")} on ${compared} random playbooks${among.what}`,
  );
  return compared;
}
