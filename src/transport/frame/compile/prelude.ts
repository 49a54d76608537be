import { accessFunction } from "../../../core/host/access.ts";
import { moveFunction } from "../../../core/host/move.ts";
import { stampFunctions } from "../../../core/host/stamp.ts";
import { files } from "../on-host/sent/files.ts";
import { guard } from "../on-host/sent/guard.ts";
import { output } from "../on-host/sent/output.ts";
import { paths } from "../on-host/sent/paths.ts";
import { runAsUser } from "../on-host/sent/run-as-user.ts";
import { runStep } from "../on-host/sent/run-step.ts";
import { start } from "../on-host/sent/start.ts";
import { writeTogether } from "../on-host/sent/write-together.ts";

/*
 * Shell functions that every frame may use, sent once when a session starts. Their source is `../on-host/*.sh`; the
 * short names used here come from `scripts/shell/names.ts`. They run in dash, bash, mksh and busybox sh, and none of
 * them reads the stdin of the session.
 */

/** Sent to a session's shell before its first frame: a fixed environment, and the functions needed for reading. */
export const prelude = `${start}\n${guard}\n`;

/** The functions needed in the separate shell of a step that runs as another user. */
export const fileFunctions: string = [stampFunctions, accessFunction, moveFunction, files, paths].join("\n");

/** The functions needed by the shell that performs the steps. */
export const stepFunctions = `${[guard, output, runStep, runAsUser, writeTogether, fileFunctions].join("\n")}\n`;
