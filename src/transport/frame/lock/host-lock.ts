import { FurrowError } from "../../../core/errors.ts";
import type { FrameListener } from "../../../core/host/frame.ts";
import { stepTimeoutSeconds } from "../compile/compile-step.ts";
import type { HostWord } from "../answers/host-word.ts";
import { now, random, sleep } from "../../../core/world.ts";

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
const goodbyeSeconds = 0.3;

/** Seconds for which a run without a controller is waited for: its step may take its time, and then be killed. */
const orphanSeconds = stepTimeoutSeconds + 300;

/** What is done where another run has the host. */
export class HostLock {
  readonly #host: string;
  readonly #run: RunClaim | undefined;
  readonly #told = new Set<string>();
  #began: number | undefined;
  /** The run without a controller that was seen last, and since when it is waited for. */
  #orphan: { readonly run: string; readonly since: number } | undefined;

  constructor(host: string, run: RunClaim | undefined) {
    this.#host = host;
    this.#run = run;
  }

  /**
   * Another run has the host: resolves when it is worth asking again. Throws FurrowError E_LOCKED where nobody wants to
   * wait or the time is over. A run without a controller has been told to stop and ends with its task: it is waited for as
   * long as a step may take, or as long as `waitSeconds` where that is more.
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
      if (this.#orphan?.run !== run) this.#orphan = { run, since: now() };
      const waited = (now() - this.#orphan.since) / 1000;
      if (waited >= Math.max(orphanSeconds, this.#run?.waitSeconds ?? 0))
        throw this.#orphaned(`${text}, at its task ${task}`, waited);
    } else {
      this.#began ??= now();
      const waited = (now() - this.#began) / 1000;
      const waitSeconds = this.#run?.waitSeconds;
      if (waited >= (waitSeconds ?? goodbyeSeconds)) throw this.#locked(text, waited);
      if (waitSeconds !== undefined) this.#tell(`waits for ${text}`, listener);
    }
    // Not in step with others who wait: of two who ask at once neither may get the host.
    try {
      const goodbye = attached && this.#run?.waitSeconds === undefined;
      await sleep((goodbye ? goodbyeSeconds * 1000 : 700) + random() * (goodbye ? 200 : 600), signal);
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

  #orphaned(text: string, waited: number): FurrowError {
    return new FurrowError("E_LOCKED", {
      what: "a run that has lost its controller still has the host",
      where: { host: this.#host },
      current: text,
      expected: "its end after this task",
      details: [`waited ${Math.round(waited)} s for it`],
      hint: "Look on the host what this task does (ps), end it if it hangs, then rerun; --wait-lock waits longer",
    });
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
