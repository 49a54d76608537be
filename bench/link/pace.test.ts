import { describe, expect, test } from "vitest";
import { firstWindowBytes, Pace } from "./pace.ts";

describe("a cable of the benchmarks", () => {
  test("by default everything arrives half a round trip later, however much it is", () => {
    const pace = new Pace({ rttMs: 100 });
    expect(pace.arrival(10_000_000, 5)).toBe(55);
    expect(pace.arrival(1, 6)).toBe(56);
  });

  test("with a bandwidth, a megabyte at 8 Mbit/s takes a second, and what follows waits for it", () => {
    const pace = new Pace({ rttMs: 100, bitsPerSecond: 8_000_000 });
    expect(pace.arrival(1_000_000, 0)).toBeCloseTo(1050);
    expect(pace.arrival(1000, 0)).toBeCloseTo(1051);
    expect(pace.arrival(1000, 5000)).toBeCloseTo(5051);
  });

  test("with slow start, ten segments go at once, twice as many a round trip later, and so on", () => {
    const pace = new Pace({ rttMs: 100, slowStart: true });
    expect(pace.arrival(firstWindowBytes, 0)).toBe(50);
    expect(pace.arrival(2 * firstWindowBytes, 0)).toBe(150);
    expect(pace.arrival(4 * firstWindowBytes, 0)).toBe(250);
    expect(pace.arrival(1, 0)).toBe(350);
  });

  test("with slow start, what fits into ten segments takes no longer, on a connection that was idle for long", () => {
    const pace = new Pace({ rttMs: 100, slowStart: true });
    pace.arrival(100 * firstWindowBytes, 0);
    expect(pace.arrival(firstWindowBytes, 10_000)).toBe(10_050);
    expect(pace.arrival(2 * firstWindowBytes, 10_000)).toBe(10_150);
  });
});
