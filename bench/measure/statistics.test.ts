import { describe, expect, test } from "vitest";
import { median, ratioOfRounds, slope, spread } from "./statistics.ts";

describe("benchmark figures", () => {
  test("include a median, which is the mean of the middle two values if their number is even", () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([9, 1, 5])).toBe(5);
  });

  test("include a spread that is rounded to the given digits", () => {
    expect(spread([0.123, 0.456, 0.789], 2)).toEqual({ median: 0.46, min: 0.12, max: 0.79 });
  });

  test("include no ratio if only one round is complete, and leave incomplete rounds out of a ratio", () => {
    expect(ratioOfRounds([1.5])).toBeUndefined();
    expect(ratioOfRounds([1.5, Number.NaN, Number.NaN])).toBeUndefined();
    expect(ratioOfRounds([1, 3, Number.NaN])).toBe(2);
  });

  test("have a slope of 7 if a run takes seven round trips plus half a second", () => {
    const points = [0, 26, 100].map((rttMs) => ({ x: rttMs, y: 500 + 7 * rttMs }));
    expect(slope(points)).toBeCloseTo(7);
  });
});
