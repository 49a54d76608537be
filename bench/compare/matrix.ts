import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, release, tmpdir } from "node:os";
import { join } from "node:path";
import type { Fleet } from "../hosts/fleet.ts";
import { labFleet, type LabFleet } from "../hosts/lab-fleet.ts";
import { chrootFleet } from "../hosts/chroot-fleet.ts";
import type { BenchOptions } from "../options.ts";
import type { Tool } from "../tools/tool.ts";
import { tools as allTools } from "../tools/tools.ts";
import { writeBig } from "../workloads/big.ts";
import { writeTree } from "../workloads/tree.ts";
import { type Workload, workloads } from "../workloads/workloads.ts";
import { compare, realRtts } from "./compare.ts";
import { asMarkdown } from "./markdown.ts";
import { gatherFigures, keepFigures } from "./store.ts";

/**
 * Runs the named workloads with the named tools; by default, all workloads and all tools. Stores the figures and
 * rewrites the table.
 */
export async function matrix(letters: readonly string[], options: BenchOptions): Promise<void> {
  const wished =
    letters.length === 0 ? workloads : letters.flatMap((letter) => workloads.filter(({ id }) => id === letter));
  const say = (line: string): void => void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
  const tools = installed(
    allTools.filter(({ name }) => options.tools === undefined || options.tools.includes(name)),
    say,
  );
  const rtts = options.rtts ?? [0, 26, 100];
  const series = new Date().toISOString().slice(0, 19);
  const folder = mkdtempSync(join(tmpdir(), "furrow-bench-"));
  const sources = { tree: join(folder, "tree"), big: join(folder, "big.img") };
  writeTree(sources.tree);
  if (wished.some(({ id }) => id.startsWith("g"))) writeBig(sources.big);
  // The tables show only results from links without a bandwidth limit or slow start.
  const { bitsPerSecond, slowStart } = options.cable;
  const keep = bitsPerSecond === undefined && slowStart !== true ? keepFigures : gatherFigures();
  keep({ machine: machine(tools), rttMs: await realRtts(rtts) });
  const lab = await labFleet(
    options.lab,
    tools.some(({ slow }) => slow),
  );
  const fleets = new Map<Workload["hosts"], Fleet>([
    [1, lab],
    [4, lab],
  ]);
  try {
    for (const workload of wished) {
      const fleet = fleets.get(workload.hosts) ?? (await manyHosts(lab, join(folder, "layer")));
      fleets.set(workload.hosts, fleet);
      const rounds = options.runs ?? 7;
      const slowRounds = Math.min(rounds, options.slowRuns ?? 3);
      const places = { workload, fleet, tools, folder: join(folder, workload.id), sources };
      await compare({ ...places, cable: options.cable, rtts, rounds, slowRounds, series, say, keep });
    }
  } finally {
    for (const fleet of new Set(fleets.values())) await fleet.end();
    rmSync(folder, { recursive: true, force: true });
  }
  const figures = keep({});
  process.stdout.write(`${options.json ? JSON.stringify(figures) : asMarkdown(figures)}\n`);
}

function manyHosts(lab: LabFleet, folder: string): Promise<Fleet> {
  const names = Array.from({ length: 100 }, (_, index) => `many-${index + 1}`);
  return chrootFleet(lab.layers(folder), names);
}

/** Returns the tools that are installed or that root can install with apt, and reports all others. */
function installed(tools: readonly Tool[], say: (line: string) => void): readonly Tool[] {
  return tools.filter(({ name, packages }) => {
    const missing = packages.filter((it) => spawnSync("dpkg-query", ["-W", it]).status !== 0);
    if (missing.length === 0) return true;
    say(`installing ${missing.join(" ")}`);
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const apt = spawnSync("apt-get", ["install", "-qqy", "--no-install-recommends", ...missing], { env });
    if (apt.status !== 0) say(`${name} is skipped: apt-get cannot install ${missing.join(" ")}`);
    return apt.status === 0;
  });
}

function machine(tools: readonly Tool[]): Record<string, string> {
  const packages = tools.flatMap((tool) => tool.packages);
  const versions = packages.map((name): [string, string] => [name, version(name)]);
  return {
    CPUs: `${cpus().length} × ${cpus()[0]?.model ?? ""}`,
    kernel: release(),
    Node: process.version,
    ...Object.fromEntries(versions),
  };
}

function version(name: string): string {
  return execFileSync("dpkg-query", ["-W", "-f", "${Version}", name], { encoding: "utf8" });
}
