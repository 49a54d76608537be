import type { ControllerFact } from "../core/fact.ts";
import type { Absent } from "../core/symbols.ts";

/** A regular file of the controller. */
export interface LocalFile {
  /** Hex. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  /** Absolute path. */
  readonly path: string;
}

/** Asks the controller for a file of its own; a relative path starts where furrow was started. */
export function localFile(path: string): ControllerFact<Absent | LocalFile> {
  return { driver: "file", request: { path } };
}
