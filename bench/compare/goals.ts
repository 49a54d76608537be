import { tools } from "../tools/tools.ts";
import { ratioOfRounds, slope } from "../measure/statistics.ts";
import type { Cell, Figures } from "./figures.ts";

/** A goal for furrow and its measured value, which is undefined if it was not measured. */
export interface Goal {
  readonly what: string;
  readonly wanted: string;
  readonly measured: string | undefined;
}

/**
 * For each round-trip time at which `over` and `under` have at least two rounds in common: the median of the ratios of
 * `over`'s time to `under`'s time in the same round.
 */
export function ratiosOf(
  figures: Figures,
  workload: string,
  over: string,
  under: string,
  figure: "wallMs" | "cpuMs" = "wallMs",
): Map<number, number> {
  const ratios = new Map<number, number>();
  for (const cell of cellsOf(figures, workload, over)) {
    const beside = cellsOf(figures, workload, under).find(
      ({ rttMs, series }) => rttMs === cell.rttMs && series === cell.series,
    );
    const pairs = cell[figure].map((time, round) => time / (beside?.[figure][round] ?? Number.NaN));
    const ratio = ratioOfRounds(pairs);
    if (ratio !== undefined) ratios.set(cell.rttMs, ratio);
  }
  return new Map([...ratios].toSorted(([a], [b]) => a - b));
}

/**
 * The number of round trips of a tool's run: as counted by the proxy, or else the slope of its minimum wall times over
 * the round-trip times. Undefined if the tool ran at only one distance, or if the machine's noise hides the slope.
 */
export function roundTrips(figures: Figures, workload: string, tool: string): number | undefined {
  const counted = figures.looks.find((look) => look.workload === workload && look.tool === tool)?.roundTrips;
  if (counted !== undefined && counted > 0) return counted;
  // A count is more reliable than an estimate from wall times.
  if (tools.find(({ name }) => name === tool)?.slow !== true) return undefined;
  // The time that a large file takes to transfer depends on TCP windows, not on the number of round trips.
  if (workload.startsWith("g")) return undefined;
  const cells = cellsOf(figures, workload, tool).filter(({ wallMs }) => wallMs.length > 0);
  if (cells.length < 2) return undefined;
  const rise = slope(
    cells.map((cell) => ({ x: figures.rttMs[cell.rttMs] ?? cell.rttMs, y: Math.min(...cell.wallMs) })),
  );
  return rise > 0 ? rise : undefined;
}

/** All goals, in the order in which they were set. */
export function goals(figures: Figures): readonly Goal[] {
  const ratio = (workload: string, over: string, under: string): string | undefined =>
    each(ratiosOf(figures, workload, over, under));
  // The ratio is the same at every distance, so it is measured at the shortest, where waiting adds the least.
  const [cpu] = ratiosOf(figures, "a", "furrow", "floor", "cpuMs").values();
  const trips = (workload: string): string | undefined => roundTrips(figures, workload, "furrow")?.toFixed(1);
  const connect = roundTrips(figures, "e", "furrow");
  const beyond = connect === undefined ? "" : `; e (connect + 1) takes ${connect.toFixed(1)}`;
  const more = (workload: string): string | undefined => {
    const count = trips(workload);
    return count === undefined ? undefined : `${count} in all${beyond}`;
  };
  const { start, scale } = figures;
  const begun = start?.rows.map(({ what, beside, ratio: times }) => ({
    what,
    text: times === undefined ? undefined : `${times.toFixed(2)} × (${beside})`,
  }));
  const run = (distance: string): string | undefined =>
    begun?.find(({ what }) => what.includes("1 task") && what.includes(` ${distance} ms`))?.text;
  return [
    { what: "a: wall, furrow over floor", wanted: "≤ 1.5 ×", measured: ratio("a", "furrow", "floor") },
    {
      what: "a: wall, furrow over floor, pipelined",
      wanted: "≤ 1.5 ×",
      measured: ratio("a", "furrow", "floor-pipelined"),
    },
    {
      what: "a: CPU, furrow over floor",
      wanted: "≤ 1.5 ×",
      measured: cpu === undefined ? undefined : `${cpu.toFixed(2)} ×`,
    },
    { what: "a: round trips", wanted: "≤ 4.2 in all", measured: more("a") },
    { what: "a: wall, Ansible over furrow", wanted: "≥ 30 ×", measured: ratio("a", "ansible", "furrow") },
    { what: "a: wall, Mitogen over furrow", wanted: "≥ 12 ×", measured: ratio("a", "mitogen", "furrow") },
    { what: "b: round trips", wanted: "≤ connect + 6", measured: more("b") },
    { what: "b: wall, Ansible over furrow", wanted: "≥ 8 ×", measured: ratio("b", "ansible", "furrow") },
    { what: "c: round trips", wanted: "≤ connect + 4", measured: more("c") },
    {
      what: "CPU per additional host-task",
      wanted: "≤ 0.2 ms",
      measured: scale && `${scale.cpuMsPerHostTask.median} ms`,
    },
    { what: "CPU per connection, warm", wanted: "≤ 15 ms", measured: scale && `${scale.cpuMsPerConnection.median} ms` },
    { what: "memory per connection", wanted: "≤ 1 MB", measured: scale && `${scale.kibibytesPerConnection} KiB` },
    { what: "h: wall, furrow over floor", wanted: "≤ 2 ×", measured: ratio("h", "furrow", "floor") },
    {
      what: "g: wall, furrow over scp",
      wanted: "≤ 1.3 × at 0 ms, ≤ 0.5 × at 100",
      measured: ratio("g", "furrow", "openssh"),
    },
    { what: "g2: bytes sent", wanted: "none of the file", measured: sent(figures) },
    {
      what: "`furrow --version`",
      wanted: "≤ 1.5 ×",
      measured: begun?.find(({ what }) => what.includes("--version"))?.text,
    },
    { what: "1 converged task at 0 ms", wanted: "≤ 2 ×", measured: run("0") },
    { what: "1 converged task at 26 ms", wanted: "≤ 1.0 ×", measured: run("26") },
    { what: "1 converged task at 100 ms", wanted: "≤ 1.0 ×", measured: run("100") },
  ];
}

function cellsOf(figures: Figures, workload: string, tool: string): readonly Cell[] {
  return figures.cells.filter((cell) => cell.workload === workload && cell.tool === tool);
}

function each(ratios: ReadonlyMap<number, number>): string | undefined {
  const texts = [...ratios].map(([rttMs, times]) => `${times.toFixed(times < 10 ? 2 : 0)} × at ${rttMs} ms`);
  return texts.length === 0 ? undefined : texts.join(", ");
}

function sent(figures: Figures): string | undefined {
  const look = figures.looks.find(({ workload, tool }) => workload === "g2" && tool === "furrow");
  return look && `${(look.bytesOut / 1000).toFixed(1)} kB`;
}
