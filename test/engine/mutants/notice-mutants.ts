import { afterAll, beforeAll, expect, test } from "vitest";
import { covered } from "../../covered.ts";
import type { RunMutant } from "./run-mutants.ts";
import { SuiteCopy } from "./suite-copy.ts";

/** The params of {@link noticeMutants}. */
export interface Noticing {
  /** Completes "N mutants …" in the summary: which mutants were killed, and how. */
  readonly what: string;
  readonly mutants: readonly RunMutant[];
  /** The part of furrow that is faulty. */
  readonly faulty: "engine" | "transport";
  /** At least this many mutants are expected. */
  readonly least: number;
  /** A test that takes longer counts as having noticed the mutant. */
  readonly seconds?: number;
}

/** Tests mutants that a named test file must notice. Each mutant starts a test run, which takes a second or more. */
export function noticeMutants({ what, mutants, faulty, least, seconds }: Noticing): void {
  let copy: SuiteCopy;
  beforeAll(() => {
    copy = new SuiteCopy();
  });
  afterAll(() => copy.remove());

  test("the tests pass without a mutant", { timeout: 600_000 }, async () => {
    expect(await copy.pass(mutants, seconds)).toBe(true);
  });

  test.for(mutants)(`a test notices a faulty ${faulty} that would $name`, { timeout: 600_000 }, async (mutant) => {
    expect(await copy.notices(mutant, seconds)).toBe(true);
  });

  test(`tests at least ${least} mutants`, () => {
    covered(`${mutants.length} ${what}`);
    expect(mutants.length).toBeGreaterThanOrEqual(least);
  });
}
