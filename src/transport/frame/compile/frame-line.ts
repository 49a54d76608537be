import type { FurrowError } from "../../../core/errors.ts";
import type { FrameItem } from "../../../core/host/frame.ts";

/** How a frame runs: in the session's shell, or in a runner that outlives the connection. */
export type RunsIn = "shell" | "runner";

/** A frame, or a part of one, as it is sent. */
export interface SentFrame {
  /** Identifies this transmission of the frame and marks its records. */
  readonly nonce: string;
  readonly items: readonly FrameItem[];
  readonly runsIn: RunsIn;
  /** The item whose first steps an earlier part has performed. */
  readonly continued: number | undefined;
  /** The key with which the host encrypts secrets in the journal. Undefined if there are no secrets. */
  readonly hideKey: string | undefined;
  /** True to ask the host for timestamps. */
  readonly timed: boolean;
  /** True if the host has answered this session before. */
  readonly known: boolean;
}

/** A connection to one shell on the host, until it is lost. */
export interface Line {
  /** Sends a frame. */
  begin(frame: SentFrame): Promise<void>;
  /**
   * Asks how far a frame that was sent on another line has progressed, and requests its journal from byte `taken` on.
   * `known` is true if the host has answered this session before.
   */
  ask(nonce: string, taken: number, known: boolean): Promise<void>;
  /** Sets the line's only listener and returns a function that removes it. Throws E_BUG if there is one already. */
  listen(listener: (data: Uint8Array) => void): () => void;
  /** Rejects when the line is lost or its shell has ended. */
  readonly lost: Promise<never>;
}

/** Opens lines, and replaces them after a loss. */
export interface Lines {
  /** Seconds during which `open` tries to replace a lost line. */
  readonly reconnectSeconds: number;
  /**
   * Returns the line, or opens a new one if it was lost. Retries until a deadline. Throws FurrowError, for example
   * E_UNREACHABLE.
   */
  open(signal: AbortSignal): Promise<Line>;
  /**
   * Drops a line after this error, so that `open` creates a new one. Returns false if another attempt is pointless, for
   * example because the reconnect time is over and the frame made no progress in that time.
   */
  drop(line: Line, error: FurrowError): boolean;
  /**
   * Call this when the host has sent data. `more` is true if the host sent more than its greeting; the next attempt
   * then need not wait.
   */
  heard(more: boolean): void;
  /** Call this when the frame has made progress: its reconnect time starts again. */
  moved(): void;
}
