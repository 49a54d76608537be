import { expect, test } from "vitest";
import { finished, label, recapOf } from "../../../test/report/recorded-run.ts";
import type { RunEvent } from "../../core/events.ts";
import { RunText } from "../run-text.ts";

/** Returns the recap lines of a check whose undecided tasks depend on the given tasks. */
function lines(deciders: readonly string[]): string[] {
  const text = new RunText({ color: false, diff: false, verbose: false, fold: true, folder: "/" });
  const ends = deciders.map((task) =>
    finished("web1", label("0.0", "service app"), "undecided", { dependsOn: { task, facts: [] } }),
  );
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
  { deciders: ["its own condition"], said: "1 undecided (depends on its own condition)" },
  { deciders: ["itself", "itself"], said: "2 undecided (known only during a run)" },
  { deciders: ["itself", "package a, b"], said: "2 undecided (1 known only during a run; 1 depends on package a, b)" },
  {
    deciders: ["package a, b", "its own condition", "its own condition", "an earlier task's output"],
    said: "4 undecided (2 depend on their own conditions; 1 depends on package a, b; 1 depends on an earlier task's output)",
  },
  {
    deciders: ["a", "b", "c", "c", "d", "e", "e"],
    said: "7 undecided (2 depend on c; 2 depend on e; 3 depend on others)",
  },
  { deciders: [`package ${"x, ".repeat(40)}`], said: `1 undecided (depends on package ${"x, ".repeat(17)}…)` },
])("summarizes the deciders $deciders as: $said", ({ deciders, said }) => {
  expect(lines(deciders).at(-1)).toBe(`0 would change, ${said}, 0 ok on 1 host in 42 ms`);
});

test("says below an undecided task that only a run can decide it", () => {
  expect(lines(["its own condition"])[1]).toBe(
    "    undecided: depends on its own condition, which is known only during a run",
  );
});

test("counts a task that would wait as such, not as ok, and names its URL once", () => {
  const text = new RunText({ color: false, diff: false, verbose: false, fold: true, folder: "/" });
  const because = "would wait for http://a/ to answer 200";
  const wait = finished("web1", label("0", "httpWait http://a/"), "ok", { because });
  expect(text.lines(wait)[0]).toMatch(/would wait +httpWait http:\/\/a\/ to answer 200$/);
  const end = { type: "runFinished", mode: "check", recap: [recapOf("web1", { ok: 3 })], durationMs: 42 };
  const lines = text.lines(end as unknown as RunEvent);
  expect(lines).toContain("  web1  1 would wait, 2 ok");
  expect(lines.at(-1)).toBe("0 would change, 1 would wait, 2 ok on 1 host in 42 ms");
});

test("sums up hosts that failed before their first task without naming the hosts twice", () => {
  const text = new RunText({ color: false, diff: false, verbose: false, fold: true, folder: "/" });
  const recap = ["web1", "web2"].map((host) => ({ ...recapOf(host, {}), end: "failed" }));
  const end = { type: "runFinished", mode: "check", recap, durationMs: 42, interrupted: false };
  expect(text.lines(end as unknown as RunEvent).at(-1)).toBe("0 would change, 0 ok, 2 failed on 2 hosts in 42 ms");
});
