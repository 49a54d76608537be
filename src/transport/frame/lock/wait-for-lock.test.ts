import { afterEach, describe, expect, test } from "vitest";
import { ignoreAll } from "../../../core/host/frame.ts";
import { useWorld } from "../../../core/world.ts";
import { LockWait } from "./wait-for-lock.ts";

const never = new AbortController().signal;
afterEach(() => useWorld());

/** Installs a clock that jumps ahead at each sleep. */
function quickClock(): void {
  let at = 0;
  const unused = (): never => {
    throw new Error("not used here");
  };
  const sleep = (ms: number): Promise<void> => {
    at += ms;
    return Promise.resolve();
  };
  useWorld({ now: () => at, sleep, random: () => 0.5, after: unused, every: unused, fill: unused });
}

describe("a run that has lost its controller and keeps running", () => {
  const word = { record: "held", attached: false, run: "0123", words: "anna@laptop 2026-11-22 (upgrade)" } as const;

  test.each([
    { waitSeconds: undefined, limit: 2100 },
    { waitSeconds: 60, limit: 2100 },
    { waitSeconds: 7200, limit: 7200 },
  ])("is named in the error after $limit s if --wait-lock is $waitSeconds", async ({ waitSeconds, limit }) => {
    quickClock();
    const lock = new LockWait("web1", { id: "4567", holder: "bob@desk", since: "2026-11-22", waitSeconds });
    let turns = 0;
    const waiting = async (): Promise<void> => {
      for (; turns < 10_000; turns += 1) await lock.held(word, ignoreAll, never);
    };
    await expect(waiting()).rejects.toMatchObject({
      code: "E_LOCKED",
      failure: {
        what: "a run that has lost its controller still holds the host",
        where: { host: "web1" },
        current: "run 0123 by anna@laptop, since 2026-11-22, at its task (upgrade)",
        details: [`waited ${limit} s for it`],
      },
    });
    expect(turns).toBe(limit);
  });

  test("gets the full waiting time, even after the wait for another such run", async () => {
    quickClock();
    const lock = new LockWait("web1", { id: "4567", holder: "bob@desk", since: "2026-11-22", waitSeconds: undefined });
    for (let turn = 0; turn < 2000; turn += 1) await lock.held(word, ignoreAll, never);
    const other = { ...word, run: "89ab" };
    for (let turn = 0; turn < 2000; turn += 1) await lock.held(other, ignoreAll, never);
    await expect(lock.held(other, ignoreAll, never)).resolves.toBeUndefined();
  });
});

test.each([
  ["ok", "ended well"],
  ["began", "was killed before it finished"],
  ["stopped", "had not begun"],
  ["failed:137", "failed (exit code 137)"],
  ["failed:full", "failed: no space left"],
  ["failed", "failed"],
])("the last task of a run that was cut off, with the state %s: %s", (state, end) => {
  const notices: string[] = [];
  const lock = new LockWait("web1", undefined);
  const listener = { ...ignoreAll, notice: (text: string) => void notices.push(text) };
  lock.left({ record: "left", run: "0123", state, task: "command make it" }, listener);
  expect(notices).toEqual([`run 0123 was cut off; its task command make it ${end}`]);
});
