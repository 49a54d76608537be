import { FurrowError, isFurrowError } from "../../../core/errors.ts";
import type { FrameItem } from "../../../core/host/frame.ts";
import type { Move } from "./after-loss.ts";
import { cannotWrite } from "../answers/step-error.ts";
import { runText } from "../lock/run-text.ts";

/** The facts for an error about a lost frame. */
export interface LostFrame {
  readonly move: Extract<Move, { move: "fail" }>;
  readonly host: string;
  /** The current item. */
  readonly item: FrameItem | undefined;
  /** The host's message about a journal that it could not write. */
  readonly full: string | undefined;
}

/** The error for a frame whose result cannot be determined. */
export function lostFrame({ move, host, item, full }: LostFrame): FurrowError {
  const where = { host };
  switch (move.why) {
    case "rebooted":
      return new FurrowError("E_UNREACHABLE", {
        what: "the host was rebooted while a frame was running",
        where,
        hint: "Rerun to finish the work",
      });
    case "taken":
      return new FurrowError("E_LOCKED", {
        what: "another run took the host while this run was disconnected or stopped",
        where,
        ...(move.by !== "" && { current: runText(move.by) }),
        hint: "Rerun when that run has finished",
      });
    case "broken":
      return new FurrowError("E_UNREACHABLE", {
        what: "the process on the host that did the work was killed",
        where,
        hint: "Look in the host's system log (journalctl) for what killed it (out of memory?), then rerun",
      });
    case "unknown":
      return new FurrowError("E_UNREACHABLE", {
        what: "the connection was lost, and the host keeps no journal to show how far the frame got",
        where,
        hint: "Free space in /run or /tmp on the host, then rerun",
      });
    case "full":
      return journalFull(host, item, full ?? "");
  }
}

/** What is known about a frame whose line was lost repeatedly. */
export interface StoodStill {
  readonly host: string;
  /** The current item. */
  readonly item: FrameItem | undefined;
  /** The work that had begun, according to the journal. */
  readonly said: "task" | "frame" | "nothing";
  readonly losses: number;
  /** Seconds since the line was first lost. */
  readonly seconds: number;
  /** Why the last line was lost. */
  readonly error: FurrowError;
}

/** The error if the line was lost and no new one could be opened within the reconnect time. */
export function notOpenedAgain({
  host,
  item,
  seconds,
  error,
}: Pick<StoodStill, "host" | "item" | "seconds" | "error">): FurrowError {
  const task = titleOf(item);
  const { what, current, hint } = error.failure;
  return new FurrowError("E_UNREACHABLE", {
    what: `the connection was lost during the task, and could not be restored within ${Math.round(seconds)} s`,
    where: { host, ...(task !== undefined && { task }) },
    current: current === undefined ? what : `${what}: ${current}`,
    hint: hint ?? "Check that the host is up and can be reached, then rerun",
    cause: error,
  });
}

function titleOf(item: FrameItem | undefined): string | undefined {
  return item?.item === "steps" ? (item.title ?? item.task) : undefined;
}

/** The error if the host was reached repeatedly, but never answered the frame within the reconnect time. */
export function stoodStill({ host, item, said, losses, seconds, error }: StoodStill): FurrowError {
  const task = titleOf(item);
  const last = {
    task: `the last entry in its journal: began ${task ?? "a task"}`,
    frame: "the last entry in its journal: the frame has begun",
    nothing: "its journal is empty",
  }[said];
  const why = error.failure.current ?? error.failure.what;
  return new FurrowError("E_UNREACHABLE", {
    what: `the connection was lost ${losses} times in ${Math.round(seconds)} s, and no answer arrived in between`,
    where: { host, ...(task !== undefined && { task }) },
    current: `${why}; ${last}`,
    expected: "a result or output from the task within --reconnect-timeout",
    hint: "Check the network to the host (a firewall, a proxy or an MTU that stops connections after some bytes?), then rerun",
    cause: error,
  });
}

function journalFull(host: string, item: FrameItem | undefined, said: string): FurrowError {
  return cannotWrite(said, {
    what: "the host could not record the result of the task, and stopped after it",
    where: { host, ...(item?.item === "steps" && { task: item.title ?? item.task }) },
  });
}

/** The error for a frame that was abandoned: the signal's reason, or E_INTERRUPTED. */
export function interrupted(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return isFurrowError(reason) ? reason : new FurrowError("E_INTERRUPTED", { what: "the run was interrupted" });
}
