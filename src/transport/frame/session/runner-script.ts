import * as onHost from "../on-host/travelling.ts";

/** Shell functions for a session that hands frames to runners (on-host/runner.sh), with the functions they call. */
export const runnerFunctions = `${onHost.output}\n${onHost.runner}`;

/** The script that ends a session after its last frame (on-host/farewell.sh). */
export const farewell: string = onHost.farewell;

/** Shell functions of the runner itself, in addition to those of steps (on-host/border.sh). */
export const borderFunctions: string = onHost.border;
