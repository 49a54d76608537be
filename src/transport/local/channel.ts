import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { FurrowError } from "../../core/errors.ts";
import type { Channel } from "../../core/host/transport.ts";
import { Outlet } from "../outlet.ts";

/** Byte counters shared by the channels of one link. */
export interface Traffic {
  sent: number;
  received: number;
}

/** A {@link Channel} over a child process that leads a process group. */
export function localChannel(child: ChildProcessWithoutNullStreams, host: string, traffic: Traffic): Channel {
  const stdout = new Outlet(child.stdout);
  const stderr = new Outlet(child.stderr);
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data: Uint8Array) => (traffic.received += data.length));
  }
  // Each write reports a broken pipe itself.
  child.stdin.on("error", () => undefined);
  const closed = new Promise<{ code: number | undefined; signal: string | undefined }>((resolve) => {
    child.once("close", (code, signal) => resolve({ code: code ?? undefined, signal: signal ?? undefined }));
  });
  const ended = Promise.all([closed, stdout.finished, stderr.finished]).then(([end]) => end);
  ended.catch(() => undefined);

  return {
    write: (data) =>
      new Promise((resolve, reject) => {
        child.stdin.write(data, (error) => {
          if (error !== undefined && error !== null) reject(unread(host, error));
          else resolve();
        });
        traffic.sent += data.length;
      }),
    end: () => void child.stdin.end(),
    destroy: () => {
      stdout.discard();
      stderr.discard();
      child.stdin.destroy();
      child.stdout.destroy();
      child.stderr.destroy();
      hangUp(child);
    },
    onStdout: (listener) => stdout.listen(listener),
    onStderr: (listener) => stderr.listen(listener),
    ended,
  };
}

/**
 * Ends the process group, as a terminal or sshd does when its user disconnects. A process in its own session survives.
 */
function hangUp(child: ChildProcessWithoutNullStreams): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGHUP");
  } catch (error) {
    // The process group has already ended.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function unread(host: string, cause: Error): FurrowError {
  return new FurrowError("E_PROTOCOL", {
    what: "a process ended before it had read all its input",
    where: { host },
    hint: "Read the process's own output, which may explain why it ended",
    cause,
  });
}
