import { moveFunction } from "../../../core/host/move.ts";
import { stampFunctions } from "../../../core/host/stamp.ts";
import * as onHost from "../on-host/travelling.ts";

/*
 * Shell functions that every frame may use, sent once when a session starts. They are written in `../on-host/*.sh`; their
 * short names, which the code here calls them by, are in `scripts/shell/names.ts`. They run in dash, bash, mksh and
 * busybox sh; none reads stdin that is not its own.
 */

/** What a session's shell is given before its first frame: a fixed environment, and what reading needs. */
export const prelude = `${onHost.start}\n${onHost.guard}\n`;

/** The functions that a step of another user needs in a shell of its own. */
export const fileFunctions: string = [stampFunctions, moveFunction, onHost.files, onHost.paths].join("\n");

/** The functions of steps, for the shell that performs them. */
export const stepFunctions = `${[
  onHost.guard,
  onHost.output,
  onHost.runStep,
  onHost.runAsUser,
  onHost.writeTogether,
  fileFunctions,
].join("\n")}\n`;
