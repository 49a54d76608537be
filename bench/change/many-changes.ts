import { join } from "node:path";
import type { LabHost } from "furrow/lab";
import type { Targets } from "../hosts/targets.ts";
import type { Measured } from "../measure/program.ts";
import { median } from "../measure/statistics.ts";
import { furrowRun } from "../tools/furrow/furrow.ts";
import { fresh } from "./fresh.ts";

/**
 * The numbers of changes to measure, each with its maximum number of rounds: runs with more changes need fewer rounds,
 * because their results vary less.
 */
const sizes = [
  { changes: 250, rounds: 3 },
  { changes: 1000, rounds: 2 },
  { changes: 4000, rounds: 1 },
] as const;

/**
 * The cost of making this many changes: the controller's CPU time per change, excluding the time that a run with two
 * changes takes.
 */
export interface ManyChanges {
  readonly changes: number;
  readonly rounds: number;
  readonly planCpuMsPerChange: number;
  readonly runCpuMsPerChange: number;
  readonly runWallMs: number;
}

/** Plans and makes 250, 1,000 and 4,000 changes: half of them new directories, half new files. */
export async function manyChanges(host: LabHost, targets: Targets, most: number): Promise<ManyChanges[]> {
  const playbook = join(import.meta.dirname, "many-playbook.ts");
  const run = (changes: number, ...flags: readonly string[]): Promise<Measured> =>
    fresh(host, furrowRun(playbook, targets, ...flags, "--var", `changes=${changes}`));
  const least = cpuOf(await several(most, () => run(2, "--check")));
  const rows: ManyChanges[] = [];
  for (const { changes, ...size } of sizes) {
    const rounds = Math.min(most, size.rounds);
    const planned = await several(rounds, () => run(changes, "--check"));
    const ran = await several(rounds, () => run(changes));
    const perChange = (runs: readonly Measured[]): number => Number(((cpuOf(runs) - least) / changes).toFixed(2));
    rows.push({
      changes,
      rounds,
      planCpuMsPerChange: perChange(planned),
      runCpuMsPerChange: perChange(ran),
      runWallMs: Math.round(median(ran.map(({ wallMs }) => wallMs))),
    });
  }
  return rows;
}

async function several(count: number, act: () => Promise<Measured>): Promise<Measured[]> {
  const all: Measured[] = [];
  for (let number = 0; number < count; number += 1) all.push(await act());
  return all;
}

function cpuOf(runs: readonly Measured[]): number {
  return median(runs.map(({ cpuMs }) => cpuMs));
}
