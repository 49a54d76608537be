import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { connect } from "node:net";

/**
 * The files, sockets and processes of this machine, as the transport uses them. Nothing else in it may import these
 * parts of Node (the lint rule `furrow/world`), so that a test can put its own in their place.
 */
export interface Outside {
  readonly open: typeof open;
  readonly readFile: typeof readFile;
  readonly mkdir: typeof mkdir;
  readonly rename: typeof rename;
  readonly rm: typeof rm;
  readonly existsSync: typeof existsSync;
  readonly mkdtempSync: typeof mkdtempSync;
  readonly rmSync: typeof rmSync;
  readonly writeFileSync: typeof writeFileSync;
  readonly connect: typeof connect;
  readonly spawn: typeof spawn;
}

const real: Outside = {
  open,
  readFile,
  mkdir,
  rename,
  rm,
  existsSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
  connect,
  spawn,
};

/** What is in use: this machine's own, or a test's. */
export const outside: Outside = { ...real };

/** Puts a test's own in place of parts of this machine; without argument all is this machine's again. */
export function useOutside(other: Partial<Outside> = {}): void {
  Object.assign(outside, real, other);
}
