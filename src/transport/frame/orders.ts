import { isFurrowError, FurrowError } from "../../core/errors.ts";
import type { FrameListener } from "../../core/frame.ts";
import type { Channel } from "../../core/transport.ts";
import { leaseSeconds } from "./claim-script.ts";
import type { SessionIdentity } from "./shell-line.ts";
import { every, sleep } from "../../core/world.ts";

/** Seconds between two signs of life: five may be lost before the host is given to others. */
export const renewSeconds: number = leaseSeconds / 5;

/** The signals a frame obeys. */
interface Signals {
  readonly stop: AbortSignal | undefined;
  readonly kill: AbortSignal;
  readonly leave: AbortSignal | undefined;
  readonly listener: FrameListener;
}

/** A frame that is being watched. */
export interface Watch {
  /** Aborted when nobody waits for the frame any more. */
  readonly leave: AbortSignal;
  /** The frame has ended. */
  end(): void;
}

/**
 * What reaches a frame while it runs, through a shell beside it: that its controller lives, that it is to stop at the
 * next border of a task, that its step is to end. That shell is opened when the first order is given.
 */
export class Orders {
  readonly #open: (signal: AbortSignal) => Promise<Channel>;
  readonly #identity: SessionIdentity;
  readonly #closed = new AbortController();
  #shell: Promise<Channel> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(open: (signal: AbortSignal) => Promise<Channel>, identity: SessionIdentity) {
    this.#open = open;
    this.#identity = identity;
  }

  /** Passes signals on to a frame until it ends. A frame that does not act is left at once. */
  watch(acts: boolean, { stop, kill, leave, listener }: Signals): Watch {
    const left = new AbortController();
    const go = (): void => left.abort(interruption(kill));
    if (!acts) {
      if (kill.aborted) go();
      kill.addEventListener("abort", go);
      return { leave: left.signal, end: () => kill.removeEventListener("abort", go) };
    }
    const ended = new AbortController();
    const onStop = async (): Promise<void> => {
      // The frame may be on its way to the host still.
      while (!ended.signal.aborted && (await this.#give("stop", listener)) === "") await sleep(500);
    };
    const onKill = async (): Promise<void> => {
      let answer: string | undefined = "";
      while (!ended.signal.aborted && answer === "") {
        answer = await this.#give("kill", listener);
        if (answer === "") await sleep(300);
      }
      // Whoever cannot be reached cannot be told to end either.
      if (answer === undefined) go();
    };
    const onLeave = (): void => {
      listener.notice?.("left without waiting: what runs on the host goes on to the end of its task");
      go();
    };
    const timer = every(renewSeconds * 1000, () => void this.#give("renew", listener));
    const listeners = [
      [stop, () => void onStop()],
      [kill, () => void onKill()],
      [leave, onLeave],
    ] as const;
    for (const [signal, act] of listeners) {
      if (signal?.aborted === true) act();
      signal?.addEventListener("abort", act, { once: true });
    }
    return {
      leave: left.signal,
      end: () => {
        ended.abort();
        timer.cancel();
        for (const [signal, act] of listeners) signal?.removeEventListener("abort", act);
      },
    };
  }

  /** Ends the shell beside. */
  close(): void {
    this.#closed.abort();
    this.#shell?.then(
      (shell) => shell.destroy(),
      () => {},
    );
  }

  async #give(order: "stop" | "kill" | "renew", listener: FrameListener): Promise<string | undefined> {
    try {
      // One after the other: the shell has one listener.
      const asking = this.#last.then(() => this.#ask(orderScript(order, this.#identity)));
      this.#last = asking.catch(() => {});
      const answer = await asking;
      if (order === "renew" || answer === "") return answer;
      const [state = "", ...task] = answer.split(" ");
      if (state !== "began") return answer;
      const uncut = answer.endsWith(" «uncut»");
      const name = task.join(" ").replace(" «uncut»", "");
      if (order === "stop") listener.notice?.(`stops after its task ${name}`);
      else if (uncut) listener.notice?.(`its task ${name} is a package transaction: it is not cut`);
      else listener.notice?.(`its task ${name} is told to end`);
      return answer;
    } catch {
      this.#shell = undefined;
      return undefined;
    }
  }

  async #ask(script: string): Promise<string> {
    this.#closed.signal.throwIfAborted();
    const fresh = this.#shell === undefined;
    this.#shell ??= this.#open(this.#closed.signal);
    const shell = await this.#shell;
    if (fresh) shell.ended.catch(() => {});
    return new Promise((resolve, reject) => {
      let said = "";
      shell.onStdout((data) => {
        said += Buffer.from(data).toString("utf8");
        const end = said.indexOf("\n.\n");
        if (end >= 0) resolve(said.slice(0, end).trim());
      });
      shell.onStderr(() => {});
      shell.ended.then(() => reject(new Error("the shell has ended")), reject);
      shell.write(Buffer.from(script)).catch(reject);
    });
  }
}

/** Finds the folder of the session, does what the order says, and tells the task that is being done. */
function orderScript(order: "stop" | "kill" | "renew", { run, session }: SessionIdentity): string {
  const acts = {
    stop: `echo >"$d/stop"`,
    renew: `{ read -r u l </proc/uptime; u=\${u%%.*}; echo "$u" >"$d/lease"
for f in "$b"/run.a.${run}.${session}.*; do if [ -f "$f" ]; then read -r l h <"$f"; echo "$u $h" >"$f"; fi; done; }`,
    kill: `{ echo >"$d/stop"; c=; { read -r i s p f <"$d/cur"; } 2>/dev/null
if [ -n "$p" ]; then if [ -n "$f" ]; then c=' «uncut»'; else kill -TERM -"$p" 2>/dev/null || kill -TERM "$p" 2>/dev/null; fi; fi; }`,
  };
  return `{ c=; i=$(id -u); for b in /run/furrow /tmp/furrow-$i /var/tmp/furrow-$i /dev/shm/furrow-$i; do d=$b/at.${run}.${session}
if [ -d "$d" ] && [ -O "$d" ]; then { ${acts[order]}; } 2>/dev/null; t=; { IFS= read -r t <"$d/task"; } 2>/dev/null; printf '%s%s\\n' "$t" "$c"; fi; done; printf '\\n.\\n'; }\n`;
}

function interruption(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return isFurrowError(reason) ? reason : new FurrowError("E_INTERRUPTED", { what: "the run was interrupted" });
}
