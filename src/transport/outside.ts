import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { connect } from "node:net";

/**
 * The files, sockets and processes of this machine that the transport uses. No other module of the transport may import
 * these parts of Node (lint rule `furrow/world`), so that a test can replace them.
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

/** The parts in use: those of this machine or of a test. */
export const outside: Outside = { ...real };

/** Replaces parts of this machine for a test. Without an argument, restores all of them. */
export function useOutside(other: Partial<Outside> = {}): void {
  Object.assign(outside, real, other);
}
