import type { Readable, Writable } from "node:stream";
import { after } from "../../../core/world.ts";
import { outside } from "../../outside.ts";
import type { TunnelProgram } from "./program.ts";

/** The shell's message for a program that does not exist. */
export const noProgram = "furrow: no program";

/** How a tunnel's process ended, and the last part of its output. */
export interface TunnelEnd {
  readonly code: number | null;
  readonly said: string;
}

/** A running program that holds a tunnel open. */
export interface TunnelProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when the program has exited and its last messages have arrived. Rejects if no process can be started. */
  readonly ended: Promise<TunnelEnd>;
  /** Ends the program and everything that it has started. */
  end(): void;
  /** True if `end` was called while the program was running. */
  readonly wasEnded: boolean;
}

/**
 * Runs the program in a separate process group, because Ctrl-C is for furrow only. A watcher next to it reads fd 3,
 * whose other end closes when furrow ends the tunnel or dies. Then the watcher ends the whole group, including any
 * programs that the program itself has started, such as session-manager-plugin.
 */
const script = `exec 4<&0
{ read -r over <&3; trap '' TERM; kill -TERM 0; sleep 2; kill -KILL 0; } 4<&- </dev/null >/dev/null 2>&1 &
exec 3<&-
command -v "$1" >/dev/null || { echo '${noProgram}' >&2; exit 127; }
exec "$@" <&4 4<&-`;

/** How many characters at the end of stderr are kept: they show why the program ended. */
const keptLetters = 16 * 1024;

/** Milliseconds for which processes that the program left behind may hold its output open. */
const lastWordsMs = 200;

/** Starts the program of a tunnel. The program's messages are in English, so that they can be recognized. */
export function startTunnel({ program, args }: TunnelProgram): TunnelProcess {
  const child = outside.spawn("sh", ["-c", script, "sh", program, ...args], {
    detached: true,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    env: { ...process.env, LC_ALL: "C.UTF-8" },
  });
  const { stdin, stdout, stderr } = child as unknown as {
    readonly stdin: Writable;
    readonly stdout: Readable;
    readonly stderr: Readable;
  };
  const lifeline = child.stdio[3] as Writable;
  let said = "";
  stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-keptLetters)));
  // Ignore errors: the caller learns from `ended` that the program has exited.
  for (const stream of [stdin, stdout, stderr, lifeline]) stream.on("error", () => undefined);
  const ended = new Promise<TunnelEnd>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, said }));
    child.once("exit", (code, signal) => {
      // A program that was killed may still be waiting for its child processes, which the watcher ends; any other
      // program is done.
      if (signal === null && code !== null) killGroup(child.pid);
      lifeline.destroy();
      after(lastWordsMs, () => resolve({ code, said }));
    });
  });
  ended.catch(() => undefined);
  let wasEnded = false;
  return {
    stdin,
    stdout,
    ended,
    end: () => {
      wasEnded ||= child.exitCode === null && child.signalCode === null;
      lifeline.destroy();
    },
    get wasEnded() {
      return wasEnded;
    },
  };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
