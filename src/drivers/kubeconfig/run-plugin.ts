import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { redactor } from "../../core/secrets/redact.ts";
import { type Provided, providedIn } from "./exec-credential.ts";
import { execInfo, type Plugin } from "./plugin.ts";

/** Why a program did not provide a credential. The message never contains what the program printed to stdout. */
export class LoginFailed extends Error {
  readonly code: string = "login";
}

const mostStdout = 1024 * 1024;
const mostStderr = 1000;

/**
 * Runs a program for a credential, without a terminal. Ends it at the deadline and when the signal aborts. Throws
 * LoginFailed, or the signal's reason.
 */
export async function runPlugin(plugin: Plugin, deadlineMs: number, signal: AbortSignal): Promise<Provided> {
  const path = await pathOf(plugin);
  const { status, stdout, stderr } = await outputOf(path, plugin, deadlineMs, signal);
  const provided = providedIn(stdout, plugin.apiVersion);
  const given = typeof provided === "string" ? [] : Object.values(provided.credential).map(String);
  const own = [...given, ...valuesOf(plugin)];
  const quoted = said(stderr, [...own, ...tokensIn(stdout)], own);
  if (status !== undefined) throw failed(plugin, `${status}${quoted}`);
  if (typeof provided !== "string") return provided;
  throw failed(plugin, `${provided}${quoted}`);
}

/**
 * The full path of the program. The program is searched for in this process's PATH, even if the kubeconfig sets a
 * different one for the program.
 */
async function pathOf({ command, installHint }: Plugin): Promise<string> {
  if (command.includes("/")) {
    if (await isProgram(command)) return command;
  } else {
    for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
      // A folder that depends on the working directory could contain anybody's program.
      if (isAbsolute(folder) && (await isProgram(join(folder, command)))) return join(folder, command);
    }
  }
  const where = command.includes("/") ? "is not an executable file" : "is not in any directory of PATH";
  const hint = printable(installHint);
  const more = hint === "" ? "" : `; the kubeconfig says: ${hint}`;
  throw new LoginFailed(`the program ${command}, which the kubeconfig uses to log in, ${where}${more}`);
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

interface Output {
  /** How the program failed; undefined if it succeeded. */
  readonly status: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

function outputOf(path: string, plugin: Plugin, deadlineMs: number, signal: AbortSignal): Promise<Output> {
  const env = Object.fromEntries(plugin.env.map(({ name, value }) => [name, value]));
  return new Promise((settle, fail) => {
    signal.throwIfAborted();
    const child = spawn(path, plugin.args, {
      argv0: plugin.command,
      env: { ...process.env, ...env, KUBERNETES_EXEC_INFO: execInfo(plugin) },
      stdio: ["ignore", "pipe", "pipe"],
      // In its own session the program has no terminal to prompt on, and can be killed with everything that it has
      // started.
      detached: true,
    });
    const stdout: Buffer[] = [];
    let size = 0;
    let stderr = Buffer.alloc(0);
    let status: string | undefined;
    const end = (why: string): void => {
      status ??= why;
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // The program has exited already.
      }
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const abort = (): void => end("was stopped");
    const timer = setTimeout(() => end(`did not end within ${deadlineMs / 1000} seconds`), deadlineMs);
    signal.addEventListener("abort", abort, { once: true });
    child.stdout.on("data", (part: Buffer) => {
      size += part.length;
      if (size > mostStdout) end("printed more than 1 MiB");
      else stdout.push(part);
    });
    child.stderr.on("data", (part: Buffer) => (stderr = Buffer.concat([stderr, part]).subarray(-8 * mostStderr)));
    child.on("error", (error) => (status ??= `cannot be started: ${error.message}`));
    child.on("close", (code, killedBy) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      if (code !== 0) status ??= code === null ? `was killed by ${killedBy}` : `exited with code ${code}`;
      if (signal.aborted) fail(signal.reason as Error);
      else settle({ status, stdout: Buffer.concat(stdout).toString("utf8"), stderr: stderr.toString("utf8") });
    });
  });
}

function failed({ command }: Plugin, what: string): LoginFailed {
  return new LoginFailed(`the program ${command}, which the kubeconfig uses to log in, ${what}`);
}

/**
 * The values that a kubeconfig passes to a program, and that may be secret: environment variables, arguments, the text
 * after an argument's `=`, and each line of these. Short values are left out: hiding them would hide parts of ordinary
 * words.
 */
function valuesOf({ env, args }: Plugin): string[] {
  const values = [...env.map(({ value }) => value), ...args, ...args.map((arg) => arg.slice(arg.indexOf("=") + 1))];
  return values.flatMap((value) => [value, ...value.split(/\r?\n/)]).filter((value) => value.trim().length >= 4);
}

/**
 * The end of what a program has printed to stderr, without secrets. `own`: the secrets that are also hidden in other
 * encodings, such as base64.
 */
function said(stderr: string, secrets: readonly string[], own: readonly string[]): string {
  let text = stderr;
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length);
  for (const secret of longestFirst) text = text.replaceAll(secret, "«secret»");
  text = redactor(own.map((value) => ({ name: "kubeconfig-login", value })))(text);
  text = printable(text).slice(-mostStderr);
  return text === "" ? "" : `: ${text}`;
}

/** Anything on stdout that is long enough to be a token: a program may print it before it fails. */
function tokensIn(stdout: string): string[] {
  return stdout.split(/[\s"'`,{}[\]]+/).filter((word) => word.length >= 16);
}

/** Text without escape sequences and other control characters, on one line. */
function printable(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim();
}
