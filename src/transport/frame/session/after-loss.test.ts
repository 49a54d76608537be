import { describe, expect, test } from "vitest";
import { afterLoss, afterWord, type Course, firstMove } from "./after-loss.ts";

const course: Course = { runsIn: "runner", acts: true, boot: "b1", begun: false, seconds: 10 };
const asked = (begun: boolean, boot = "b1", upSeconds = 1000) =>
  ({ record: "asked", state: begun ? "begun" : "never", boot, upSeconds, by: "" }) as const;

describe("the next action for a frame", () => {
  test("a frame that acts runs in a runner, and a frame that reads runs in the session's shell", () => {
    expect(firstMove(true, true)).toEqual({ move: "send", runsIn: "runner" });
    expect(firstMove(false, true)).toEqual({ move: "send", runsIn: "shell" });
  });

  test("a frame that acts also runs in the session's shell if the host is known to be unable to write a journal", () => {
    expect(firstMove(true, false)).toEqual({ move: "send", runsIn: "shell" });
  });

  test("after a loss, furrow queries a frame in a runner, resends a frame that reads, and gives up on a frame that acted without a journal", () => {
    expect(afterLoss(course)).toEqual({ move: "ask" });
    expect(afterLoss({ ...course, runsIn: "shell", acts: false })).toEqual({ move: "send", runsIn: "shell" });
    expect(afterLoss({ ...course, runsIn: "shell" })).toEqual({ move: "fail", why: "unknown" });
  });

  test("after a loss, furrow follows a frame that had begun, and resends a frame that had not", () => {
    expect(afterWord(asked(true), course, true)).toBeUndefined();
    expect(afterWord(asked(false), course, true)).toEqual({ move: "send", runsIn: "runner" });
    expect(afterWord({ record: "given-up" }, course, true)).toEqual({ move: "send", runsIn: "runner" });
  });

  test("a reboot ends the frame, even if the first boot id is unknown", () => {
    const rebooted = { move: "fail", why: "rebooted" };
    expect(afterWord(asked(false, "b2"), course, true)).toEqual(rebooted);
    expect(afterWord(asked(true, "b2"), course, true)).toEqual(rebooted);
    expect(afterWord({ record: "boot", boot: "b2", fresh: true, pid: 7 }, course, false)).toEqual(rebooted);
    const unknown = { ...course, boot: undefined };
    expect(afterWord(asked(false, "b2", 9), unknown, true)).toEqual(rebooted);
    expect(afterWord(asked(false, "b2", 11), unknown, true)).toEqual({ move: "send", runsIn: "runner" });
    expect(afterWord({ record: "boot", boot: "b2", fresh: true, pid: 7 }, unknown, false)).toBeUndefined();
  });

  test("a frame does not continue if another run held the host in the meantime", () => {
    const taken = { move: "fail", why: "taken", by: "" };
    const by = "0123 anna@laptop 2026-11-22";
    expect(afterWord({ ...asked(false), state: "taken", by }, course, true)).toEqual({ ...taken, by });
    expect(afterWord({ record: "boot", boot: "b1", fresh: true, pid: 7 }, course, false)).toEqual(taken);
    expect(afterWord({ record: "boot", boot: "b1", fresh: false, pid: 7 }, course, false)).toBeUndefined();
  });

  test("a frame without a journal runs in the shell, but never a second time", () => {
    const word = { record: "no-journal", why: "cannot write" } as const;
    expect(afterWord(word, course, false)).toEqual({ move: "send", runsIn: "shell" });
    expect(afterWord(word, course, true)).toEqual({ move: "fail", why: "unknown" });
    expect(afterWord({ record: "gone", full: undefined }, course, true)).toEqual({ move: "fail", why: "broken" });
  });

  test("a frame whose journal cannot be written runs in the shell unless it has begun", () => {
    const word = { record: "gone", full: "cat: write error" } as const;
    expect(afterWord(word, course, false)).toEqual({ move: "send", runsIn: "shell" });
    expect(afterWord(word, { ...course, begun: true }, false)).toEqual({ move: "fail", why: "full" });
  });
});
