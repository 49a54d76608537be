import type { ControllerFact } from "../../core/fact.ts";
import type { Absent } from "../../core/symbols.ts";

/** A regular file of the controller. */
export interface LocalFile {
  /** Hex. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  /** Absolute path. */
  readonly path: string;
  /** Octal, four digits: `"0644"`. */
  readonly mode: string;
}

/** The same of a file with secret content: its keyed hash, comparable with that of a secret file of a host. */
export type SealedLocalFile = Omit<LocalFile, "sha256"> & { readonly seal: string };

/** Asks the controller for a file of its own; a relative path starts where furrow was started. */
export function localFile(path: string): ControllerFact<Absent | LocalFile> {
  return { driver: "file", request: { path } };
}

/** Asks the controller for a file of its own whose content is secret. */
export function sealedLocalFile(path: string): ControllerFact<Absent | SealedLocalFile> {
  return { driver: "file", request: { path, sealed: true } };
}
