import { type Absent, absent, file, group, type GroupState, onlyRead, peek } from "../../src/authoring.ts";
import type { FileValue } from "../../src/facts/catalogue.ts";

/** The values of the facts about the group of a new user. */
interface Known {
  readonly ownGroup?: Absent | GroupState | undefined;
  readonly logins?: FileValue | undefined;
  readonly moreLogins?: FileValue | undefined;
}

/**
 * Asks about the group with the name of a new user, and whether useradd(8) creates it: `USERGROUPS_ENAB` in
 * login.defs(5). On some distributions, files in a drop-in directory can override this setting.
 */
export const ownGroupFacts = (name: string) => ({
  ownGroup: group(name),
  logins: onlyRead(file("/etc/login.defs", ["text"])),
  moreLogins: onlyRead(file("/etc/login.defs.d")),
});

/** True if useradd creates a group with the new user's name; false if it does not, or if that is unknown. */
export function getsOwnGroup({ ownGroup, logins, moreLogins }: Known): boolean {
  if (ownGroup !== absent || moreLogins !== absent) return false;
  const text = typeof logins === "object" ? peek(logins as { readonly text?: unknown }, "text") : undefined;
  const last = [...(typeof text === "string" ? text : "").matchAll(/^[ \t]*USERGROUPS_ENAB[ \t]+(\S+)/gm)].at(-1);
  return last?.[1]?.toLowerCase() === "yes";
}
