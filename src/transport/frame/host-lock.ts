import { FurrowError } from "../../core/errors.ts";
import type { FrameListener } from "../../core/frame.ts";
import type { HostWord } from "./host-word.ts";
import { now, random, sleep } from "../../core/world.ts";

/** A run that wants its hosts for itself. */
export interface RunClaim {
  /** Letters and digits. */
  readonly id: string;
  /** Who runs it, and where: `anna@laptop`. */
  readonly holder: string;
  /** When it began, as ISO 8601 without blanks. */
  readonly since: string;
  /** Seconds to wait where another run has the host; undefined waits only as long as a goodbye takes. */
  readonly waitSeconds: number | undefined;
}

/** Seconds in which a run that has ended has surely let go of its hosts: nobody waits for its goodbye. */
const goodbyeSeconds = 0.5;

/** What is done where another run has the host. */
export class HostLock {
  readonly #host: string;
  readonly #run: RunClaim | undefined;
  readonly #told = new Set<string>();
  #began: number | undefined;

  constructor(host: string, run: RunClaim | undefined) {
    this.#host = host;
    this.#run = run;
  }

  /**
   * Another run has the host: resolves when it is worth asking again. Throws FurrowError E_LOCKED where nobody wants to
   * wait or the time is over. A run without a controller has been told to stop: its end is always waited for.
   */
  async held(
    { attached, run, words }: Extract<HostWord, { record: "held" }>,
    listener: FrameListener,
    signal: AbortSignal,
  ): Promise<void> {
    const [holder = "somebody", since = "an unknown time", ...rest] = words.split(" ");
    const text = `run ${run} of ${holder}, since ${since}`;
    if (!attached) {
      const task = rest.join(" ");
      this.#tell(`waits for ${text}: it has lost its controller and ends after its task ${task}`, listener);
    } else {
      this.#began ??= now();
      const waited = (now() - this.#began) / 1000;
      const waitSeconds = this.#run?.waitSeconds;
      if (waited >= (waitSeconds ?? goodbyeSeconds)) throw this.#locked(text, waited);
      if (waitSeconds !== undefined) this.#tell(`waits for ${text}`, listener);
    }
    // Not in step with others who wait: of two who ask at once neither may get the host.
    try {
      await sleep(700 + random() * 600, signal);
    } catch {
      throw new FurrowError("E_INTERRUPTED", { what: "interrupted while another run had the host", current: text });
    }
  }

  /** Tells what a run that was cut off came to. */
  left({ run, state, task }: Extract<HostWord, { record: "left" }>, listener: FrameListener): void {
    const ends: Record<string, string> = {
      began: "was killed in the middle",
      ok: "ended well",
      failed: "failed",
      stopped: "was not begun",
    };
    listener.notice?.(`run ${run} was cut off; its task ${task} ${ends[state] ?? state}`);
  }

  #tell(text: string, listener: FrameListener): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    listener.notice?.(text);
  }

  #locked(text: string, waited: number): FurrowError {
    const waiting = this.#run?.waitSeconds;
    return new FurrowError("E_LOCKED", {
      what: "another run has the host",
      where: { host: this.#host },
      current: text,
      ...(waiting !== undefined && { details: [`waited ${Math.round(waited)} s for it`] }),
      hint: "Wait until it has ended, or let furrow wait: --wait-lock 600",
    });
  }
}
