import * as onHost from "../on-host/travelling.ts";

/** Shell functions of a session that hands frames to runners (on-host/runner.sh), and those that they need. */
export const runnerFunctions = `${onHost.output}\n${onHost.runner}`;

/** The end of a session whose controller has all it wanted (on-host/farewell.sh). */
export const farewell: string = onHost.farewell;

/** Shell functions of the runner itself, beside those of steps (on-host/border.sh). */
export const borderFunctions: string = onHost.border;
