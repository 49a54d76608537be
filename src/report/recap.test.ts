import { expect, test } from "vitest";
import { finished, label, recapOf } from "../../test/report/recorded-run.ts";
import type { RunEvent } from "../core/events.ts";
import { RunText } from "./run-text.ts";

/** The lines of a check whose tasks are decided by these. */
function lines(deciders: readonly string[]): string[] {
  const text = new RunText({ color: false, diff: false, verbose: false, folder: "/" });
  const ends = deciders.map((task) =>
    finished("web1", label("0.0", "service app"), "decided", { decidedBy: { task, facts: [] } }),
  );
  const end = {
    type: "runFinished",
    mode: "check",
    recap: [recapOf("web1", { decided: deciders.length })],
    durationMs: 42,
    interrupted: false,
  } as unknown as RunEvent;
  return [...ends, end].flatMap((event) => text.lines(event));
}

test.each([
  { deciders: ["package a"], said: "1 decided by package a" },
  { deciders: ["package a", "package a"], said: "2 decided by package a" },
  { deciders: ["its own condition"], said: "1 decided by its own condition" },
  { deciders: ["itself", "itself"], said: "2 decided by themselves" },
  { deciders: ["itself", "package a, b"], said: "2 decided (1 by itself; 1 by package a, b)" },
  {
    deciders: ["package a, b", "its own condition", "its own condition", "an earlier task's output"],
    said: "4 decided (2 by their own conditions; 1 by package a, b; 1 by an earlier task's output)",
  },
  {
    deciders: ["a", "b", "c", "c", "d", "e", "e"],
    said: "7 decided (2 by c; 2 by e; 3 by others)",
  },
  { deciders: [`package ${"x, ".repeat(40)}`], said: `1 decided by package ${"x, ".repeat(17)}…` },
])("$deciders: $said", ({ deciders, said }) => {
  expect(lines(deciders).at(-1)).toBe(`0 would change, ${said}, 0 ok on 1 host in 42 ms`);
});

test("what a run will tell is said where the task is told of", () => {
  expect(lines(["its own condition"])[1]).toBe("    decided by its own condition, known only in a run");
});
