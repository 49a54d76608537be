import { move } from "../on-host/travelling.ts";

/** The shell function that renames the way rename(2) does: `_fmv FROM TO` (on-host/move.sh). */
export const moveFunction: string = move;
