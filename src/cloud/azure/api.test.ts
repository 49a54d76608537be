import { expect, test } from "vitest";
import { pauseOf } from "./api.ts";

const asked = (text: string): number | undefined => pauseOf(new Headers({ "retry-after": text }));

test("a pause is given in seconds or as a date, and limited to 15 minutes", () => {
  expect(pauseOf(new Headers())).toBeUndefined();
  expect(asked("soon")).toBeUndefined();
  expect(asked("200")).toBe(200_000);
  expect(asked("9999")).toBe(900_000);
  expect(asked(new Date(Date.now() - 60_000).toUTCString())).toBe(0);
  const inAMinute = asked(new Date(Date.now() + 60_000).toUTCString()) ?? 0;
  expect(inAMinute).toBeGreaterThan(55_000);
  expect(inAMinute).toBeLessThanOrEqual(60_000);
});
