import { border } from "../on-host/sent/border.ts";
import { farewell as farewellScript } from "../on-host/sent/farewell.ts";
import { output } from "../on-host/sent/output.ts";
import { runner } from "../on-host/sent/runner.ts";

/** Shell functions for a session that hands frames to runners (on-host/runner.sh), with the functions they call. */
export const runnerFunctions = `${output}\n${runner}`;

/** The script that ends a session after its last frame (on-host/farewell.sh). */
export const farewell: string = farewellScript;

/** Shell functions of the runner itself, in addition to those of steps (on-host/border.sh). */
export const borderFunctions: string = border;
