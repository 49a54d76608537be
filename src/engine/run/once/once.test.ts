import { describe, expect, test } from "vitest";
import type { OnceCall, OnceOutputs } from "../../plan/once-calls.ts";
import { OnceGroups } from "./once.ts";

const call = (key: string, ...hosts: string[]): OnceCall => ({ key, hosts, source: undefined });
const entered = (...hosts: string[]): OnceGroups => {
  const once = new OnceGroups();
  for (const host of hosts) once.enter(host, ["g", "h"]);
  return once;
};
const rest = <T>(until: Promise<T>): Promise<T> => until;
const put: OnceOutputs = new Map([["token", { value: "t", changed: true }]]);
const never = (): Promise<OnceOutputs> => Promise.reject(new Error("ran on the wrong host"));

describe("a group that runs once", () => {
  test("runs on the first named host, even if another host arrives earlier, and passes its outputs to the others", async () => {
    const once = entered("a", "b");
    const waiting = once.run(call("g", "b", "a"), "a", never, rest);
    expect(await once.run(call("g", "b", "a"), "b", () => Promise.resolve(put), rest)).toBe(put);
    expect(await waiting).toBe(put);
    expect(await once.run(call("g", "b", "a"), "a", never, rest)).toBe(put);
  });
  test("runs on the next host if the first failed before reaching it, even if others are already waiting for the first", async () => {
    const once = entered("a", "b", "c");
    const b = once.run(call("g", "a", "b", "c"), "b", () => Promise.resolve(put), rest);
    const c = once.run(call("g", "a", "b", "c"), "c", never, rest);
    once.leave("a");
    expect([await b, await c]).toEqual([put, put]);
  });
  test("runs on the first host that lists it", async () => {
    const once = entered("b");
    once.enter("a", []);
    expect(await once.run(call("g", "a", "b"), "b", () => Promise.resolve(put), rest)).toBe(put);
  });
  test("runs on the next host if the first skipped it", async () => {
    const once = entered("a", "b");
    const b = once.run(call("g", "a", "b"), "b", () => Promise.resolve(put), rest);
    once.pass("a", ["g"], "did not need it");
    expect(await b).toBe(put);
  });
  test("runs on the next host if the first skipped the composite that contains it", async () => {
    const once = entered("a", "b");
    const b = once.run(call("g\n0", "a", "b"), "b", () => Promise.resolve(put), rest);
    once.pass("a", ["g"], "does not know its params");
    expect(await b).toBe(put);
  });
  test("fails on the waiting hosts if it fails, and the error names the host on which it failed", async () => {
    const once = entered("a", "b");
    const waiting = once.run(call("g", "a"), "b", never, rest);
    const failing = once.run(call("g", "a"), "a", () => Promise.reject(new Error("boom")), rest);
    await expect(failing).rejects.toThrow("boom");
    await expect(waiting).rejects.toMatchObject({ code: "E_STEP", failure: { details: ["it failed on a"] } });
    await expect(once.run(call("g", "a"), "b", never, rest)).rejects.toMatchObject({ code: "E_STEP" });
  });
  test("fails on the waiting hosts if none of its hosts is left, with a reason for each host", async () => {
    const once = entered("a", "b", "c");
    once.enter("d", []);
    const waiting = once.run(call("g", "a", "c", "d", "z"), "b", never, rest);
    once.pass("c", ["g"], "failed before it");
    once.leave("a");
    await expect(waiting).rejects.toMatchObject({
      failure: {
        details: [
          "a failed or ended before the group",
          "c failed before it",
          "d does not list the group",
          "z is not in this play or batch",
        ],
      },
    });
  });
  test("blocks no host once it is done, even if a host that waited for it has no free fork yet", async () => {
    const once = entered("a", "b");
    let fork = (): void => {};
    const noFork = async <T>(until: Promise<T>): Promise<T> => {
      const done = await until;
      await new Promise<void>((resolve) => (fork = resolve));
      return done;
    };
    const a = (async () => {
      await once.run(call("g", "b"), "a", never, noFork);
      return once.run(call("h", "a"), "a", () => Promise.resolve(put), rest);
    })();
    await once.run(call("g", "b"), "b", () => Promise.resolve(put), rest);
    const b = once.run(call("h", "a"), "b", never, rest);
    await new Promise(setImmediate);
    fork();
    expect([await a, await b]).toEqual([put, put]);
  });
  test("is refused if hosts wait for each other", async () => {
    const once = entered("a", "b");
    const a = once.run(call("g", "b"), "a", never, rest);
    await expect(once.run(call("h", "a"), "b", never, rest)).rejects.toMatchObject({
      code: "E_PLAYBOOK",
      failure: { what: expect.stringContaining("b waits for a waits for b") as string },
    });
    once.leave("b");
    await expect(a).rejects.toMatchObject({ code: "E_STEP" });
  });
});
