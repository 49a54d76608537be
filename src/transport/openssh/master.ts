import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { AbortError } from "p-retry";
import { FurrowError } from "../../core/errors.ts";
import type { Address } from "../../core/host/transport.ts";
import { ready } from "./arguments.ts";
import { noConnection } from "./failure.ts";
import { after } from "../../core/world.ts";
import { outside } from "../outside.ts";

/** The ssh process that holds a connection and shares it with others. */
export interface Master {
  /** Returns the last part of ssh's stderr. */
  said(): string;
  /** Resolves when ssh next requests a channel from the host. */
  asks(): Promise<void>;
  /** Ends ssh. SIGKILL is for a process that ignores SIGTERM. */
  end(how: "SIGTERM" | "SIGKILL"): void;
  /** Resolves when ssh has ended and all its output has arrived. */
  readonly ended: Promise<void>;
}

/** Number of characters that are kept from the end of stderr, which shows why ssh ended. */
const keptLetters = 64 * 1024;

/** Matches the debug line for a channel request: `debug1: channel 2: new session [client-session]`. */
const asking = /: new .*\[client-session\]/;

/** Milliseconds for which ssh's children may hold its stderr open after ssh has ended. */
const lastWordsMs = 200;

/**
 * Starts ssh and waits until its connection can be used. Throws the error of {@link noConnection}, or `signal.reason`.
 */
export function startMaster(address: Address, args: readonly string[], signal: AbortSignal): Promise<Master> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // Use a new process group: furrow handles Ctrl-C itself, and ssh's children end with ssh.
    const child = outside.spawn("ssh", args, { detached: true, env: { ...process.env, LC_ALL: "C" } });
    let said = "";
    let isReady = false;
    let heard = "";
    const waiting = new Set<() => void>();
    let line = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-keptLetters);
      const lines = (line + text).split("\n");
      line = lines.pop() ?? "";
      if (!lines.some((whole) => asking.test(whole))) return;
      for (const wake of waiting) wake();
      waiting.clear();
    });
    child.stdin.on("error", () => undefined);
    const abort = (): void => killGroup(child, "SIGTERM");
    signal.addEventListener("abort", abort, { once: true });
    const ended = new Promise<void>((end) => {
      child.once("close", () => end());
      child.once("exit", () => {
        // Tell the watcher to end (see localCommand).
        if (child.stdin.writable) child.stdin.end("over\n");
        after(lastWordsMs, end);
      });
    });
    child.once("error", (error) => {
      signal.removeEventListener("abort", abort);
      reject(new AbortError(noSsh(address, error)));
    });
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (isReady) return;
      heard += text;
      if (!heard.includes(ready)) return;
      isReady = true;
      signal.removeEventListener("abort", abort);
      const asks = (): Promise<void> => new Promise((wake) => void waiting.add(wake));
      resolve({ said: () => said, asks, end: (how) => killGroup(child, how), ended });
    });
    ended
      .then(() => {
        signal.removeEventListener("abort", abort);
        reject(signal.aborted ? (signal.reason as Error) : noConnection(address, said));
      })
      .catch(reject);
  });
}

function killGroup({ pid, exitCode, signalCode }: ChildProcessWithoutNullStreams, how: NodeJS.Signals): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, how);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function noSsh(address: Address, error: NodeJS.ErrnoException): FurrowError {
  const missing = error.code === "ENOENT";
  return new FurrowError("E_UNREACHABLE", {
    what: missing ? "there is no ssh on this machine" : "ssh cannot be started on this machine",
    where: { host: address.name },
    current: error.message,
    expected: 'OpenSSH\'s client, which the transport "openssh" runs',
    hint: missing
      ? 'Install it (Debian: openssh-client), or set transport: "ssh"'
      : "Check the controller's limits (ulimit -u, ulimit -n)",
    cause: error,
  });
}
