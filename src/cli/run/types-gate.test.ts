import { describe, expect, it } from "vitest";
import { FurrowError } from "../../core/errors.ts";
import type { TypeCheck } from "../../load/types/type-check.ts";
import { bothChecked } from "./types-gate.ts";

const wrongTypes = new FurrowError("E_TYPES", { what: "site.ts has 1 type error" });
const checkThatFinds = (found: FurrowError | undefined): TypeCheck & { readonly told: unknown[]; stops: number } => {
  const told: unknown[] = [];
  const errorBesides = (given: readonly FurrowError[]): Promise<FurrowError | undefined> => {
    told.push(...given);
    return Promise.resolve(found);
  };
  const check = { error: Promise.resolve(found), errorBesides, stop: () => (check.stops += 1), told, stops: 0 };
  return check;
};
const failing = (thrown: Error) => async (): Promise<never> => {
  await Promise.resolve();
  throw thrown;
};

describe("a file that cannot be loaded and has type errors", () => {
  it.each([
    new TypeError("pattern.split is not a function"),
    new FurrowError("E_PLAYBOOK", { what: "a block has no name" }),
    new FurrowError("E_PARAMS", { what: 'missing param "path"' }),
    new FurrowError("E_PATTERN", { what: "names nothing" }),
  ])("shows the type errors too, as validate does: %s", async (error) => {
    const shown: unknown[] = [];
    const check = checkThatFinds(wrongTypes);
    await expect(bothChecked(check, failing(error), (other) => shown.push(other))).rejects.toBe(error);
    expect(shown).toEqual([wrongTypes]);
    expect(check.told).toEqual(error instanceof FurrowError ? [error] : []);
    expect(check.stops).toBe(1);
  });

  it.each(["E_USAGE", "E_SECRET", "E_VARS"] as const)("does not wait for the compiler after %s", async (code) => {
    const error = new FurrowError(code, { what: "wrong" });
    const check = checkThatFinds(undefined);
    const never: TypeCheck = { ...check, errorBesides: () => new Promise(() => {}) };
    await expect(bothChecked(never, failing(error), () => {})).rejects.toBe(error);
    expect(check.stops).toBe(1);
  });
});

it("returns what was loaded, and refuses type errors", async () => {
  const load = (): Promise<string> => Promise.resolve("loaded");
  expect(await bothChecked(checkThatFinds(undefined), load, () => {})).toBe("loaded");
  await expect(bothChecked(checkThatFinds(wrongTypes), load, () => {})).rejects.toBe(wrongTypes);
});
