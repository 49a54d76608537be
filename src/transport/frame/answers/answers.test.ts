import { describe, expect, test } from "vitest";
import { type ItemResult, ignoreAll } from "../../../core/host/frame.ts";
import { redact } from "../../../core/secrets/redact.ts";
import { secretOf } from "../../../core/secrets/secret.ts";
import type { RunStep } from "../../../core/host/step.ts";
import { unit } from "../../../facts/systemd/unit.ts";
import { file } from "../../../facts/files/file.ts";
import { Answers } from "./answers.ts";

/** A task of `count` steps. `looks` returns how many times a step was read. */
function manySteps(count: number): { steps: RunStep[]; looks: () => number } {
  let looks = 0;
  const steps = Array.from({ length: count }, (): RunStep => {
    return {
      step: "run",
      argv: ["true"],
      get okExit() {
        looks += 1;
        return [0];
      },
    };
  });
  return { steps, looks: () => looks };
}

test("handles the end of each of 2,000 steps at the same cost, regardless of the number of earlier steps", () => {
  const { steps, looks } = manySteps(2000);
  const told: ItemResult[] = [];
  const listener = { ...ignoreAll, item: (_: number, result: ItemResult) => void told.push(result) };
  const answers = new Answers([], [{ item: "steps", task: "0", steps }], listener, undefined);
  for (let step = 0; step < 2000; step += 1) answers.take({ record: "step", item: 0, step, exitCode: 0 });
  expect(told).toHaveLength(1);
  expect(told[0]).toMatchObject({ item: "steps", results: { length: 2000 } });
  expect(looks()).toBeLessThanOrEqual(3 * 2000);
});

test("immediately reports a step that fails in the middle, with the steps before it", () => {
  const { steps } = manySteps(5);
  const told: ItemResult[] = [];
  const listener = { ...ignoreAll, item: (_: number, result: ItemResult) => void told.push(result) };
  const answers = new Answers([], [{ item: "steps", task: "0", steps }], listener, undefined);
  for (const [step, exitCode] of [0, 0, 7].entries()) {
    expect(told).toEqual([]);
    answers.take({ record: "step", item: 0, step, exitCode });
  }
  expect(told).toMatchObject([{ item: "steps", results: [{}, {}, { exitCode: 7 }], failed: { index: 2 } }]);
});

describe("the error of a step whose output contains a secret, whole or cut", () => {
  const value = "zq7-Grünkohl-hunter-77-value";
  const failingStep = { item: "steps", task: "0", steps: [{ step: "run", argv: ["false"] }] } as const;

  /** The error text of a failed step that wrote these chunks to stderr. `offset` counts the bytes before each chunk. */
  function shown(...pieces: readonly { readonly offset: number | undefined; readonly data: Buffer }[]): string {
    const answers = new Answers([], [failingStep], ignoreAll, undefined);
    for (const piece of pieces) {
      answers.take({ record: "output", item: 0, step: 0, stream: "stderr", ...piece });
    }
    answers.take({ record: "step", item: 0, step: 0, exitCode: 1 });
    const [result] = answers.results();
    const error = result?.item === "steps" ? result.failed?.error : undefined;
    return (error?.failure.details ?? []).map(redact).join("\n");
  }

  test("hides the end of the secret after the note that bytes were left out", () => {
    secretOf(value, "CUTERROR");
    const bytes = Buffer.from(value);
    for (let at = 1; at < bytes.length; at += 1) {
      for (const offset of [at, undefined]) {
        const text = shown({ offset, data: Buffer.concat([bytes.subarray(at), Buffer.from(`","pad":"AAAA"`)]) });
        expect(text).toContain("bytes left out …]");
        expect(text).toContain(`","pad":"AAAA"`);
        for (const end of ["lue", "hunter", "nkohl"].filter((part) => bytes.length - at >= 4 + part.length)) {
          expect(text).not.toContain(end);
        }
      }
    }
  });

  test("hides the end of the secret and adds a note if the start of a long output was dropped", () => {
    secretOf(value, "CUTLONG");
    const line = Buffer.from(value.repeat(20_000).slice(0, 400_000));
    const size = 65_536;
    const count = Math.ceil(line.length / size);
    const pieces = Array.from({ length: count }, (_, at) => ({
      offset: at * size,
      data: line.subarray(at * size, (at + 1) * size),
    }));
    const text = shown(...pieces);
    expect(text.slice(0, 60)).toMatch(/^\[… \d+ bytes left out …\]\n«secret CUT(LONG|ERROR)»«secret/);
  });

  test("hides a secret of several short lines", () => {
    secretOf("a1b2\nc3d4\ne5f6", "SHORTLINES");
    expect(shown({ offset: 0, data: Buffer.from("key a1b2\nc3d4\ne5f6\n") })).toBe("key «secret SHORTLINES»");
  });
});

test.each([
  ["Permission denied", "Use become to read it as a user who is allowed to, or fix the cause given in the message"],
  ["", "Use become to read it as a user who is allowed to"],
])("mentions the host's message about an unreadable file only if the host sent one: %j", (said, hint) => {
  const question = file("/tmp/d2");
  const answers = new Answers(
    [{ item: 0, index: 0, question }],
    [{ item: "read", questions: [question] }],
    ignoreAll,
    undefined,
  );
  answers.take({ record: "lines", item: 0, lines: [`0 !${said}`] });
  expect(answers.results()).toMatchObject([{ answers: [{ error: { code: "E_FACT" } }] }]);
  const [result] = answers.results();
  const answer = result?.item === "read" ? result.answers[0] : undefined;
  const failure = answer !== undefined && "error" in answer ? answer.error.failure : undefined;
  expect(failure).toEqual({ what: "/tmp/d2 cannot be read", ...(said !== "" && { current: said }), hint });
});

test("says that a host does not run systemd, and does not suggest become, if systemctl says so", () => {
  const question = unit("nginx");
  const answers = new Answers(
    [{ item: 0, index: 0, question }],
    [{ item: "read", questions: [question] }],
    ignoreAll,
    undefined,
  );
  const said = "systemctl show failed: System has not been booted with systemd as init system (PID 1).";
  answers.take({ record: "lines", item: 0, lines: [`0 !${said}`] });
  const [result] = answers.results();
  const answer = result?.item === "read" ? result.answers[0] : undefined;
  const failure = answer !== undefined && "error" in answer ? answer.error.failure : undefined;
  expect(failure).toEqual({
    what: "nginx.service cannot be read, because the host does not run systemd",
    current: said,
    hint: "Leave the task out for this host, or boot the host with systemd; containers often run without it",
  });
});
