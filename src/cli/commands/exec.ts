import { ignoreAll } from "../../core/host/frame.ts";
import { defineCommand } from "../words/command.ts";
import { redact } from "../../core/secrets/redact.ts";
import type { StepResult } from "../../core/host/step.ts";
import { safeLine } from "../../report/text/value.ts";
import { usage, withRepeated } from "../words/arguments.ts";
import { type Each, onEachHost } from "../run/each-host.ts";
import { exitCodes, exitCodeOfError } from "../exit-codes.ts";
import { positiveWhole } from "../run/request.ts";
import { flagsOf } from "../words/flags.ts";
import { print, printError, printJson, printOutput } from "../terminal.ts";

/**
 * The `furrow exec PATTERN -- COMMAND` command: several words are run as a program, without a shell; a single word is
 * run by the shell.
 */
export const command = defineCommand({
  args: flagsOf.exec,
  async run({ args, data }) {
    const { rest } = data;
    if (rest === undefined || rest.length === 0) {
      throw usage("exec", "furrow exec needs a command", "Write it after two dashes: furrow exec web -- uptime");
    }
    const argv = rest.length === 1 ? ["sh", "-c", ...rest] : rest;
    const timeoutSeconds = args.timeout === undefined ? undefined : positiveWhole("--timeout", args.timeout);
    const limit = timeoutSeconds !== undefined && { timeoutSeconds };
    const okExit = Array.from({ length: 256 }, (_, code) => code);
    const all = await onEachHost<StepResult>(
      args.pattern,
      withRepeated(args, data),
      async (session, _about, signal) => {
        const steps = [{ step: "run", argv, okExit, ...limit }] as const;
        const [result] = await session.frame({ items: [{ item: "steps", task: "exec", steps }] }, ignoreAll, signal);
        if (result?.item === "steps" && result.failed !== undefined) throw result.failed.error;
        return result?.item === "steps" ? (result.results[0] ?? noResult) : noResult;
      },
      (each) => show(each, args.json === true),
    );
    const lost = all.flatMap(({ error }) => (error === undefined ? [] : [exitCodeOfError(error)]));
    const failed = all.some(({ value }) => value !== undefined && value.exitCode !== 0);
    return failed ? exitCodes.failed : lost.length === 0 ? exitCodes.converged : Math.min(...lost);
  },
});

const noResult: StepResult = { exitCode: 0, stdout: "", stderr: "" };

function show({ host, value, error }: Each<StepResult>, json: boolean): void {
  if (value === undefined) {
    printError(error, json);
    return;
  }
  const { exitCode, stdout, stderr, cut } = value;
  if (json) {
    printJson({ schema: 1, host, exitCode, stdout, stderr, cut });
    return;
  }
  if (exitCode !== 0 || (stdout === "" && stderr === "")) print(`${host}  exit code ${exitCode}\n`);
  for (const line of lines(redact(stdout))) print(`${host}  | ${safeLine(line)}\n`);
  for (const line of lines(redact(stderr))) printOutput(`${host}  | ${safeLine(line)}`);
}

function lines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
