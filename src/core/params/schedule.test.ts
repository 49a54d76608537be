import { Cron } from "croner";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { schedule } from "./schedule.ts";

const accepts = (text: string): boolean => schedule().safeParse(text).success;

const ranges: readonly (readonly [number, number])[] = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
];
const names = ["jan", "DEC", "mon", "sun", "Sat", "oct"];

/** One field: mostly what crontab(5) allows, sometimes a number, name or step that this field does not have. */
function field([from, to]: readonly [number, number]): fc.Arbitrary<string> {
  const inside = fc.integer({ min: from, max: to });
  const odd = fc.oneof(fc.integer({ min: -1, max: 70 }).map(String), fc.constantFrom(...names, ""));
  const usual = fc.oneof(
    inside.map(String),
    fc.tuple(inside, inside).map((ends) => ends.toSorted((a, b) => a - b).join("-")),
    fc.tuple(fc.constantFrom("*", `${from}-${to}`), fc.integer({ min: 1, max: to + 1 })).map((both) => both.join("/")),
    fc.constant("*"),
  );
  const part = fc.oneof({ weight: 60, arbitrary: usual }, { weight: 1, arbitrary: odd });
  return fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(","));
}

const schedules = fc.tuple(...ranges.map(field)).map((fields) => fields.join(" "));

test("every accepted schedule is also accepted by an independent parser", () => {
  let accepted = 0;
  fc.assert(
    fc.property(schedules, (text) => {
      if (!accepts(text)) return;
      accepted += 1;
      expect(() => new Cron(text, { paused: true, mode: "5-part" })).not.toThrow();
    }),
    { numRuns: 1000, seed: 1 },
  );
  expect(accepted).toBeGreaterThan(300);
});

test.each([
  ["0 0 30 2 *", false],
  ["0 0 31 4,6,9,11 *", false],
  ["0 0 29 2 *", true],
  ["0 0 30 2 mon", true],
  ["0 0 30 * *", true],
])("a date must exist in at least one year: %s", (text, isAccepted) => {
  expect(accepts(text)).toBe(isAccepted);
});
