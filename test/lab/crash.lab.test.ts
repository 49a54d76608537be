import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { labDown, labList, labStateDir, labUp } from "../../src/lab/index.ts";
import { labDirectory } from "../../src/lab/places.ts";

const name = `crash-${process.pid}`;
const directory = labDirectory(name);
const scripts = new URL("../../scripts/lab.ts", import.meta.url).pathname;

async function stdout(...argv: readonly string[]): Promise<string> {
  const [program = "", ...words] = argv;
  return (await promisify(execFile)(program, words)).stdout;
}

/**
 * What is on the machine that a lab could have left: mounts, loop devices, network links, firewall tables, cgroups and
 * processes, one line each. Looked at with the system's own tools, not with the lab's.
 */
async function machineState(): Promise<string[]> {
  const mounts = (await readFile("/proc/mounts", "utf8"))
    .split("\n")
    .map((line) => `mount ${line.split(" ").slice(0, 3).join(" ")}`);
  const loops = (await stdout("losetup", "--list", "--noheadings", "--output", "NAME,BACK-FILE"))
    .split("\n")
    .map((line) => `loop ${line}`);
  const links = (await stdout("ip", "-o", "link")).split("\n").map((line) => `link ${line.split(": ")[1]}`);
  const tables = (await stdout("nft", "list", "tables")).split("\n").map((line) => `nft ${line}`);
  const cgroups = (await stdout("find", "/sys/fs/cgroup", "-maxdepth", "3", "-type", "d", "-name", "furrow*"))
    .split("\n")
    .map((line) => `cgroup ${line}`);
  const processes = (await stdout("ps", "-eo", "pid,stat,args"))
    .split("\n")
    .filter((line) => /nspawn|furrow-lab|mmdebstrap|apt-cache-process/.test(line) && !/ Z/.test(line));
  return [...mounts, ...loops, ...links, ...tables, ...cgroups, ...processes.map((line) => `process ${line.trim()}`)];
}

/** Runs `labUp` in a process of its own and kills it with SIGKILL after some milliseconds. True when it was not done. */
async function killedUp(milliseconds: number, env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  const child = spawn(process.execPath, [scripts, "up", "2", "--disks", "2", "--name", name], { stdio: "ignore", env });
  const exit = once(child, "exit");
  const late = await Promise.race([exit.then(() => true), sleep(milliseconds, false)]);
  child.kill("SIGKILL");
  await exit;
  return !late;
}

let before: string[];
let othersBefore: number;

beforeAll(async () => {
  // Built here, so that the kills hit the start of the hosts and not the building of their image.
  await labUp({ hosts: 1, name });
  await labDown({ name });
  othersBefore = (await labList()).length;
  before = await machineState();
});

afterAll(() => labDown({ name }));

/** What is there now and was not before, without what other labs of this machine may have brought meanwhile. */
async function leftovers(): Promise<string[]> {
  const now = await machineState();
  const others = (await labList()).length > 0 || othersBefore > 0;
  const fresh = now.filter((line) => !before.includes(line));
  return others ? fresh.filter((line) => line.includes(directory) || line.includes(name)) : fresh;
}

const moments = Array.from({ length: 12 }, (_, index) => 120 + index * 110);

test.each(moments)("killed after %d ms, a lab is removed without a trace", async (milliseconds) => {
  await killedUp(milliseconds);
  await labDown({ name });
  expect(await leftovers()).toEqual([]);
  expect(await readdir(`${labStateDir()}/labs`)).not.toContain(name);
});

test("most of those kills hit a lab that was not up yet", async () => {
  const early = await killedUp(moments[Math.floor(moments.length / 3)] ?? 0);
  await labDown({ name });
  expect(early).toBe(true);
});

test("after a kill the next labUp starts anew, and its hosts work", async () => {
  await killedUp(900);
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
