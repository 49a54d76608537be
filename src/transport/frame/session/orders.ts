import { isFurrowError, FurrowError } from "../../../core/errors.ts";
import type { FrameListener } from "../../../core/host/frame.ts";
import type { Channel } from "../../../core/host/transport.ts";
import { leaseSeconds, leftSilent, untoldSeconds } from "../limits.ts";
import { orderScript } from "./order-script.ts";
import type { SessionIdentity } from "./shell-line.ts";
import type { Life } from "../answers/stall.ts";
import { after, every, now, sleep, type Timer } from "../../../core/world.ts";

/** Seconds between two heartbeats. Four in a row can be lost before other runs may take the host. */
export const renewSeconds: number = leaseSeconds / 5;

/**
 * Seconds from the second Ctrl-C until furrow abandons the frame, regardless of the host's answers. This leaves furrow
 * one second to exit.
 */
export const killSeconds = 2;

/**
 * Seconds from the first Ctrl-C until furrow abandons a frame that only reads. Such a frame leaves nothing half done.
 */
const readSeconds = 5;

/** Seconds within which the second shell must answer, and the maximum size of its answer in bytes. */
const answerLimit = { seconds: 10, bytes: 65_536 };

/** The signals that a frame obeys. */
interface Signals {
  readonly stop: AbortSignal | undefined;
  readonly kill: AbortSignal;
  readonly leave: AbortSignal | undefined;
  readonly listener: FrameListener;
}

/** A handle for watching one frame. */
export interface Watch {
  /** Aborted when furrow must abandon the frame. */
  readonly leave: AbortSignal;
  /** Ends the watch. Call it when the frame has ended. */
  end(): void;
}

/**
 * Sends orders to a running frame through a second shell: renew the lease, stop before the next task, or end the
 * running step. The first order opens the second shell.
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

  /**
   * Sends heartbeats while a frame runs, and passes signals on to it until it ends. A frame that does not act is
   * abandoned a few seconds after the first signal, or immediately after the second one.
   */
  watch(acts: boolean, { stop, kill, leave, listener }: Signals): Watch {
    const left = new AbortController();
    const go = (): void => left.abort(interruption(kill));
    const timers: Timer[] = [];
    // A session that only reads and does not claim the host has nothing on the host that needs heartbeats.
    if (acts || this.#identity.holder !== undefined)
      timers.push(every(renewSeconds * 1000, () => void this.#give("renew", listener)));
    if (!acts) {
      const onStopped = (): void => void timers.push(after(readSeconds * 1000, go, { idle: true }));
      const ways = [
        [stop, onStopped],
        [kill, go],
      ] as const;
      const stopHearing = hear(ways);
      return { leave: left.signal, end: () => void [stopHearing(), ...timers.map((timer) => timer.cancel())] };
    }
    const frame = { over: false };
    const onStop = async (): Promise<void> => {
      // The frame might not have reached the host yet, or the connection may be lost.
      for (let heard = now(); !frame.over && !left.signal.aborted; await sleep(500)) {
        const answer = await this.#give("stop", listener);
        if (answer !== undefined && answer !== "") return;
        if (answer !== undefined) heard = now();
        else if (now() - heard >= untoldSeconds * 1000 && !frame.over) {
          listener.notice?.(leftSilent);
          go();
        }
      }
    };
    const onKill = async (): Promise<void> => {
      let answer: string | undefined = "";
      const late = (): void => {
        const what = answer === undefined || answer === "" ? "the last step sent" : `its task ${taskOf(answer)}`;
        listener.notice?.(`furrow no longer waits for it: ${what} may still be running there; no other task begins`);
        go();
      };
      timers.push(after(killSeconds * 1000, late, { idle: true }));
      while (!frame.over && answer === "") {
        answer = await this.#give("kill", listener);
        if (answer === "") await sleep(300);
      }
    };
    const onLeave = (): void => {
      listener.notice?.("furrow no longer waits for it: the host finishes its current task");
      go();
    };
    const listeners = [
      [stop, () => void onStop()],
      [kill, () => void onKill()],
      [leave, onLeave],
    ] as const;
    const stopHearing = hear(listeners);
    const end = (): void => {
      frame.over = true;
      stopHearing();
      for (const each of timers) each.cancel();
    };
    return { leave: left.signal, end };
  }

  /**
   * Asks whether the host is working on a frame. For a frame in a runner, the host checks the runner; for any other, it
   * checks the children of the session's shell and their CPU time. Undefined if there is no answer within `seconds`.
   */
  async probe(pid: number | undefined, seconds: number): Promise<Life | undefined> {
    try {
      const [words = "", last = ""] = (
        await this.#one(orderScript({ order: "probe", pid }, this.#identity), seconds)
      ).split("\n");
      const [state, ticks] = words.split(" ");
      return { works: state === "runs" || state === "busy", ticks: state === "busy" ? Number(ticks) : undefined, last };
    } catch {
      this.#shell = undefined;
      return undefined;
    }
  }

  /** Ends the second shell. */
  close(): void {
    this.#closed.abort();
    this.#shell?.then(
      (shell) => shell.destroy(),
      () => {},
    );
  }

  async #give(order: "stop" | "kill" | "renew", listener: FrameListener): Promise<string | undefined> {
    try {
      const answer = await this.#one(orderScript({ order }, this.#identity));
      if (order === "renew" || answer === "") return answer;
      const [state = ""] = answer.split(" ");
      if (state !== "began") return answer;
      const uncut = answer.endsWith(" «uncut»");
      const name = taskOf(answer);
      if (order === "stop") listener.notice?.(`stops after its task ${name}`);
      else if (uncut) listener.notice?.(`its task ${name} is a package transaction and is not interrupted`);
      else listener.notice?.(`its task ${name} has been told to end`);
      return answer;
    } catch {
      this.#shell = undefined;
      return undefined;
    }
  }

  /** Runs orders one at a time, because the shell has one listener. Drops a shell that does not answer in time. */
  #one(script: string, seconds: number = answerLimit.seconds): Promise<string> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    late.catch(() => {});
    const asking = this.#last.then(() => {
      const timer = after(seconds * 1000, () => reject(new Error("no answer in time")), { idle: true });
      return Promise.race([this.#ask(script), late]).finally(() => timer.cancel());
    });
    asking.catch(() => {
      this.#shell?.then(
        (shell) => shell.destroy(),
        () => {},
      );
      this.#shell = undefined;
    });
    this.#last = asking.catch(() => {});
    return asking;
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
        else if (said.length > answerLimit.bytes) reject(new Error("an endless answer"));
      });
      shell.onStderr(() => {});
      shell.ended.then(() => reject(new Error("the shell has exited")), reject);
      shell.write(Buffer.from(script)).catch(reject);
    });
  }
}

/**
 * Calls each function when its signal is aborted, or immediately if the signal is already aborted. Returns a function
 * that removes the listeners.
 */
function hear(ways: readonly (readonly [AbortSignal | undefined, () => void])[]): () => void {
  for (const [signal, act] of ways) {
    if (signal?.aborted === true) act();
    signal?.addEventListener("abort", act, { once: true });
  }
  return () => {
    for (const [signal, act] of ways) signal?.removeEventListener("abort", act);
  };
}

/** The title of the task in an answer such as `began TITLE «uncut»`. */
function taskOf(answer: string): string {
  return answer.replace(/^\S+ ?/, "").replace(" «uncut»", "");
}

function interruption(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return isFurrowError(reason) ? reason : new FurrowError("E_INTERRUPTED", { what: "the run was interrupted" });
}
