import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { playbookOf, Screens } from "../screens/screens.ts";

const bin = join(import.meta.dirname, "..", "..", "bin", "furrow.js");
const here = new Screens("", "");
const out = join(here.folder, "out");
afterAll(() => here.remove());
beforeEach(() => rmSync(out, { recursive: true, force: true }));

const command = (script: string): string =>
  `command({ command: ${JSON.stringify(script)}, creates: ${JSON.stringify(script.split(">>")[1])}, disturbs: [] }),`;
const put = (...scripts: string[]): void => {
  for (const index of [1, 2]) rmSync(`${out}-${index}`, { force: true });
  here.put("slow.ts", playbookOf(scripts.map(command).join("\n"), { imports: "command" }));
};
/** Writes one task per number: the task sleeps for that many seconds, then writes a line to its own file. */
const slow = (...seconds: number[]): void =>
  put(...seconds.map((each, at) => `echo begun; sleep ${each}; echo x >>${out}-${at + 1}`));
const marks = (): boolean[] => [1, 2].map((index) => existsSync(`${out}-${index}`));

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; text: string }>;
  /** Resolves when matching output has been printed. */
  says(what: RegExp): Promise<void>;
}

function start(...args: string[]): Run {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: here.folder,
    env: { PATH: process.env["PATH"], HOME: here.folder, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  const add = (part: Buffer): void => void (text += part.toString());
  child.stdout.on("data", add);
  child.stderr.on("data", add);
  return {
    child,
    ended: new Promise((resolve) => child.on("close", (code) => resolve({ code, text }))),
    says: async (what) => {
      for (let tried = 0; tried < 200; tried += 1) {
        if (what.test(text)) return;
        await sleep(50);
      }
      throw new Error(`never said: ${text}`);
    },
  };
}
/** Matches the task's own output, because furrow reports a step before the host starts it. */
const started = / \| begun/;
const slowRun = (...more: string[]): Run => start("run", "slow.ts", "-i", "local", "-v", ...more);

describe("a host that a run holds", () => {
  it("refuses a second run immediately, with exit code 75 and the holder's name", async () => {
    slow(3);
    const first = slowRun();
    await first.says(started);
    const second = await slowRun().ended;
    expect(second.code).toBe(75);
    expect(second.text).toMatch(/E_LOCKED.*another run holds the host/);
    expect(second.text).toMatch(/run [0-9a-f]{12} by root@\S+, since 20\d\d-/);
    const check = await start("check", "slow.ts", "-i", "local").ended;
    expect(check.code).toBe(0);
    expect((await first.ended).code).toBe(0);
  });

  it("makes a run with --wait-lock wait and name the holder, and refuses the run if it has waited too long", async () => {
    slow(8);
    const first = slowRun();
    await first.says(started);
    const [patient, hasty] = [slowRun("--wait-lock", "60"), slowRun("--wait-lock", "1")];
    expect((await hasty.ended).code).toBe(75);
    const waited = await patient.ended;
    expect(waited.text).toMatch(/is waiting for run [0-9a-f]{12} by root@/);
    expect(waited.text).toContain("0 changed, 1 ok");
    expect((await first.ended).code).toBe(0);
  });
});

describe("a run whose controller is killed", () => {
  it("finishes its current task and starts no other; the next run reports that it is waiting, then finishes the work", async () => {
    slow(3, 0);
    const first = slowRun();
    await first.says(started);
    first.child.kill("SIGKILL");
    await first.ended;
    const next = await slowRun().ended;
    expect(next.text).toMatch(
      /is waiting for run [0-9a-f]{12} by root@.*has lost its controller and will end after its task/,
    );
    expect(next.text).toMatch(/run [0-9a-f]{12} was cut off; its task .* ended well/);
    expect(next.text).toContain("1 changed, 1 ok");
    expect(next.code).toBe(0);
    expect(marks()).toEqual([true, true]);
    expect(readFileSync(`${out}-1`, "utf8")).toBe("x\n");
    expect(leftovers()).toEqual([]);
  });
});

describe("Ctrl-C", () => {
  const interrupt = async (
    times: number,
    pauseMs = 300,
  ): Promise<{ code: number | null; text: string; ms: number }> => {
    const run = slowRun();
    await run.says(started);
    const at = Date.now();
    for (let sent = 0; sent < times; sent += 1) {
      run.child.kill("SIGINT");
      await sleep(pauseMs);
    }
    return { ...(await run.ended), ms: Date.now() - at };
  };

  it("pressed once, stops after the current task and says what is still running", async () => {
    slow(3, 0);
    const once = await interrupt(1);
    expect(once.code).toBe(130);
    expect(once.text).toMatch(/stops after its task /);
    expect(marks()).toEqual([true, false]);
  });

  it("pressed twice, kills the running task", async () => {
    slow(30, 0);
    const twice = await interrupt(2);
    expect([twice.code, marks()]).toEqual([130, [false, false]]);
    expect(twice.ms).toBeLessThan(15_000);
    expect(leftovers()).toEqual([]);
  });

  it("pressed three times, ends without waiting for the running task", async () => {
    put(`trap '' TERM; echo begun; sleep 20; echo x >>${out}-1`);
    const thrice = await interrupt(3);
    expect(thrice.code).toBe(130);
    expect(thrice.text).toContain("furrow no longer waits for it");
    expect(thrice.ms).toBeLessThan(15_000);
    const next = await slowRun().ended;
    expect(next.text).toMatch(/run [0-9a-f]{12} was cut off; its task command trap '' TERM.* failed \(exit code 137\)/);
    expect(marks()).toEqual([true, false]);
    expect(leftovers()).toEqual([]);
  });
});

/** The files of finished runs. If a file's process is still running, the file belongs to another test's run. */
function leftovers(): string[] {
  if (!existsSync("/run/furrow")) return [];
  return readdirSync("/run/furrow").filter((name) => {
    if (!name.startsWith("run.a.")) return false;
    const pid = name.split(".")[4] ?? "";
    return !existsSync(`/proc/${pid}`);
  });
}
