import { afterEach, describe, expect, test } from "vitest";
import type { Driver } from "../../../core/host/driver.ts";
import { useWorld } from "../../../core/world.ts";
import { file } from "../../../facts/files/file.ts";
import { Stopped } from "../stopped.ts";
import type { AttemptContext, TaskFacts } from "../task-context.ts";
import { waitForChange } from "./wait-for-change.ts";

afterEach(() => useWorld());

/**
 * The lengths of the pauses, in milliseconds. A pause ends at once, unless `stands` is true: it then lasts until it is
 * aborted.
 */
function pauses(stands = false): number[] {
  const made: number[] = [];
  const unused = (): never => {
    throw new Error("not used here");
  };
  const sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    made.push(ms);
    if (!stands) return Promise.resolve();
    return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted"))));
  };
  useWorld({ now: () => 0, sleep, random: () => 0.5, after: unused, every: unused, fill: unused });
  return made;
}

const times = { intervalMs: 2000, leftMs: 60_000 };
const facts = { facts: { it: { driver: "clusters", request: "it" } }, values: { it: "old" } } as unknown as TaskFacts;

function context(changed: Driver["changed"], stop = new AbortController().signal): AttemptContext {
  const driver: Driver = { name: "clusters", read: () => Promise.resolve(1), ...(changed && { changed }) };
  return { signal: new AbortController().signal, stop, drivers: () => Promise.resolve(driver) } as never;
}

describe("a pause between two checks", () => {
  test.each([
    ["no fact is known", undefined, () => Promise.resolve()],
    ["the driver observes nothing", facts, undefined],
    ["a fact is about the host", { facts: { f: file("/etc/fstab") }, values: { f: 1 } }, undefined],
  ])("takes the interval if %s", async (_why, found, changed) => {
    const made = pauses();
    await waitForChange(found, times, context(changed));
    expect(made).toEqual([2000]);
  });

  test("ends shortly after the driver has noticed a change", async () => {
    const made = pauses();
    const asked: unknown[] = [];
    const changed = (...words: readonly unknown[]) => Promise.resolve(void asked.push(words.slice(0, 2)));
    await waitForChange(facts, times, context(changed));
    expect(asked).toEqual([["it", "old"]]);
    expect(made).toContain(15_000);
    const quick = { ...times, intervalMs: 100 };
    const stands = pauses(true);
    void waitForChange(facts, quick, context(changed));
    await expect.poll(() => stands).toEqual([15_000, 100]);
  });

  test("lasts for the interval if the driver turns out to be unable to observe the thing", async () => {
    const made = pauses(true);
    void waitForChange(
      facts,
      times,
      context(() => Promise.reject(new Error("forbidden"))),
    );
    await expect.poll(() => made).toEqual([15_000, 2000]);
  });

  test("ends after 15 seconds, or at the deadline, if nothing changes", async () => {
    const never = context(() => new Promise(() => undefined));
    const made = pauses();
    await waitForChange(facts, times, never);
    await waitForChange(facts, { ...times, leftMs: 500 }, never);
    await waitForChange(facts, { ...times, intervalMs: 20_000 }, never);
    expect(made).toEqual([15_000, 500, 20_000]);
  });

  test("stops observing when it is over, and when the run is stopped", async () => {
    pauses();
    const ends: string[] = [];
    const observe: Driver["changed"] = (_request, _found, signal) =>
      new Promise(() => signal.addEventListener("abort", () => ends.push("aborted")));
    await waitForChange(facts, times, context(observe));
    expect(ends).toEqual(["aborted"]);
    pauses(true);
    const stop = new AbortController();
    const waiting = waitForChange(facts, times, context(observe, stop.signal));
    setTimeout(() => stop.abort(), 20);
    await expect(waiting).rejects.toThrow(Stopped);
    expect(ends).toEqual(["aborted", "aborted"]);
  });
});
