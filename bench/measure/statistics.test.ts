import { describe, expect, test } from "vitest";
import { median, ratioOfRounds, slope, spread } from "./statistics.ts";

describe("figures of a benchmark", () => {
  test("the median of an even count is the mean of the middle two", () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([9, 1, 5])).toBe(5);
  });

  test("a spread is rounded to the digits asked for", () => {
    expect(spread([0.123, 0.456, 0.789], 2)).toEqual({ median: 0.46, min: 0.12, max: 0.79 });
  });

  test("no ratio rests on a single round, nor on a round with a missing side", () => {
    expect(ratioOfRounds([1.5])).toBeUndefined();
    expect(ratioOfRounds([1.5, Number.NaN, Number.NaN])).toBeUndefined();
    expect(ratioOfRounds([1, 3, Number.NaN])).toBe(2);
  });

  test("wall times of seven round trips and half a second have the slope 7", () => {
    const points = [0, 26, 100].map((rttMs) => ({ x: rttMs, y: 500 + 7 * rttMs }));
    expect(slope(points)).toBeCloseTo(7);
  });
});
