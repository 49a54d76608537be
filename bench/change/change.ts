import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { labDown, type LabHost, labUp, runInHost } from "../../src/lab/index.ts";
import { hostsOfLab, prepareSshd } from "../hosts/lab-hosts.ts";
import { reach, type Targets } from "../hosts/targets.ts";
import { startCable } from "../link/cable.ts";
import { type Measured, measuredWell, type Program } from "../measure/program.ts";
import { load, ratios } from "../measure/rounds.ts";
import { median, ratioOfRounds } from "../measure/statistics.ts";
import type { BenchOptions } from "../options.ts";
import { furrowRun } from "../tools/furrow/furrow.ts";
import { changedPath } from "./places.ts";

const counts = [250, 1000, 4000] as const;

/**
 * What it costs where much changes: the controller's CPU for each of 250, 1,000 and 4,000 changes, planned and run; a tree of
 * 200 files of 64 KiB beside tar through ssh; how many transactions five package tasks are.
 */
export async function change(options: BenchOptions): Promise<void> {
  const { json, runs, rtts } = options;
  const rounds = runs ?? 3;
  const folder = mkdtempSync(join(tmpdir(), "furrow-bench-"));
  const lab = await labUp({ hosts: 1, name: options.lab });
  try {
    await prepareSshd(lab);
    const [host] = lab.hosts;
    if (host === undefined) throw new Error("the lab has no host");
    const hosts = hostsOfLab(lab);
    const near = await reach(hosts, join(folder, "near"), undefined);
    const figures = {
      benchmark: "change",
      runs: rounds,
      transactions: await transactions(host, near),
      changes: await manyChanges(host, near, rounds),
      tree: [] as object[],
      load: 0,
    };
    const source = makeTree(join(folder, "source"));
    for (const rttMs of rtts ?? [0, 26]) {
      const cable = rttMs === 0 ? undefined : startCable({ rttMs, ...options.cable });
      const targets = cable === undefined ? near : await reach(hosts, join(folder, `${rttMs}`), cable);
      figures.tree.push({ rttMs, ...(await besideTar(host, targets, source, rounds)) });
      cable?.close();
    }
    figures.load = load();
    process.stdout.write(`${json ? JSON.stringify(figures) : asText(figures)}\n`);
  } finally {
    await labDown({ name: options.lab });
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a program on a host on which nothing of an earlier run is left. */
async function fresh(host: LabHost, program: Program): Promise<Measured> {
  await runInHost(host, ["rm", "-rf", changedPath]);
  return measuredWell(program);
}

async function manyChanges(host: LabHost, targets: Targets, rounds: number): Promise<object[]> {
  const playbook = join(import.meta.dirname, "many-playbook.ts");
  const rows: object[] = [];
  const idle = await several(rounds, () => fresh(host, furrowRun(playbook, targets, "--check", "--var", "changes=2")));
  const least = cpuOf(idle);
  for (const changes of counts) {
    const flags = ["--var", `changes=${changes}`];
    const planned = await several(rounds, () => fresh(host, furrowRun(playbook, targets, "--check", ...flags)));
    const ran = await several(rounds, () => fresh(host, furrowRun(playbook, targets, ...flags)));
    rows.push({
      changes,
      planCpuMsPerChange: round((cpuOf(planned) - least) / changes),
      runCpuMsPerChange: round((cpuOf(ran) - least) / changes),
      runWallMs: Math.round(median(ran.map(({ wallMs }) => wallMs))),
    });
  }
  return rows;
}

async function besideTar(host: LabHost, targets: Targets, source: string, rounds: number): Promise<object> {
  const name = targets.hosts[0]?.name ?? "";
  const unpack = `mkdir -p ${changedPath} && tar -xp -C ${changedPath}`;
  const tar = { argv: ["/bin/sh", "-c", `tar -c -C ${source} . | ssh -F ${targets.sshConfig} ${name} '${unpack}'`] };
  const tree = furrowRun(join(import.meta.dirname, "tree-playbook.ts"), targets, "--var", `source=${source}`);
  const pairs = { furrow: [] as Measured[], tar: [] as Measured[] };
  for (let count = 0; count <= rounds; count += 1) {
    const taken = { furrow: await fresh(host, tree), tar: await fresh(host, tar) };
    // The first round warms caches.
    if (count > 0) for (const tool of ["furrow", "tar"] as const) pairs[tool].push(taken[tool]);
  }
  const wall = (list: readonly Measured[]): number => Math.round(median(list.map(({ wallMs }) => wallMs)));
  return {
    furrowMs: wall(pairs.furrow),
    tarMs: wall(pairs.tar),
    ratio: ratioOfRounds(ratios(pairs.furrow, pairs.tar))?.toFixed(2) ?? "–",
  };
}

/** How often apt ran for five package tasks. */
async function transactions(host: LabHost, targets: Targets): Promise<number> {
  const count = async (): Promise<number> =>
    Number((await runInHost(host, ["sh", "-c", "grep -c Start-Date /var/log/apt/history.log || :"])).stdout);
  const before = await count();
  await measuredWell(furrowRun(join(import.meta.dirname, "packages-playbook.ts"), targets));
  return (await count()) - before;
}

/** 200 files of 64 KiB in 20 directories. */
function makeTree(folder: string): string {
  for (let number = 0; number < 200; number += 1) {
    const directory = join(folder, `part-${number % 20}`);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `file-${number}`), randomBytes(65_536));
  }
  return folder;
}

async function several(count: number, act: () => Promise<Measured>): Promise<Measured[]> {
  const all: Measured[] = [];
  for (let number = 0; number < count; number += 1) all.push(await act());
  return all;
}

function cpuOf(runs: readonly Measured[]): number {
  return median(runs.map(({ cpuMs }) => cpuMs));
}

function round(value: number): number {
  return Number(value.toFixed(2));
}

function asText(figures: object): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name.padEnd(14)} ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join("\n");
}
