import { describe, expect, test } from "vitest";
import { type Cell, type Figures, merged } from "./figures.ts";
import { ratiosOf, roundTrips } from "./goals.ts";
import { asMarkdown } from "./markdown.ts";

const cell = (tool: string, rttMs: number, wallMs: readonly number[], series = "1"): Cell => {
  return { workload: "a", tool, rttMs, wallMs, cpuMs: wallMs, hostCpuMs: wallMs, load: 1, series };
};
const none: Figures = { machine: {}, rttMs: {}, cells: [], looks: [], remarks: [] };

describe("the benchmarks' figures", () => {
  test("are replaced by a repeated measurement, and otherwise kept", () => {
    const old = { ...none, cells: [cell("furrow", 0, [9]), cell("furrow", 26, [9]), cell("floor", 0, [9])] };
    const { cells } = merged(old, { ...none, cells: [cell("furrow", 0, [1], "2")] });
    expect(cells.map(({ tool, rttMs, wallMs }) => [tool, rttMs, ...wallMs])).toEqual([
      ["furrow", 26, 9],
      ["floor", 0, 9],
      ["furrow", 0, 1],
    ]);
  });

  test("include a ratio that is computed within each round, so a machine that slows down between rounds does not distort it", () => {
    const figures = { ...none, cells: [cell("furrow", 0, [100, 400, 1000]), cell("ansible", 0, [3000, 12_000])] };
    expect([...ratiosOf(figures, "a", "ansible", "furrow")]).toEqual([[0, 30]]);
    expect([...ratiosOf(figures, "a", "furrow", "ansible")]).toEqual([[0, 1 / 30]]);
  });

  test("include no ratio between measurements from different invocations", () => {
    const figures = { ...none, cells: [cell("furrow", 0, [1, 1]), cell("floor", 0, [1, 1], "2")] };
    expect(ratiosOf(figures, "a", "furrow", "floor").size).toBe(0);
  });

  test("include a slow tool's round trips, derived from its minimum times and the actual round-trip times", () => {
    const figures = {
      ...none,
      rttMs: { 100: 101 },
      cells: [cell("ansible", 0, [700, 300]), cell("ansible", 100, [1007, 4000])],
    };
    expect(roundTrips(figures, "a", "ansible")).toBeCloseTo(7);
  });

  test("include no ratio that is based on a single round", () => {
    const figures = { ...none, cells: [cell("furrow", 0, [120, 120]), cell("ansible", 0, [7731])] };
    const text = asMarkdown(figures);
    expect(ratiosOf(figures, "a", "ansible", "furrow").size).toBe(0);
    expect(text).toMatch(/a: wall, Ansible over furrow +\| ≥ 30 × +\| not measured/);
    expect(text).not.toMatch(/64(\.\d+)? ×/);
  });

  test("include no negative round trips, even if a slow tool's times fell or old figures contain them", () => {
    const falls = { ...none, cells: [cell("mitogen", 0, [3000]), cell("mitogen", 100, [1000])] };
    expect(roundTrips(falls, "a", "mitogen")).toBeUndefined();
    const look = { workload: "a", tool: "furrow", connections: 1, bytesOut: 1, bytesIn: 1, sessions: 1, peakBytes: 1 };
    const kept = { ...none, looks: [{ ...look, series: "1", roundTrips: -0.3 }] };
    expect(roundTrips(kept, "a", "furrow")).toBeUndefined();
    expect(asMarkdown({ ...falls, looks: kept.looks })).not.toMatch(/\| -\d/);
  });

  test("show each goal's measured value, or say that it was not measured", () => {
    const text = asMarkdown({ ...none, cells: [cell("furrow", 0, [120, 120]), cell("floor", 0, [100, 100])] });
    expect(text).toContain("1.20 × at 0 ms");
    expect(text).toMatch(/a: CPU, furrow over floor +\| ≤ 1.5 × +\| 1.20 ×/);
    expect(text).toContain("not measured");
  });
});
