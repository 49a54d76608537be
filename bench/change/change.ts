import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { labDown, type LabHost, labUp, runInHost } from "furrow/lab";
import { hostsOfLab, prepareSshd } from "../hosts/lab-hosts.ts";
import { reach, type Targets } from "../hosts/targets.ts";
import { startCable } from "../link/cable.ts";
import { measuredWell } from "../measure/program.ts";
import { load } from "../measure/rounds.ts";
import type { BenchOptions } from "../options.ts";
import { furrowRun } from "../tools/furrow/furrow.ts";
import { besideTar, makeTree } from "./beside-tar.ts";
import { encryptedKeyMs } from "./encrypted-key.ts";
import { manyChanges } from "./many-changes.ts";

/**
 * Measures the cost of many changes. It counts the apt transactions of five package tasks, measures the extra cost of
 * an encrypted key, and compares `directoryTree` with tar over ssh for a tree of 200 files of 64 KiB. It also measures
 * the controller's CPU time per change for planning and making 250, 1,000 and 4,000 changes.
 */
export async function change(options: BenchOptions): Promise<void> {
  const { json, runs = 3, rtts = [0, 26], cable: kind } = options;
  const say = (what: string): void => {
    process.stderr.write(`${new Date().toISOString().slice(11, 19)} change: ${what}, load ${load()}\n`);
  };
  const folder = mkdtempSync(join(tmpdir(), "furrow-bench-"));
  const lab = await labUp({ hosts: 1, name: options.lab });
  try {
    await prepareSshd(lab);
    const [host] = lab.hosts;
    if (host === undefined) throw new Error("the lab has no host");
    const hosts = hostsOfLab(lab);
    const near = await reach(hosts, join(folder, "near"), undefined);
    say("five package tasks");
    const packages = await transactions(host, near);
    say("an encrypted key");
    const encrypted = await encryptedKeyMs(near, folder, runs);
    const source = makeTree(join(folder, "source"));
    const tree: object[] = [];
    for (const rttMs of rtts) {
      say(`a tree, ${rttMs} ms away`);
      const cable = rttMs === 0 ? undefined : startCable({ rttMs, ...kind });
      const targets = cable === undefined ? near : await reach(hosts, join(folder, `${rttMs}`), cable);
      tree.push({ rttMs, ...(await besideTar(host, targets, source, runs)) });
      cable?.close();
    }
    say("many changes");
    const changes = await manyChanges(host, near, runs);
    const figures = {
      benchmark: "change",
      runs,
      load: load(),
      transactions: packages,
      encryptedKeyCpuMs: encrypted,
      tree,
      changes,
    };
    process.stdout.write(`${json ? JSON.stringify(figures) : asText(figures)}\n`);
  } finally {
    await labDown({ name: options.lab });
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Counts how often apt runs for five package tasks. The package lists are fresh, because a task that has to fetch them
 * runs alone.
 */
async function transactions(host: LabHost, targets: Targets): Promise<number> {
  const count = async (): Promise<number> =>
    Number((await runInHost(host, ["sh", "-c", "grep -c Start-Date /var/log/apt/history.log || :"])).stdout);
  await runInHost(host, ["apt-get", "update", "-qq"]);
  const before = await count();
  await measuredWell(furrowRun(join(import.meta.dirname, "packages-playbook.ts"), targets));
  return (await count()) - before;
}

function asText(figures: object): string {
  const list = (value: readonly object[]): string => value.map((row) => `\n  ${JSON.stringify(row)}`).join("");
  return Object.entries(figures)
    .map(([name, value]) => `${name.padEnd(18)} ${Array.isArray(value) ? list(value as object[]) : value}`)
    .join("\n");
}
