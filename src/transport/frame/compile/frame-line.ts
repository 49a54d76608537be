import type { FurrowError } from "../../../core/errors.ts";
import type { FrameItem } from "../../../core/host/frame.ts";

/** How a frame runs: in the session's shell, or in a runner that outlives the connection. */
export type Manner = "attached" | "detached";

/** A frame, or a part of one, as it is sent. */
export interface SentFrame {
  /** Names this sending of the frame and marks its records. */
  readonly nonce: string;
  readonly items: readonly FrameItem[];
  readonly manner: Manner;
  /** The item whose first steps an earlier part has performed. */
  readonly continued: number | undefined;
  /** The key by which the host enciphers what a journal must not tell; undefined where nothing is to be hidden. */
  readonly hideKey: string | undefined;
  /** The host is to tell how late it is. */
  readonly timed: boolean;
  /** The host has spoken to this session before. */
  readonly known: boolean;
}

/** One way to a shell on the host, until it is lost. */
export interface Line {
  /** Sends a frame. */
  begin(frame: SentFrame): Promise<void>;
  /**
   * Asks after a frame that was sent on another line, and for its journal from this byte on. `known`: the host has
   * spoken to this session before.
   */
  ask(nonce: string, taken: number, known: boolean): Promise<void>;
  /** Sets the one listener of what the host says; gives what takes it away. Throws E_BUG where there is one. */
  listen(listener: (data: Uint8Array) => void): () => void;
  /** Rejects when the line is lost or its shell has ended. */
  readonly lost: Promise<never>;
}

/** Where lines come from. */
export interface Lines {
  /** The line, or a new one where it was lost; tries until its deadline. Throws FurrowError E_UNREACHABLE and others. */
  open(signal: AbortSignal): Promise<Line>;
  /**
   * Gives a line up after this error, so that `open` makes another; false where that is no use any more, as after the
   * time for which a lost connection is tried, if the frame has not moved in it.
   */
  drop(line: Line, error: FurrowError): boolean;
  /** The host has said something; `more` than its greeting: the next attempt need not wait. */
  heard(more: boolean): void;
  /** The frame has got further: from here the time runs in which it must get further again. */
  moved(): void;
}
