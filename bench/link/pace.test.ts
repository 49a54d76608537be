import { describe, expect, test } from "vitest";
import { firstWindowBytes, Pace } from "./pace.ts";

describe("a benchmark cable", () => {
  test("delivers any amount half a round trip later by default", () => {
    const pace = new Pace({ rttMs: 100 });
    expect(pace.arrival(10_000_000, 5)).toBe(55);
    expect(pace.arrival(1, 6)).toBe(56);
  });

  test("takes a second for a megabyte at 8 Mbit/s, and delays the data after it", () => {
    const pace = new Pace({ rttMs: 100, bitsPerSecond: 8_000_000 });
    expect(pace.arrival(1_000_000, 0)).toBeCloseTo(1050);
    expect(pace.arrival(1000, 0)).toBeCloseTo(1051);
    expect(pace.arrival(1000, 5000)).toBeCloseTo(5051);
  });

  test("sends ten segments at once with slow start, and doubles the number after each round trip", () => {
    const pace = new Pace({ rttMs: 100, slowStart: true });
    expect(pace.arrival(firstWindowBytes, 0)).toBe(50);
    expect(pace.arrival(2 * firstWindowBytes, 0)).toBe(150);
    expect(pace.arrival(4 * firstWindowBytes, 0)).toBe(250);
    expect(pace.arrival(1, 0)).toBe(350);
  });

  test("begins slow start again with ten segments after a long idle time", () => {
    const pace = new Pace({ rttMs: 100, slowStart: true });
    pace.arrival(100 * firstWindowBytes, 0);
    expect(pace.arrival(firstWindowBytes, 10_000)).toBe(10_050);
    expect(pace.arrival(2 * firstWindowBytes, 10_000)).toBe(10_150);
  });
});
