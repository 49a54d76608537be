import type { ControllerFact } from "../../core/facts/fact.ts";
import type { Absent } from "../../core/facts/symbols.ts";

/** A regular file on the controller. */
export interface LocalFile {
  /** Hex. */
  readonly sha256: string;
  /** Size in bytes. */
  readonly size: number;
  /** Absolute path. */
  readonly path: string;
  /** Octal, four digits: `"0644"`. */
  readonly mode: string;
}

/** A file with secret content. Its keyed hash can be compared with the hash of a secret file on a host. */
export type SealedLocalFile = Omit<LocalFile, "sha256"> & { readonly seal: string };

/** Asks for a file on the controller; a relative path is resolved against furrow's working directory. */
export function localFile(path: string): ControllerFact<Absent | LocalFile> {
  return { driver: "file", request: { path } };
}

/** Asks for a file on the controller whose content is secret. */
export function sealedLocalFile(path: string): ControllerFact<Absent | SealedLocalFile> {
  return { driver: "file", request: { path, sealed: true } };
}
