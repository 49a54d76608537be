import { access } from "../on-host/sent/access.ts";

/**
 * The shell function that gives a new file the access list, extended attributes and security label of the file that it
 * replaces: `_fca FROM TO NEW_MODE` (on-host/access.sh).
 */
export const accessFunction: string = access;
