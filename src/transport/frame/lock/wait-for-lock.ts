import { FurrowError } from "../../../core/errors.ts";
import type { FrameListener } from "../../../core/host/frame.ts";
import { stepTimeoutSeconds } from "../compile/compile-step.ts";
import type { HostWord } from "../answers/host-word.ts";
import { runText } from "./run-text.ts";
import { now, random, sleep } from "../../../core/world.ts";

/** A run's claim to the exclusive use of its hosts. */
export interface RunClaim {
  /** Letters and digits. */
  readonly id: string;
  /** The user who started the run, and the machine: `anna@laptop`. */
  readonly holder: string;
  /** The start time of the run, in ISO 8601 format without spaces. */
  readonly since: string;
  /**
   * Seconds to wait while another run holds the host. If undefined, the run waits only briefly, so that a run that has
   * just ended can release the host.
   */
  readonly waitSeconds: number | undefined;
}

/**
 * Seconds within which a run that has ended releases its hosts: a run exits before its hosts have handled the end of
 * its session.
 */
const goodbyeSeconds = 0.3;

/** Seconds to wait for a run without a controller: its step may use its full time limit and then be killed. */
const orphanSeconds = stepTimeoutSeconds + 300;

/** Waits, or gives up, when another run holds the host. */
export class LockWait {
  readonly #host: string;
  readonly #run: RunClaim | undefined;
  readonly #told = new Set<string>();
  #began: number | undefined;
  /** The last run seen without a controller, and the time at which this run began to wait for it. */
  #orphan: { readonly run: string; readonly since: number } | undefined;

  constructor(host: string, run: RunClaim | undefined) {
    this.#host = host;
    this.#run = run;
  }

  /**
   * Waits while another run holds the host, and resolves when it is worth asking again. Throws FurrowError E_LOCKED if
   * this run must not wait, or has waited long enough. If the other run has no controller, it has been told to stop and
   * ends after its task; this run waits for it as long as a step may take, or for `waitSeconds` if that is longer.
   */
  async held(
    { attached, run, words }: Extract<HostWord, { record: "held" }>,
    listener: FrameListener,
    signal: AbortSignal,
  ): Promise<void> {
    const [, , ...rest] = words.split(" ");
    const text = runText(`${run} ${words}`);
    if (!attached) {
      const task = rest.join(" ");
      this.#tell(`is waiting for ${text}: it has lost its controller and will end after its task ${task}`, listener);
      if (this.#orphan?.run !== run) this.#orphan = { run, since: now() };
      const waited = (now() - this.#orphan.since) / 1000;
      if (waited >= Math.max(orphanSeconds, this.#run?.waitSeconds ?? 0))
        throw this.#orphaned(`${text}, at its task ${task}`, waited);
    } else {
      this.#began ??= now();
      const waited = (now() - this.#began) / 1000;
      const waitSeconds = this.#run?.waitSeconds;
      if (waited >= (waitSeconds ?? goodbyeSeconds)) throw this.#locked(text, waited);
      if (waitSeconds !== undefined) this.#tell(`is waiting for ${text}`, listener);
    }
    // Wait a random time: two runs that ask at the same moment may each find the host taken by the other.
    try {
      const goodbye = attached && this.#run?.waitSeconds === undefined;
      await sleep((goodbye ? goodbyeSeconds * 1000 : 700) + random() * (goodbye ? 200 : 600), signal);
    } catch {
      throw new FurrowError("E_INTERRUPTED", { what: "interrupted while another run held the host", current: text });
    }
  }

  /** Reports how a run that was cut off ended. */
  left({ run, state, task }: Extract<HostWord, { record: "left" }>, listener: FrameListener): void {
    listener.notice?.(`run ${run} was cut off; its task ${task} ${endText(state)}`);
  }

  #tell(text: string, listener: FrameListener): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    listener.notice?.(text, "held");
  }

  #orphaned(text: string, waited: number): FurrowError {
    return new FurrowError("E_LOCKED", {
      what: "a run that has lost its controller still holds the host",
      where: { host: this.#host },
      current: text,
      expected: "that run ends after this task",
      details: [`waited ${Math.round(waited)} s for it`],
      hint: "Check what this task is doing on the host (ps), end it if it hangs, then rerun; --wait-lock waits longer",
    });
  }

  #locked(text: string, waited: number): FurrowError {
    const waiting = this.#run?.waitSeconds;
    return new FurrowError("E_LOCKED", {
      what: "another run holds the host",
      where: { host: this.#host },
      current: text,
      ...(waiting !== undefined && { details: [`waited ${Math.round(waited)} s for it`] }),
      hint: "Wait until it has finished, or let furrow wait: --wait-lock 600",
    });
  }
}

/** Holder and time as the host stores them: one line in which a shell expands nothing. */
export function holderOf({ holder, since }: RunClaim): string {
  return `${holder.replaceAll(/[^\w.@:-]/g, "-")} ${since}`;
}

/** Describes how the last task of a run ended. */
function endText(state: string): string {
  const [end = "", why] = state.split(":");
  if (end === "failed" && why !== undefined)
    return why === "full" ? "failed: no space left" : `failed (exit code ${why})`;
  const ends: Record<string, string> = {
    began: "was killed before it finished",
    ok: "ended well",
    stopped: "had not begun",
  };
  return ends[end] ?? state;
}
