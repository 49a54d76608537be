import { type ErrorCode, type Failure, FurrowError } from "../../../core/errors.ts";
import type { StepsItem } from "../../../core/host/frame.ts";
import { redact } from "../../../core/secrets/redact.ts";
import { describeStep, type Step, type StepResult } from "../../../core/host/step.ts";
import { stepTimeoutSeconds } from "../compile/compile-step.ts";

interface Cause {
  readonly code: ErrorCode;
  readonly expression: RegExp;
  readonly expected: string;
  readonly hint: string;
}

/** Messages from the host which show that a step failed for a reason that has nothing to do with its task. */
const causes: readonly Cause[] = [
  {
    code: "E_DISK_FULL",
    expression: /no space left on device|disk quota exceeded/i,
    expected: "enough free space",
    hint: "Free space on the host, then rerun",
  },
  {
    code: "E_READ_ONLY",
    expression: /read-only file system/i,
    expected: "a writable file system",
    hint: "Find out why the file system is mounted read-only (a disk error?), then remount it",
  },
];

/**
 * The maximum number of lines of a stream that an error shows. If stderr also has many lines, the error shows half as
 * many lines of stdout.
 */
const mostLines = 12;

/** Builds the error for a failed step from its exit code and output. */
export function stepError(step: Step, result: StepResult, item: StepsItem): FurrowError {
  const { out, err, details, isPartial } = lastLines(result);
  // If the host itself gives a reason, the reason is on stderr.
  const said = err.length > 0 ? err : out;
  const what = describeStep(step);
  const known = causes.find(({ expression }) => expression.test(said.join("\n")));
  if (known) {
    const { code, expected, hint } = known;
    return new FurrowError(code, {
      what: `${what} failed`,
      current: said.at(-1) ?? "",
      expected,
      details: details.slice(0, -1),
      hint,
    });
  }
  if (step.step === "run" && result.exitCode === 127) {
    return new FurrowError("E_TOOL_MISSING", {
      what: `${missingProgram(step.argv, said) ?? `a program that ${what} runs`} was not found on the host`,
      details,
      hint: `Install it first, with a package task, or give its full path`,
    });
  }
  if (step.step === "run" && result.exitCode === 124) {
    return new FurrowError("E_TIMEOUT", {
      what: `${what} was stopped after ${step.timeoutSeconds ?? item.timeoutSeconds ?? stepTimeoutSeconds} s`,
      details,
      hint: "Raise timeoutSeconds if it just needs more time",
    });
  }
  const limit = step.step === "run" ? (step.timeoutSeconds ?? item.timeoutSeconds ?? stepTimeoutSeconds) : undefined;
  const killed = limit !== undefined && result.exitCode === 137;
  const expected = step.step === "run" ? (step.okExit ?? [0]).join(" or ") : "0";
  return new FurrowError("E_STEP", {
    what: `${what} failed`,
    current: `exit code ${result.exitCode}${killed ? ": it was killed" : ""}`,
    expected: `exit code ${expected}`,
    details,
    ...(isPartial && { isPartial: true }),
    ...(killed && {
      hint: `Raise timeoutSeconds if it ran for ${limit} s: it was then asked to exit, did not, and was killed 10 s later. Otherwise check the kernel log, which shows whether memory ran out`,
    }),
  });
}

/**
 * Returns the name of the program that was not found. This is the name printed by a shell that the command started, if
 * any; otherwise it is the command's own program. Undefined for sh, which every host has.
 */
function missingProgram(argv: readonly string[], said: readonly string[]): string | undefined {
  const shells = new Set(argv.map(lastPart));
  const named = said.flatMap((line) => {
    const [, shell = "", program] = notFound.exec(line) ?? [];
    return program !== undefined && shells.has(lastPart(shell)) ? [program] : [];
  });
  const [own = ""] = argv;
  return named.at(-1) ?? (lastPart(own) === "sh" ? undefined : own);
}

/** `sh: 1: xxd: not found`, as dash, bash and busybox print it. */
const notFound = /^([^\s:]+)(?:: (?:line )?\d+)?: ([^:]+): (?:(?:command )?not found|No such file or directory)$/;

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The error for a step whose output the host could not write into the folder of its journal. */
export function noRoomError(step: Step, { exitCode, stdout, stderr }: StepResult, why: string): FurrowError {
  return cannotWrite(why, {
    what: `${describeStep(step)} ended with exit code ${exitCode}, and the host could not store its output`,
    details: lastLines({ stdout, stderr }).details,
  });
}

/** The error for a journal that the host cannot write. `said` is the host's message. */
export function cannotWrite(said: string, failure: Failure): FurrowError {
  const readOnly = /read-only/i.test(said);
  return new FurrowError(readOnly ? "E_READ_ONLY" : "E_DISK_FULL", {
    ...(said !== "" && { current: said }),
    expected: "free space below /run/furrow, or wherever the host keeps the journal of a run",
    hint: readOnly
      ? "Find out why the file system is mounted read-only (a disk error?), remount it, then rerun"
      : "Free space on the host (df /run), then rerun: furrow reads the host again and finishes the work",
    ...failure,
  });
}

interface LastLines {
  /** The last lines of stdout and of stderr. */
  readonly out: readonly string[];
  readonly err: readonly string[];
  /** The lines of both streams, as an error shows them. */
  readonly details: readonly string[];
  /** True if there were more lines. */
  readonly isPartial: boolean;
}

/**
 * Returns the last lines of both streams, because programs print the reason for a failure on either. stdout gets half
 * of the lines, and also those that stderr does not need.
 */
function lastLines({ stdout, stderr }: Pick<StepResult, "stdout" | "stderr">): LastLines {
  const [allOut, allErr] = [lines(stdout), lines(stderr)];
  const err = last(allErr, mostLines);
  const out = last(allOut, Math.max(mostLines / 2, mostLines - err.length));
  const isPartial = out.length + err.length < allOut.length + allErr.length;
  return { out, err, details: [...out, ...err], isPartial };
}

function last(all: readonly string[], most: number): readonly string[] {
  return all.slice(Math.max(0, all.length - most));
}

/**
 * Returns the lines that are not empty. Redacts the text as a whole before splitting it: a single line does not show
 * whether the text was cut inside a secret.
 */
function lines(text: string): string[] {
  return redact(text)
    .split("\n")
    .filter((line) => line.trim() !== "");
}
