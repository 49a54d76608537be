import type { ClientChannel } from "ssh2";
import { FurrowError } from "../../core/errors.ts";
import type { Channel } from "../../core/host/transport.ts";
import { Outlet } from "../outlet.ts";

/** What a channel needs to know about its link. */
export interface LinkState {
  /** The host's name, for errors. */
  readonly host: string;
  /** Why the link was lost. Undefined while the link is up, or if it was closed on purpose. */
  readonly lost: FurrowError | undefined;
  /**
   * Calls `listener` once, when the link is lost and before its channels close. Returns a function that removes the
   * listener.
   */
  onLost(listener: () => void): () => void;
  /** True once the host has reported the end of this process's output. False if this is unknown. */
  outputIsComplete(stream: ClientChannel): boolean;
}

/** A {@link Channel} over an ssh2 channel. The channel's window of 2 MiB limits a fast sender, in both directions. */
export function sshChannel(stream: ClientChannel, link: LinkState): Channel {
  const stdout = new Outlet(stream);
  const stderr = new Outlet(stream.stderr);
  let code: number | undefined;
  let signal: string | undefined;
  let sawExit = false;
  let closed = false;
  let cut = false;
  const pending = new Set<(error: FurrowError) => void>();

  stream.on("exit", (exitCode: number | null, exitSignal?: string) => {
    sawExit = true;
    code = exitCode ?? undefined;
    signal = exitSignal;
  });
  const forget = link.onLost(() => {
    cut = !closed && !(sawExit && link.outputIsComplete(stream));
  });
  const close = new Promise<void>((resolve) => {
    stream.once("close", () => {
      closed = true;
      forget();
      // ssh2 never calls back for data that it could no longer send.
      for (const reject of pending) reject(unread(link));
      pending.clear();
      resolve();
    });
  });
  const ended = Promise.all([close, stdout.finished, stderr.finished]).then(() => {
    if (link.lost !== undefined && cut) throw link.lost;
    return { code, signal };
  });
  ended.catch(() => undefined);

  return {
    write: (data) =>
      new Promise((resolve, reject) => {
        if (closed || stream.writableEnded) {
          reject(unread(link));
          return;
        }
        pending.add(reject);
        stream.write(data, () => {
          pending.delete(reject);
          resolve();
        });
      }),
    end: () => {
      if (!closed) stream.end();
    },
    destroy: () => {
      stdout.discard();
      stderr.discard();
      stream.destroy();
    },
    onStdout: (listener) => stdout.listen(listener),
    onStderr: (listener) => stderr.listen(listener),
    ended,
  };
}

function unread(link: LinkState): FurrowError {
  return (
    link.lost ??
    new FurrowError("E_PROTOCOL", {
      what: "a process on the host ended before it had read all its input",
      where: { host: link.host },
      hint: "Read the process's own output, which may explain why it ended",
    })
  );
}
