import { expect, test } from "vitest";
import type { StepsItem } from "../../../core/host/frame.ts";
import { run } from "../../../core/host/step.ts";
import { stepError } from "./step-error.ts";

const item = { item: "steps", task: "wait", steps: [], timeoutSeconds: 2 } as unknown as StepsItem;

test("mentions the timeout if a command that ignores SIGTERM ends with exit code 137", () => {
  const error = stepError(run`sleep 41`, { exitCode: 137, stdout: "", stderr: "" }, item);
  expect(error.failure.current).toBe("exit code 137: it was killed");
  expect(error.failure.hint).toMatch(/^Raise timeoutSeconds if it ran for 2 s: .*memory/);
});

test.each([
  { name: "all lines of stderr, and stdout was empty", stdout: "", stderr: "a\nb\n", isPartial: undefined },
  { name: "all lines of stdout, and stderr was empty", stdout: "a\n\nb\n", stderr: " \n", isPartial: undefined },
  { name: "everything, because there was no output", stdout: "", stderr: "", isPartial: undefined },
  { name: "all lines of both streams", stdout: "a\n", stderr: "b\n", isPartial: undefined },
  { name: "the last lines of both streams", stdout: "out\n".repeat(9), stderr: "err\n".repeat(9), isPartial: true },
  { name: "only the last of many lines", stdout: "", stderr: "line\n".repeat(13), isPartial: true },
])("says whether a part of the output was left out: it shows $name", ({ stdout, stderr, isPartial }) => {
  const { failure } = stepError(run`false`, { exitCode: 1, stdout, stderr }, item);
  expect(failure.isPartial).toBe(isPartial);
  expect(failure.hint).toBeUndefined();
});

test("shows the error that a command printed on stdout, even if it also printed a warning on stderr", () => {
  const result = { exitCode: 9, stdout: "FATAL: cannot bind port 80\n", stderr: "warning: flag -x is deprecated\n" };
  const { details } = stepError(run`false`, result, item).failure;
  expect(details).toEqual(["FATAL: cannot bind port 80", "warning: flag -x is deprecated"]);
});

test.each([
  { out: 20, err: 20, shown: { out: 6, err: 12 } },
  { out: 2, err: 20, shown: { out: 2, err: 12 } },
  { out: 20, err: 1, shown: { out: 11, err: 1 } },
  { out: 20, err: 0, shown: { out: 12, err: 0 } },
])("shows the last lines of $out on stdout and $err on stderr", ({ out, err, shown }) => {
  const numbered = (word: string, number: number): string[] =>
    Array.from({ length: number }, (_, at) => `${word} ${at + 1}`);
  const [stdout, stderr] = [numbered("out", out), numbered("err", err)];
  const result = { exitCode: 1, stdout: stdout.join("\n"), stderr: stderr.join("\n") };
  expect(stepError(run`false`, result, item).failure.details).toEqual([
    ...stdout.slice(out - shown.out),
    ...stderr.slice(err - shown.err),
  ]);
});

test("recognizes a full disk by stderr, and still shows what the command printed on stdout", () => {
  const result = { exitCode: 1, stdout: "copying a\n", stderr: "cp: a: No space left on device\n" };
  const error = stepError(run`cp a b`, result, item);
  expect(error.code).toBe("E_DISK_FULL");
  expect(error.failure.current).toBe("cp: a: No space left on device");
  expect(error.failure.details).toEqual(["copying a"]);
});

test.each([
  ["dash", "sh: 1: xxd: not found"],
  ["bash as sh", "sh: line 1: xxd: command not found"],
  ["busybox", "sh: xxd: not found"],
  ["an absolute path of sh", "/bin/sh: 1: xxd: not found"],
])("says that xxd, not sh, is missing if a shell command calls xxd: %s", (_, stderr) => {
  const step = { step: "run", argv: ["sh", "-c", "xxd"] } as const;
  const error = stepError(step, { exitCode: 127, stdout: "", stderr: `cat: /a: No such file\n${stderr}\n` }, item);
  expect(error.code).toBe("E_TOOL_MISSING");
  expect(error.failure.what).toBe("xxd was not found on the host");
});

test("names the missing program if no shell names another", () => {
  const missing = (argv: readonly string[], stderr: string): string =>
    stepError({ step: "run", argv }, { exitCode: 127, stdout: "", stderr }, item).failure.what;
  expect(missing(["bash", "-c", "xxd"], "sh: 1: bash: not found\n")).toBe("bash was not found on the host");
  expect(missing(["bash", "-c", "xxd"], "bash: line 1: xxd: command not found\n")).toBe(
    "xxd was not found on the host",
  );
  expect(missing(["xxd"], "")).toBe("xxd was not found on the host");
  expect(missing(["sh", "-c", "xxd 2>/dev/null"], "")).toBe(
    "a program that sh -c 'xxd 2>/dev/null' runs was not found on the host",
  );
});
