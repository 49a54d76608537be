import { moveFunction } from "../../../core/host/move.ts";
import { stampFunctions } from "../../../core/host/stamp.ts";
import * as onHost from "../on-host/travelling.ts";

/*
 * Shell functions that every frame may use, sent once when a session starts. Their source is `../on-host/*.sh`; the
 * short names used here come from `scripts/shell/names.ts`. They run in dash, bash, mksh and busybox sh, and none of
 * them reads the stdin of the session.
 */

/** Sent to a session's shell before its first frame: a fixed environment, and the functions needed for reading. */
export const prelude = `${onHost.start}\n${onHost.guard}\n`;

/** The functions needed in the separate shell of a step that runs as another user. */
export const fileFunctions: string = [stampFunctions, moveFunction, onHost.files, onHost.paths].join("\n");

/** The functions needed by the shell that performs the steps. */
export const stepFunctions = `${[
  onHost.guard,
  onHost.output,
  onHost.runStep,
  onHost.runAsUser,
  onHost.writeTogether,
  fileFunctions,
].join("\n")}\n`;
