import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { labDown, labUp } from "furrow/lab";
import type { ScaleFigures } from "../compare/own-figures.ts";
import { keepFigures } from "../compare/store.ts";
import { hostsOfLab, prepareSshd } from "../hosts/lab-hosts.ts";
import { type Hosts, reach } from "../hosts/targets.ts";
import { measuredWell, type Program } from "../measure/program.ts";
import { inTurns, load } from "../measure/rounds.ts";
import { median, spread } from "../measure/statistics.ts";
import type { BenchOptions } from "../options.ts";
import { furrowRun } from "../tools/furrow/furrow.ts";

/**
 * Two numbers of connections: the difference between the runs with these numbers shows the cost of each additional
 * connection.
 */
const few = 8;
const many = 104;

/**
 * Measures what additional work costs the controller. Runs with 4 × 50 and 4 × 500 converged tasks show the CPU time
 * for each additional task on a host. Runs with 8 and 104 connections (to the same four hosts, under different names)
 * show the CPU time and memory for each additional connection.
 */
export async function scale(options: BenchOptions): Promise<void> {
  const { json, runs } = options;
  const rounds = runs ?? 7;
  const folder = mkdtempSync(join(tmpdir(), "furrow-bench-"));
  const lab = await labUp({ hosts: 4, name: options.lab });
  try {
    await prepareSshd(lab);
    const hosts = hostsOfLab(lab);
    const four = await reach(hosts, join(folder, "four"), undefined);
    const playbook = join(import.meta.dirname, "playbook.ts");
    const tasks = {
      fifty: furrowRun(playbook, four, "--var", "groups=1"),
      fiveHundred: furrowRun(playbook, four, "--var", "groups=10"),
    };
    await converge(tasks.fiveHundred);
    const byTasks = await inTurns(tasks, rounds);
    const one = join(import.meta.dirname, "../tools/furrow/one.ts");
    const connections = {
      few: furrowRun(one, await reach(named(hosts, few), join(folder, "few"), undefined)),
      many: furrowRun(one, await reach(named(hosts, many), join(folder, "many"), undefined)),
    };
    await converge(furrowRun(one, four));
    const byConnections = await inTurns(connections, rounds);
    const bytes = {
      few: (await measuredWell(connections.few, { memory: true })).peakBytes,
      many: (await measuredWell(connections.many, { memory: true })).peakBytes,
    };
    const difference = (
      over: readonly { cpuMs: number }[],
      under: readonly { cpuMs: number }[],
      by: number,
    ): number[] => over.map(({ cpuMs }, round) => (cpuMs - (under[round]?.cpuMs ?? Number.NaN)) / by);
    const figures: ScaleFigures = {
      benchmark: "scale",
      runs: rounds,
      load: load(),
      cpuMsPerHostTask: spread(difference(byTasks.fiveHundred, byTasks.fifty, 4 * 450), 3),
      cpuMs: { "4 x 50": cpu(byTasks.fifty), "4 x 500": cpu(byTasks.fiveHundred) },
      wallMs: { "4 x 50": wall(byTasks.fifty), "4 x 500": wall(byTasks.fiveHundred) },
      cpuMsPerConnection: spread(difference(byConnections.many, byConnections.few, many - few), 1),
      kibibytesPerConnection: Math.round((bytes.many - bytes.few) / (many - few) / 1024),
      peakMebibytes: { [few]: Math.round(bytes.few / 2 ** 20), [many]: Math.round(bytes.many / 2 ** 20) },
    };
    keepFigures({ scale: figures });
    process.stdout.write(`${json ? JSON.stringify(figures) : asText(figures)}\n`);
  } finally {
    await labDown({ name: options.lab });
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns `count` hosts: the same few machines under different names. */
function named(hosts: Hosts, count: number): Hosts {
  const all = Array.from({ length: count }, (_, index) => {
    const host = hosts.hosts[index % hosts.hosts.length];
    if (host === undefined) throw new Error("no hosts");
    return { ...host, name: `${host.name}.${index}` };
  });
  return { ...hosts, hosts: all, keysOf: (name) => hosts.keysOf(name.split(".")[0] ?? "") };
}

/** Runs a playbook twice; throws if the second run still changes something. */
async function converge(program: Program): Promise<void> {
  await measuredWell(program);
  const second = await measuredWell(program);
  if (!/^0 changed/m.test(second.stdout)) throw new Error(`the second run changed something:\n${second.stdout}`);
}

function cpu(runs: readonly { readonly cpuMs: number }[]): number {
  return Math.round(median(runs.map(({ cpuMs }) => cpuMs)));
}

function wall(runs: readonly { readonly wallMs: number }[]): number {
  return Math.round(median(runs.map(({ wallMs }) => wallMs)));
}

function asText(figures: object): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name.padEnd(24)} ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join("\n");
}
