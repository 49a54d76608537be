import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { AbortError } from "p-retry";
import { FurrowError } from "../../core/errors.ts";
import type { Address } from "../../core/host/transport.ts";
import { ready } from "./arguments.ts";
import { noConnection } from "./failure.ts";
import { after } from "../../core/world.ts";
import { outside } from "../outside.ts";

/** The ssh that holds a connection for others. */
export interface Master {
  /** Its last words on stderr. */
  said(): string;
  /** Resolves when it next asks the host for a channel of somebody who uses its connection. */
  asks(): Promise<void>;
  /** Ends it; the second way where it did not take the first. */
  end(how: "SIGTERM" | "SIGKILL"): void;
  /** Resolves when it has ended and all it wrote is there. */
  readonly ended: Promise<void>;
}

/** What ssh writes in a long life is not kept: the last of it says why it ended. */
const keptLetters = 64 * 1024;

/** What it says, for those who debug it, when it asks for a channel: `debug1: channel 2: new session [client-session]`. */
const asking = /: new .*\[client-session\]/;

/** Milliseconds that what ssh has started may keep its stderr once it has ended itself. */
const lastWordsMs = 200;

/** Starts ssh, and waits until its connection can be used. Throws what {@link noConnection} makes, and `signal.reason`. */
export function startMaster(address: Address, args: readonly string[], signal: AbortSignal): Promise<Master> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // A group of its own: Ctrl-C in the terminal is furrow's to handle, and what ssh starts goes with it.
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
        // A goodbye to the one who watches over us.
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
    expected: 'OpenSSH\'s client, which the transport "openssh" is made of',
    hint: missing
      ? 'Install it (Debian: openssh-client), or set transport: "ssh"'
      : "Check the controller's limits (ulimit -u, ulimit -n)",
    cause: error,
  });
}
