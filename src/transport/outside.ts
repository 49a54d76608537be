import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { connect } from "node:net";

/**
 * The parts of Node that give the transport access to files, sockets and processes on this machine. No other module of
 * the transport may import these parts (lint rule `furrow/world`), so that a test can replace them.
 */
export interface Outside {
  readonly open: typeof open;
  readonly readFile: typeof readFile;
  readonly stat: typeof stat;
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
  stat,
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

/** The parts in use: Node's own, or replacements from a test. */
export const outside: Outside = { ...real };

/** Replaces parts of {@link outside} for a test. Without an argument, restores all of them. */
export function useOutside(other: Partial<Outside> = {}): void {
  Object.assign(outside, real, other);
}
