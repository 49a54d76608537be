import { spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { playbookOf, Screens } from "../screens/screens.ts";

const here = new Screens("", "");
const out = join(here.folder, "out");
afterAll(() => here.remove());
beforeEach(() => {
  for (const n of [1, 2]) rmSync(`${out}-${n}`, { force: true });
});

const bin = join(import.meta.dirname, "../../bin/furrow.js");
/**
 * Makes bin/furrow.js start a second process on the project's own Node, as it does if the installed Node is too old.
 */
const tooOld = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.0.0"})';

type Target = "one process" | "the process group";

interface Sent {
  readonly signal: NodeJS.Signals;
  readonly to: Target;
}

/** Starts furrow, sends the signals once it prints `text`, and returns how it ends. */
async function interrupted(playbook: string, text: string, sent: readonly Sent[]) {
  const child = spawn(process.execPath, ["--import", tooOld, bin, "run", playbook, "-i", "local", "-v"], {
    cwd: here.folder,
    env: { PATH: process.env["PATH"], HOME: here.folder, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const { pid = 0 } = child;
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-pid, "SIGKILL");
  });
  let said = "";
  const running = new Promise<void>((resolve) => {
    const add = (part: Buffer): void => {
      said += part.toString();
      if (said.includes(text)) resolve();
    };
    child.stdout.on("data", add);
    child.stderr.on("data", add);
  });
  const ended = new Promise<number | string | null>((resolve) =>
    child.on("close", (code, signal) => resolve(code ?? signal)),
  );
  await running;
  for (const { signal, to } of sent) {
    process.kill(to === "one process" ? pid : -pid, signal);
    await sleep(200);
  }
  return { end: await ended, said };
}

const tasks = [1, 2].map(
  (n) => `command({ command: "echo begun; sleep 2; touch ${out}-${n}", always: true, disturbs: [] }),`,
);
here.put("slow.ts", playbookOf(tasks.join("\n"), { imports: "command" }));
here.put("loop.ts", 'console.error("loading");\nwhile (true);\n');

const finishes = "each host finishes its current task";

describe.each(["one process", "the process group"] as const)("a signal sent to %s", (to) => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("stops the run after its current task: %s", async (signal) => {
    const { end, said } = await interrupted("slow.ts", " | begun", [{ signal, to }]);
    expect(said).toContain(finishes);
    expect({ end, done: [existsSync(`${out}-1`), existsSync(`${out}-2`)] }).toEqual({ end: 130, done: [true, false] });
  });

  test.each(["SIGINT", "SIGTERM"] as const)("ends the running step if it is sent twice: %s", async (signal) => {
    const { end, said } = await interrupted("slow.ts", " | begun", [
      { signal, to },
      { signal, to },
    ]);
    expect(said).toContain("stopping the running steps");
    expect({ end, done: existsSync(`${out}-1`) }).toEqual({ end: 130, done: false });
  });

  test.each(["SIGINT", "SIGTERM"] as const)(
    "ends furrow while it is loading, even in an endless loop: %s",
    async (signal) => {
      expect((await interrupted("loop.ts", "loading", [{ signal, to }])).end).toBe(signal);
    },
  );
});

test("a signal to one process and then Ctrl-C end the running step", async () => {
  const { end, said } = await interrupted("slow.ts", " | begun", [
    { signal: "SIGINT", to: "one process" },
    { signal: "SIGINT", to: "the process group" },
  ]);
  expect(said).toContain("stopping the running steps");
  expect({ end, done: existsSync(`${out}-1`) }).toEqual({ end: 130, done: false });
});

test("SIGTERM and then Ctrl-C end the running step", async () => {
  const { said } = await interrupted("slow.ts", " | begun", [
    { signal: "SIGTERM", to: "the process group" },
    { signal: "SIGINT", to: "the process group" },
  ]);
  expect(said).toContain("stopping the running steps");
  expect(existsSync(`${out}-1`)).toBe(false);
});
