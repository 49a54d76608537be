import { execFile } from "node:child_process";
import { join } from "node:path";
import type { BenchOptions } from "../options.ts";
import { labDown, labUp } from "furrow/lab";
import { ratioOfRounds, spread, type Spread } from "../measure/statistics.ts";

const root = join(import.meta.dirname, "../..");

/**
 * Compares a converged rerun of 50 tasks on 4 hosts with the floor. They run alternately, each in a process of its own,
 * so the machine's noise affects both.
 */
export async function rerun(options: BenchOptions): Promise<void> {
  const { json, lab: name, runs: wished } = options;
  const runs = wished ?? 15;
  const lab = await labUp({ hosts: 4, name });
  try {
    const labFile = join(lab.directory, "lab.json");
    const timed = (argv: readonly string[]): ReturnType<typeof timedOn> => timedOn(name, argv);
    const furrow = ["bin/furrow.js", "run", "bench/rerun/playbook.ts", "-i", "inventory/lab.ts"];
    const floor = ["bench/rerun/floor.ts", labFile];
    await timed(furrow);
    const second = await timed(furrow);
    if (!second.output.includes("0 changed")) throw new Error(`the second run changed something:\n${second.output}`);
    const pairs: { furrow: number; floor: number }[] = [];
    for (let index = 0; index < runs; index += 1) {
      const first = index % 2 === 0;
      const a = await timed(first ? furrow : floor);
      const b = await timed(first ? floor : furrow);
      pairs.push({ furrow: (first ? a : b).ms, floor: (first ? b : a).ms });
    }
    const figures = {
      benchmark: "rerun",
      hosts: 4,
      tasks: 50,
      runs,
      furrowMs: spread(pairs.map((pair) => pair.furrow)),
      floorMs: spread(pairs.map((pair) => pair.floor)),
      ratioToFloor: ratioOfRounds(pairs.map((pair) => pair.furrow / pair.floor)),
    };
    process.stdout.write(json ? `${JSON.stringify(figures)}\n` : asText(figures));
  } finally {
    await labDown({ name });
  }
}

interface Figures {
  readonly furrowMs: Spread;
  readonly floorMs: Spread;
  /** The ratio; undefined if it would be based on a single round. */
  readonly ratioToFloor: number | undefined;
}

function asText({ furrowMs, floorMs, ratioToFloor }: Figures): string {
  const row = (name: string, { median: middle, min, max }: Spread): string =>
    `${name.padEnd(8)} ${String(middle).padStart(6)} ms   (${min} to ${max})\n`;
  return `a converged rerun of 50 tasks on 4 hosts, whole processes\n${row("furrow", furrowMs)}${row("floor", floorMs)}ratio to the floor: ${ratioToFloor?.toFixed(2) ?? "unknown after a single round"}\n`;
}

/** Runs a script of the repository in a separate process. Returns its wall time in milliseconds. */
function timedOn(lab: string, argv: readonly string[]): Promise<{ ms: number; output: string }> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const env = { ...process.env, FURROW_LAB_NAME: lab, NO_COLOR: "1" };
    execFile(process.execPath, argv, { cwd: root, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      const ms = performance.now() - started;
      if (error) reject(new Error(`${argv.join(" ")}\n${stdout}${stderr}`));
      else resolve({ ms, output: stdout });
    });
  });
}
