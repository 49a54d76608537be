import { move } from "../on-host/sent/move.ts";

/** The shell function that renames a path as rename(2) does: `_fmv FROM TO` (on-host/move.sh). */
export const moveFunction: string = move;
