import { describe, expect, test } from "vitest";
import { OnceGroups } from "./once.ts";

const entered = (...hosts: string[]): OnceGroups => {
  const once = new OnceGroups();
  for (const host of hosts) once.enter(host);
  return once;
};

describe("a group that runs once", () => {
  test("runs on the host that is wished for; the others wait until it is through", async () => {
    const once = entered("a", "b");
    const log: string[] = [];
    const waiting = once.run("g", "b", "a", async () => void log.push("never")).then(() => log.push("a went on"));
    await once.run("g", "b", "b", async () => void log.push("b ran"));
    await waiting;
    expect(log).toEqual(["b ran", "a went on"]);
  });
  test("runs on the first to arrive where the wished host has ended already", async () => {
    const once = entered("a", "b");
    once.leave("b");
    const log: string[] = [];
    await once.run("g", "b", "a", async () => void log.push("a ran"));
    expect(log).toEqual(["a ran"]);
  });
  test("fails for those who wait where it fails, naming who failed", async () => {
    const once = entered("a", "b");
    const waiting = once.run("g", "a", "b", async () => {});
    const failing = once.run("g", "a", "a", () => Promise.reject(new Error("boom")));
    await expect(failing).rejects.toThrow("boom");
    await expect(waiting).rejects.toThrow("did not come to their end");
    await expect(once.run("g", "a", "b", async () => {})).rejects.toMatchObject({ code: "E_STEP" });
  });
  test("fails for those who wait where its host ends before it gets there", async () => {
    const once = entered("a", "b");
    const waiting = once.run("g", "a", "b", async () => {});
    once.leave("a");
    await expect(waiting).rejects.toThrow("that run once, on a, did not come to their end");
  });
  test("is another one under another id", async () => {
    const once = entered("a", "b");
    const log: string[] = [];
    await once.run("0.1", "a", "a", async () => void log.push("0.1"));
    await once.run("1.1", undefined, "b", async () => void log.push("1.1"));
    expect(log).toEqual(["0.1", "1.1"]);
  });
});
