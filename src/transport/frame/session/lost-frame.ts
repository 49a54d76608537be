import { FurrowError, isFurrowError } from "../../../core/errors.ts";
import type { FrameItem } from "../../../core/host/frame.ts";
import type { Move } from "./after-loss.ts";
import { cannotWrite } from "../answers/step-error.ts";

/** What an error about a frame can tell. */
export interface LostFrame {
  readonly why: Extract<Move, { move: "fail" }>["why"];
  readonly host: string;
  /** The item that was being done. */
  readonly item: FrameItem | undefined;
  /** What the host said when it could not write its journal. */
  readonly full: string | undefined;
}

/** Why nothing more can be known of a frame. */
export function lostFrame({ why, host, item, full }: LostFrame): FurrowError {
  const where = { host };
  switch (why) {
    case "rebooted":
      return new FurrowError("E_UNREACHABLE", {
        what: "the host was rebooted while a frame ran",
        where,
        hint: "Run again: what the frame had not done is done then",
      });
    case "taken":
      return new FurrowError("E_LOCKED", {
        what: "another run has had the host while the connection was lost",
        where,
        hint: "Run again, when that one has ended",
      });
    case "broken":
      return new FurrowError("E_UNREACHABLE", {
        what: "the process on the host that did the work was ended",
        where,
        hint: "Look in the host's journal who killed it (out of memory?), then run again",
      });
    case "unknown":
      return new FurrowError("E_UNREACHABLE", {
        what: "the connection was lost, and the host keeps no journal that would tell how far the frame came",
        where,
        hint: "Make room below /run or /tmp of the host, then run again",
      });
    case "full":
      return journalFull(host, item, full ?? "");
  }
}

/** What is known of a frame whose line was lost again and again. */
export interface StoodStill {
  readonly host: string;
  /** The item that was being done. */
  readonly item: FrameItem | undefined;
  /** What the journal last told to have begun. */
  readonly said: "task" | "frame" | "nothing";
  readonly losses: number;
  /** Seconds since the first of these losses. */
  readonly seconds: number;
  /** Why the last line was lost. */
  readonly error: FurrowError;
}

/** The host was reached again and again, but no answer of the frame came through in all that time. */
export function stoodStill({ host, item, said, losses, seconds, error }: StoodStill): FurrowError {
  const task = item?.item === "steps" ? (item.title ?? item.task) : undefined;
  const last = {
    task: `its journal last said: began ${task ?? "a task"}`,
    frame: "its journal last said: the frame has begun",
    nothing: "its journal has said nothing",
  }[said];
  const why = error.failure.current ?? error.failure.what;
  return new FurrowError("E_UNREACHABLE", {
    what: `the connection was lost ${losses} times in ${Math.round(seconds)} s, and no answer came in between`,
    where: { host, ...(task !== undefined && { task }) },
    current: `${why}; ${last}`,
    expected: "a result or output of the task within the time of --reconnect-timeout",
    hint: "Check the way to the host (a firewall, a proxy or an MTU that stops connections after some bytes?), then rerun",
    cause: error,
  });
}

function journalFull(host: string, item: FrameItem | undefined, said: string): FurrowError {
  return cannotWrite(said, {
    what: "the host could not write down what the task came to, and stopped after it",
    where: { host, ...(item?.item === "steps" && { task: item.title ?? item.task }) },
  });
}

/** Why a frame was left: the reason of the signal, or an interruption. */
export function interrupted(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return isFurrowError(reason) ? reason : new FurrowError("E_INTERRUPTED", { what: "the run was interrupted" });
}
