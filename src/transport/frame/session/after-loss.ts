import type { RunsIn } from "../compile/frame-line.ts";
import type { HostWord } from "../answers/host-word.ts";

/** A session's next action for a frame. */
export type Move =
  | { readonly move: "send"; readonly runsIn: RunsIn }
  /** Ask how far the frame got, and resume its answer. */
  | { readonly move: "ask" }
  /** The frame's result can no longer be determined. */
  | { readonly move: "fail"; readonly why: "unknown" | "rebooted" | "broken" | "full" }
  /** Another run has taken the host. `by`: that run's id, holder and start time; empty if unknown. */
  | { readonly move: "fail"; readonly why: "taken"; readonly by: string };

/** The state of a frame that has been sent. */
export interface Course {
  readonly runsIn: RunsIn;
  /** True if the frame has items that change the host. */
  readonly acts: boolean;
  /** The boot id at the start of the session, if the host has reported it. */
  readonly boot: string | undefined;
  /** True if the steps of a task have begun since the frame was last sent. */
  readonly begun: boolean;
  /** Seconds since the frame was first sent. */
  readonly seconds: number;
}

/**
 * The first move for a frame. A frame that changes the host uses a journal, unless the host is known to be unable to
 * write one.
 */
export function firstMove(acts: boolean, journal: boolean): Move {
  return { move: "send", runsIn: acts && journal ? "runner" : "shell" };
}

/**
 * The move after the line was lost. A frame that only reads may be sent again. A frame in a runner has left a journal
 * or has not begun. The result of a frame that acted in the session's own shell is unknown.
 */
export function afterLoss({ runsIn, acts }: Course): Move {
  if (runsIn === "runner") return { move: "ask" };
  return acts ? { move: "fail", why: "unknown" } : { move: "send", runsIn };
}

/** The next move after this record from the host. Undefined if more records must arrive first. */
export function afterWord(word: HostWord, course: Course, asked: boolean): Move | undefined {
  switch (word.record) {
    case "boot":
      if (course.boot === undefined) return undefined;
      if (course.boot !== word.boot) return { move: "fail", why: "rebooted" };
      return word.fresh ? { move: "fail", why: "taken", by: "" } : undefined;
    case "asked": {
      // If the first boot id is unknown, the host counts as rebooted if it has booted since the frame was sent.
      const other = course.boot === undefined ? word.upSeconds < course.seconds : word.boot !== course.boot;
      if (other) return { move: "fail", why: "rebooted" };
      if (word.state === "taken") return { move: "fail", why: "taken", by: word.by };
      return word.state === "begun" ? undefined : { move: "send", runsIn: "runner" };
    }
    case "given-up":
      return { move: "send", runsIn: "runner" };
    case "no-journal":
      return asked ? { move: "fail", why: "unknown" } : { move: "send", runsIn: "shell" };
    case "gone":
      if (word.full === undefined) return { move: "fail", why: "broken" };
      return course.begun ? { move: "fail", why: "full" } : { move: "send", runsIn: "shell" };
    case "held":
    case "left":
      return undefined;
  }
}
