import { FurrowError } from "../../core/errors.ts";
import { reveal } from "../../core/secrets/secret.ts";
import type { Become, Channel } from "../../core/host/transport.ts";
import type { ShellCommand } from "./command.ts";
import { MarkedStream } from "./marked-stream.ts";
import { after } from "../../core/world.ts";

/** What a process that did not become the expected shell printed, and how it ended. */
export interface Refusal {
  /** All output of the process, without furrow's markers and prompts. */
  readonly said: string;
  readonly code: number | undefined;
  readonly asked: boolean;
  /** True if the process asked again after the password was sent. */
  readonly wrongPassword: boolean;
  /** True if the process neither asked for a password nor became the shell in time. */
  readonly silent: boolean;
}

/** Thrown by {@link openOn} when the process ends, or asks for a password that is not available. */
export class ShellRefused extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super("the process did not become the expected shell");
    this.refusal = refusal;
  }
}

/** Receives the output once the process has become the shell. */
export interface Sinks {
  stdout(data: Uint8Array): void | Promise<void>;
  stderr(data: Uint8Array): void | Promise<void>;
}

/**
 * Milliseconds from the command to the shell: start-up files may be slow, and sudo waits 20 s for a dead name server.
 */
const openingMs = 90_000;

/**
 * Drives a process started by `command` until it is the expected shell: sends the password once and only to the program
 * that asks for it, then `go`, then the data that `early` returns. Throws ShellRefused, the error of `channel.ended`,
 * or `signal.reason`.
 */
export async function openOn(
  channel: Channel,
  command: ShellCommand,
  become: Become | undefined,
  sinks: Sinks,
  early: () => readonly Uint8Array[],
  signal: AbortSignal,
): Promise<void> {
  const stdout = new MarkedStream(command.ready);
  const stderr = new MarkedStream(command.ready);
  const state = { asked: 0, sentPassword: false, sentGo: false, gaveUp: false };

  const send = (bytes: Uint8Array): void => {
    // If the process is gone, `ended` reports it.
    channel.write(bytes).catch(() => undefined);
  };
  const sendPassword = (): void => {
    // After `go` the expected shell reads stdin, and would run the password as a command.
    if (state.sentPassword || state.sentGo) return;
    state.sentPassword = true;
    send(passwordLine(become));
  };
  const sendGo = (): void => {
    if (state.sentGo) return;
    state.sentGo = true;
    send(Buffer.from(`${command.go}\n`));
    for (const bytes of early()) send(bytes);
  };
  // End the input instead of trying again: a host may lock the account. A raw terminal has no end of input.
  const giveUp = (): void => {
    state.gaveUp = true;
    if (command.terminal) channel.destroy();
    else channel.end();
  };

  const look = (): void => {
    if (state.gaveUp || state.sentGo) return;
    if (stdout.hasLine(command.started)) {
      sendGo();
      return;
    }
    // A banner on stdout may also mention passwords. The prompt arrives on stdout only on a terminal.
    const asked = countPrompts(command, stderr) + (command.terminal ? countPrompts(command, stdout) : 0);
    const again = asked > 1 || /^Sorry, try again/m.test(stderr.before);
    if (asked <= state.asked && !again) return;
    state.asked = Math.max(asked, again ? 2 : 0);
    if (command.password === "never" || again) giveUp();
    else sendPassword();
  };

  return new Promise((resolve, reject) => {
    let settled = false;
    const settle = (): void => {
      settled = true;
      timer.cancel();
      signal.removeEventListener("abort", abort);
    };
    const fail = (error: Error): void => {
      settle();
      reject(error);
    };
    const refusal = (code: number | undefined, silent: boolean): ShellRefused =>
      new ShellRefused({
        said: clean(`${stderr.before}\n${stdout.before}`, command),
        code,
        asked: state.asked > 0,
        wrongPassword: state.asked > 1,
        silent,
      });
    const abort = (): void => {
      channel.destroy();
      fail(signal.reason as Error);
    };
    const timer = after(openingMs, () => {
      channel.destroy();
      fail(refusal(undefined, true));
    });
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();

    // This must happen before the listeners are set, because they may be called immediately with earlier data.
    if (command.password === "at once") sendPassword();
    if (command.goAtOnce) sendGo();
    channel.onStdout((data) => {
      const opened = stdout.passing;
      const rest = stdout.take(data);
      if (!opened && stdout.passing) {
        settle();
        resolve();
      }
      if (!stdout.passing) look();
      return rest.length > 0 ? sinks.stdout(rest) : undefined;
    });
    channel.onStderr((data) => {
      const rest = stderr.take(data);
      if (!stdout.passing) look();
      return rest.length > 0 ? sinks.stderr(rest) : undefined;
    });
    channel.ended.then(({ code }) => settled || fail(refusal(code, false)), fail);
  });
}

function countPrompts(command: ShellCommand, stream: MarkedStream): number {
  return command.prompt === undefined ? 0 : [...stream.before.matchAll(command.prompt)].length;
}

function passwordLine(become: Become | undefined): Uint8Array {
  const password = become?.password === undefined ? "" : reveal(become.password);
  if (!/[\n\r]/.test(password)) return Buffer.from(`${password}\n`);
  throw new FurrowError("E_SECRET", {
    what: "the become password contains a line break, which no program accepts",
    hint: "Check the file or variable the become password comes from",
  });
}

function clean(text: string, { started, ready, script, prompt }: ShellCommand): string {
  return text
    .replaceAll(script, "…")
    .split("\n")
    .map((line) => (prompt === undefined ? line : line.replaceAll(prompt, "").replace(/^password: /i, "")).trim())
    .filter((line) => line !== "" && line !== started && line !== ready)
    .join("\n");
}
