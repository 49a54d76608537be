import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { labDown, labList, labStateDir, labUp } from "../../src/lab/index.ts";
import { hostLeader } from "../../src/lab/machine/inside.ts";
import { labMark } from "../../src/lab/places.ts";

const name = `crash-${process.pid}`;
const scripts = new URL("../../scripts/lab.ts", import.meta.url).pathname;

async function stdout(...argv: readonly string[]): Promise<string> {
  const [program = "", ...words] = argv;
  return (await promisify(execFile)(program, words)).stdout;
}

/**
 * Everything on the machine that only a lab creates, one line each: mounts and loop devices of files in the state
 * directory, network links, firewall tables, cgroups and processes. The list is read with the system's own tools, not
 * with the lab's code.
 */
async function machineState(): Promise<string[]> {
  const state = labStateDir();
  const mounts = (await readFile("/proc/mounts", "utf8")).split("\n").filter((line) => line.includes(state));
  const loops = lines(await stdout("losetup", "--list", "--noheadings", "--raw", "--output", "NAME,BACK-FILE"));
  const links = lines(await stdout("ip", "-o", "link")).map((line) => /: (\S+): .*?(master \S+|$)/.exec(line));
  const tables = lines(await stdout("nft", "list", "tables"));
  const cgroups = lines(await stdout("find", "/sys/fs/cgroup", "-maxdepth", "3", "-type", "d", "-name", "furrow*"));
  const processes = lines(await stdout("ps", "-eo", "pid,stat,args")).filter((line) => !/^ *\d+ Z/.test(line));
  return [
    ...mounts.map((line) => `mount ${line.split(" ").slice(0, 3).join(" ")}`),
    ...loops.filter((line) => line.includes(state)).map((line) => `loop ${line}`),
    ...links
      .filter((found) => /^(furrow|vb-)/.test(found?.[1] ?? ""))
      .map((found) => `link ${found?.[1]} ${found?.[2]}`),
    ...tables.filter((line) => line.includes("furrow")).map((line) => `firewall ${line}`),
    ...cgroups.map((line) => `cgroup ${line}`),
    ...processes.filter((line) => /nspawn|furrow-lab|apt-cache-process/.test(line)).map((line) => `process ${line}`),
  ];
}

function lines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

/**
 * Runs `labUp` in a separate process and kills it with SIGKILL after some milliseconds. Returns true if `labUp` had
 * not finished.
 */
async function killedUp(milliseconds: number, env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  const child = spawn(process.execPath, [scripts, "up", "2", "--disks", "2", "--name", name], { stdio: "ignore", env });
  const exit = once(child, "exit");
  const late = await Promise.race([exit.then(() => true), sleep(milliseconds, false)]);
  child.kill("SIGKILL");
  await exit;
  return !late;
}

/** The time that an undisturbed `labUp` takes now, in milliseconds. */
async function startTime(): Promise<number> {
  const start = Date.now();
  await killedUp(60_000);
  const taken = Date.now() - start;
  await labDown({ name });
  return taken;
}

let before: string[];
/**
 * The shorter of two measurements: if other work had slowed down a single measurement, all kills would come too late.
 */
let whole: number;

beforeAll(async () => {
  // The image is built here, so that the kills hit the start of the hosts and not the build.
  await labUp({ hosts: 1, name });
  await labDown({ name });
  whole = Math.min(await startTime(), await startTime());
  before = await machineState();
});

afterAll(() => labDown({ name }));

/**
 * The new lines of the machine's state that remain for some seconds, except for those of other labs on this machine.
 * The list of labs does not contain the network of a lab that is being created or removed.
 */
async function leftovers(): Promise<string[]> {
  for (let tries = 1; tries < 20; tries += 1) {
    if ((await foundNow()).length === 0) return [];
    await sleep(500);
  }
  return foundNow();
}

async function foundNow(): Promise<string[]> {
  // A lab may appear or disappear while the machine's state is read.
  const earlier = await labList();
  const now = await machineState();
  const others = [...earlier, ...(await labList())].filter((lab) => lab.name !== name);
  const leaders = await Promise.all(others.flatMap(({ hosts }) => hosts.map((host) => hostLeader(host))));
  const theirs = [
    ...others.flatMap((lab) => [lab.directory, labMark(lab.directory), lab.bridge]).filter((word) => word !== ""),
    // A command that runs in another lab's host is recognized only by the PID of the host's first process.
    ...leaders.filter((pid) => pid !== undefined).map((pid) => `nsenter --target=${pid} `),
  ];
  return now.filter((line) => !before.includes(line) && !theirs.some((word) => line.includes(word)));
}

const moments = Array.from({ length: 12 }, (_, index) => Math.round((100 * (index + 2)) / 14));
let early = 0;

test.each(moments)("a lab that was killed at %d percent of its start is removed without a trace", async (percent) => {
  if (await killedUp((whole * percent) / 100)) early++;
  await labDown({ name });
  expect(await leftovers()).toEqual([]);
  expect(await readdir(`${labStateDir()}/labs`)).not.toContain(name);
});

test("most of these kills hit a lab that was not up yet", () => {
  expect(early).toBeGreaterThan(moments.length / 2);
});

test("after a kill, the next labUp starts from scratch, and its hosts work", async () => {
  // The measured start may have been slow, so the loop kills earlier and earlier until a kill hits a lab that is not up
  // yet.
  for (let after = whole * 0.7; !(await killedUp(after)); after *= 0.7) await labDown({ name });
  const lab = await labUp({ hosts: 1, name });
  expect(lab.hosts).toHaveLength(1);
  await labDown({ name });
  expect(await leftovers()).toEqual([]);
});

test("labDown without a lab does nothing", async () => {
  await labDown({ name });
  await labDown({ name });
  expect(await leftovers()).toEqual([]);
});
