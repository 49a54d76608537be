import { FurrowError, isFurrowError } from "../../core/errors.ts";
import type { FrameItem } from "../../core/frame.ts";
import type { Move } from "./course.ts";
import { cannotWrite } from "./step-error.ts";

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
