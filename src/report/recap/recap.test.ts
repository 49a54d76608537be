import { expect, test } from "vitest";
import { finished, label, recapOf } from "../../../test/report/recorded-run.ts";
import type { RunEvent } from "../../core/events.ts";
import { FurrowError } from "../../core/errors.ts";
import { RunText } from "../run-text.ts";

type Decider = string | { readonly task: string; readonly facts: readonly string[] };
const output = (task: string): Decider => ({ task, facts: ["output"] });
const condition = (task: string): Decider => ({ task, facts: ["condition"] });

/** Returns the recap lines of a check whose undecided tasks depend on the given tasks. */
function lines(deciders: readonly Decider[]): string[] {
  const text = new RunText({ color: false, diff: false, verbose: false, fold: true, folder: "/" });
  const ends = deciders.map((decider) => {
    const dependsOn = typeof decider === "string" ? { task: decider, facts: [] } : decider;
    return finished("web1", label("0.0", "service app"), "undecided", { dependsOn });
  });
  const end = {
    type: "runFinished",
    mode: "check",
    recap: [recapOf("web1", { undecided: deciders.length })],
    durationMs: 42,
    interrupted: false,
  } as unknown as RunEvent;
  return [...ends, end].flatMap((event) => text.lines(event));
}

test.each([
  { deciders: ["package a"], said: "1 undecided (depends on package a)" },
  { deciders: ["package a", "package a"], said: "2 undecided (depend on package a)" },
  { deciders: [output("read conf")], said: "1 undecided (depends on the output of read conf)" },
  { deciders: [condition("read conf")], said: "1 undecided (depends on its own condition about read conf)" },
  { deciders: ["itself", "itself"], said: "2 undecided (known only during a run)" },
  { deciders: ["itself", "package a, b"], said: "2 undecided (1 known only during a run; 1 depends on package a, b)" },
  {
    deciders: ["package a, b", condition("read conf"), condition("read conf"), output("read conf")],
    said: "4 undecided (2 depend on their own conditions about read conf; 1 depends on package a, b; 1 depends on the output of read conf)",
  },
  {
    deciders: ["a", "b", "c", "c", "d", "e", "e"],
    said: "7 undecided (2 depend on c; 2 depend on e; 3 depend on others)",
  },
  { deciders: [`package ${"x, ".repeat(40)}`], said: `1 undecided (depends on package ${"x, ".repeat(17)}…)` },
])("summarizes the deciders $deciders as: $said", ({ deciders, said }) => {
  expect(lines(deciders).at(-1)).toBe(`0 would change, ${said}, 0 ok on 1 host in 42 ms`);
});

test("below an undecided task, names the task whose output it depends on, or the task that its own condition is about", () => {
  expect(lines([output("read conf")])[1]).toBe(
    "    undecided: depends on the output of read conf, which is known only during a run",
  );
  expect(lines([condition("read conf")])[1]).toBe(
    "    undecided: depends on its own condition about read conf, which is known only during a run",
  );
});

test("says that hosts with tasks left stopped before their first task, not that they have nothing to do", () => {
  const task = label("0.0", "migrate");
  const step = { type: "stepStarted", host: "web3", task, step: "sh -c 'sleep 9'" } as const;
  const recap = [
    recapOf("web1", { failed: 1 }),
    recapOf("web2", {}, { end: "stopped", left: 2, next: "migrate" }),
    recapOf("web3", {}, { end: "stopped", left: 2, next: "migrate" }),
    recapOf("web4", {}, { end: "notStarted", left: 2, next: "migrate" }),
    recapOf("web5", {}, { end: "done" }),
  ];
  const end = { type: "runFinished", mode: "apply", recap, durationMs: 42, interrupted: false };
  const text = new RunText({ color: false, diff: false, verbose: false, fold: true, folder: "/" });
  const shown = [step, end as unknown as RunEvent].flatMap((event) => text.lines(event));
  expect(shown.filter((line) => /^ {2}web[2-5]/.test(line))).toEqual([
    "  web2  stopped before its first task, 2 not reached",
    "  web3  stopped during its first task, 2 not reached",
    "  web4  not started, 2 not reached",
    "  web5  nothing to do",
  ]);
});

test("names the changed tasks that were reverted by their host", () => {
  const recap = [{ ...recapOf("web1", { changed: 3, failed: 1 }), reverted: ["sshd", "sudo"] }];
  const end = { type: "runFinished", mode: "apply", recap, durationMs: 42, interrupted: false };
  const text = new RunText({ color: false, diff: false, verbose: false, fold: true, folder: "/" });
  expect(text.lines(end as unknown as RunEvent).slice(-2)).toEqual([
    "web1 reverted 2 of its 3 changed tasks: sshd; sudo",
    "3 changed, 0 ok, 1 failed on 1 host in 42 ms",
  ]);
});

test("names the tasks that were confirmed, once for all hosts with the same confirmed tasks", () => {
  const recap = ["web1", "web2", "db1", "idle"].map((host) => ({
    ...recapOf(host, { changed: 2 }),
    ...(host !== "idle" && { confirmed: host === "db1" ? ["sudo"] : ["sshd", "sudo"] }),
  }));
  const end = { type: "runFinished", mode: "apply", recap, durationMs: 42, interrupted: false };
  const text = new RunText({ color: false, diff: false, verbose: false, fold: true, folder: "/" });
  expect(text.lines(end as unknown as RunEvent).slice(-3)).toEqual([
    "confirmed over a new connection on web1, web2: sshd; sudo",
    "confirmed over a new connection on db1: sudo",
    "8 changed, 0 ok on 4 hosts in 42 ms",
  ]);
});

test("says which failed tasks had already changed something, so that a failed wait does not look as if nothing had changed", () => {
  const failed = (host: string, title: string, hasChanged: boolean): RunEvent => {
    const error = new FurrowError("E_WAIT", {
      what: `${title} is not done`,
      hint: "Wait",
      ...(hasChanged && { hasChanged }),
    });
    return finished(host, label("0.0", title), "failed", { error });
  };
  const recap = [recapOf("web1", { failed: 1 }), recapOf("web2", { failed: 2 }), recapOf("web3", { failed: 1 })];
  const end = { type: "runFinished", mode: "apply", recap, durationMs: 42, interrupted: false };
  const text = new RunText({ color: false, diff: false, verbose: false, fold: true, folder: "/" });
  const events = [failed("web1", "a", true), failed("web2", "b", true), failed("web2", "c", false)];
  const shown = [...events, failed("web3", "d", false), end as unknown as RunEvent].flatMap((event) =>
    text.lines(event),
  );
  expect(shown).toEqual(expect.arrayContaining(["  web1  1 failed after a change", "  web3  1 failed"]));
  expect(shown).toContain("  web2  2 failed (1 after a change)");
  expect(shown.at(-1)).toBe("0 changed, 0 ok, 4 failed (2 after a change) on 3 hosts in 42 ms");
});
