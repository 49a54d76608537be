import { AsyncLocalStorage } from "node:async_hooks";
import { FurrowError } from "../../core/errors.ts";

/** The environment variable that marks every process of a lab. */
export const markVariable = "FURROW_LAB";

const currentMark = new AsyncLocalStorage<string>();

/**
 * Runs `work`; every command that it starts has `word` in its environment. A command keeps running if the process that
 * waits for it is killed; the mark allows `labDown` to find it.
 */
export function withMark<T>(word: string, work: () => Promise<T>): Promise<T> {
  return currentMark.run(word, work);
}

/** The result of a command. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs one command on the machine and waits for it; uses no shell, and prints nothing.
 *
 * @param argv program and arguments
 * @param options `allowFailure`: a non-zero exit code is a result, not an error; `input`: the command's stdin (default:
 * empty)
 * @throws FurrowError E_LAB if the command exits with a non-zero code; the error contains the last lines of output
 */
export async function command(
  argv: readonly string[],
  options: {
    readonly allowFailure?: boolean;
    readonly input?: string;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<Ended> {
  const { $ } = await import("zx");
  const mark = currentMark.getStore();
  const env = { ...process.env, LC_ALL: "C", ...options.env, ...(mark === undefined ? {} : { [markVariable]: mark }) };
  // zx treats empty input as missing and leaves stdin open, so `cat` would wait forever.
  const stdin = options.input
    ? { input: options.input }
    : { stdio: ["ignore", "pipe", "pipe"] as ["ignore", "pipe", "pipe"] };
  const ended = await $({ verbose: false, quiet: true, nothrow: true, env, ...stdin })`${argv}`;
  const code = ended.exitCode ?? 128;
  if (code !== 0 && options.allowFailure !== true) throw commandFailed(argv, code, ended.stdout, ended.stderr);
  return { code, stdout: ended.stdout, stderr: ended.stderr };
}

/** The error for a command that exited with `code`. */
export function commandFailed(argv: readonly string[], code: number, stdout: string, stderr: string): FurrowError {
  const lines = `${stdout}\n${stderr}`.split("\n").filter((line) => line.trim() !== "");
  return new FurrowError("E_LAB", {
    what: `\`${argv.slice(0, 4).join(" ")}${argv.length > 4 ? " …" : ""}\` failed while working on the lab`,
    current: `exit code ${code}`,
    expected: "exit code 0",
    hint: "Read the last lines of its output below; `furrow lab down` removes what was created so far",
    details: lines.slice(-15),
  });
}
