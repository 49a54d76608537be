import type { Manner } from "../compile/frame-line.ts";
import type { HostWord } from "../answers/host-word.ts";

/** What is to be done next for a frame. */
export type Move =
  | { readonly move: "send"; readonly manner: Manner }
  /** Ask how far it came, and take up its answer. */
  | { readonly move: "ask" }
  /** Nothing more can be known of it. */
  | { readonly move: "fail"; readonly why: "unknown" | "rebooted" | "broken" | "taken" | "full" };

/** What is known of a frame that is on its way. */
export interface Course {
  readonly manner: Manner;
  /** It has items that change the host. */
  readonly acts: boolean;
  /** The boot that the session began in, where the host has told it. */
  readonly boot: string | undefined;
  /** The steps of a task have begun since it was sent last. */
  readonly begun: boolean;
  /** Seconds since the frame was sent first. */
  readonly seconds: number;
}

/** The first move of a frame. What acts is written into a journal, unless it is known that the host cannot. */
export function firstMove(acts: boolean, journal: boolean): Move {
  return { move: "send", manner: acts && journal ? "detached" : "attached" };
}

/**
 * What to do after the line was lost. What only reads may be sent again. What runs detached has left a journal, or has
 * not begun. What acted in the session's shell itself nobody can tell of.
 */
export function afterLoss({ manner, acts }: Course): Move {
  if (manner === "detached") return { move: "ask" };
  return acts ? { move: "fail", why: "unknown" } : { move: "send", manner };
}

/** What to do after the host has said this; undefined where there is more to hear. */
export function afterWord(word: HostWord, course: Course, asked: boolean): Move | undefined {
  switch (word.record) {
    case "boot":
      if (course.boot === undefined) return undefined;
      if (course.boot !== word.boot) return { move: "fail", why: "rebooted" };
      return word.fresh ? { move: "fail", why: "taken" } : undefined;
    case "asked": {
      // A boot that nobody has told yet: one that began after the frame was sent is another.
      const other = course.boot === undefined ? word.upSeconds < course.seconds : word.boot !== course.boot;
      if (other) return { move: "fail", why: "rebooted" };
      if (word.state === "taken") return { move: "fail", why: "taken" };
      return word.state === "begun" ? undefined : { move: "send", manner: "detached" };
    }
    case "given-up":
      return { move: "send", manner: "detached" };
    case "no-journal":
      return asked ? { move: "fail", why: "unknown" } : { move: "send", manner: "attached" };
    case "gone":
      if (word.full === undefined) return { move: "fail", why: "broken" };
      return course.begun ? { move: "fail", why: "full" } : { move: "send", manner: "attached" };
    case "held":
    case "left":
      return undefined;
  }
}
