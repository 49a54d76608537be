import { describe, expect, test } from "vitest";
import { type Cell, type Figures, merged } from "./figures.ts";
import { roundTrips, wallRatios } from "./goals.ts";
import { asMarkdown } from "./markdown.ts";

const cell = (tool: string, rttMs: number, wallMs: readonly number[], series = "1"): Cell => {
  return { workload: "a", tool, rttMs, wallMs, cpuMs: wallMs, hostCpuMs: wallMs, load: 1, series };
};
const none: Figures = { machine: {}, rttMs: {}, cells: [], looks: [], remarks: [] };

describe("figures that are kept", () => {
  test("what is measured again replaces what it was, and nothing else", () => {
    const old = { ...none, cells: [cell("furrow", 0, [9]), cell("furrow", 26, [9]), cell("floor", 0, [9])] };
    const { cells } = merged(old, { ...none, cells: [cell("furrow", 0, [1], "2")] });
    expect(cells.map(({ tool, rttMs, wallMs }) => [tool, rttMs, ...wallMs])).toEqual([
      ["furrow", 26, 9],
      ["floor", 0, 9],
      ["furrow", 0, 1],
    ]);
  });

  test("a ratio is made of pairs of one round: a machine that slows down between rounds does not change it", () => {
    const figures = { ...none, cells: [cell("furrow", 0, [100, 400, 1000]), cell("ansible", 0, [3000, 12_000])] };
    expect([...wallRatios(figures, "a", "ansible", "furrow")]).toEqual([[0, 30]]);
    expect([...wallRatios(figures, "a", "furrow", "ansible")]).toEqual([[0, 1 / 30]]);
  });

  test("there is no ratio between figures of different invocations", () => {
    const figures = { ...none, cells: [cell("furrow", 0, [1]), cell("floor", 0, [1], "2")] };
    expect(wallRatios(figures, "a", "furrow", "floor").size).toBe(0);
  });

  test("round trips of a slow tool come from the least times, by the round-trip times that were really there", () => {
    const figures = {
      ...none,
      rttMs: { 100: 101 },
      cells: [cell("ansible", 0, [700, 300]), cell("ansible", 100, [1007, 4000])],
    };
    expect(roundTrips(figures, "a", "ansible")).toBeCloseTo(7);
  });

  test("the page says of each goal what was measured, or that it was not", () => {
    const text = asMarkdown({ ...none, cells: [cell("furrow", 0, [120]), cell("floor", 0, [100])] });
    expect(text).toContain("1.20 × at 0 ms");
    expect(text).toContain("not measured");
  });
});
