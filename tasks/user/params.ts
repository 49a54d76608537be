import { absolutePath, accountName, name, passwordHash, type UserState, z } from "../../src/authoring.ts";
import { parentOf } from "../../src/facts/catalogue.ts";
import { directoriesAbove } from "../file/obstacle.ts";

/** Params of `user`. */
export const params = z.union([
  z.strictObject({
    name: accountName("the name of a user", "rancher").describe("Login name"),
    state: z.literal("present").default("present").describe("The user exists"),
    uid: z
      .int({ error: "a UID, like 1500" })
      .min(0, "a UID of 0 or more")
      .max(4_294_967_294, "a UID below 4294967295")
      .optional()
      .describe("The user's UID; default: chosen by the host. If the UID changes, files keep the old one"),
    group: name("a group", "users")
      .optional()
      .describe(
        "Primary group; default for a new user: the group with the user's name if it exists, otherwise chosen by the host",
      ),
    groups: z
      .array(name("a group", "docker"))
      .optional()
      .describe("Groups that the user belongs to; may include the primary group"),
    exactGroups: z
      .boolean({ error: "true or false" })
      .default(false)
      .describe("Remove the user from all other groups except the primary one; otherwise `groups` only adds"),
    shell: absolutePath().optional().describe("Login shell; unchanged if not given"),
    home: absolutePath()
      .optional()
      .describe("Home directory; default for a new user: /home/NAME; changing it does not move files"),
    createHome: z.boolean({ error: "true or false" }).default(true).describe("Create the home directory of a new user"),
    comment: z
      .string({ error: "a string" })
      .regex(/^[^:\n]*$/, "one line of text without colons")
      .optional()
      .describe("Full name or purpose; unchanged if not given"),
    passwordHash: passwordHash()
      .optional()
      .describe(
        'Password hash as in crypt(5), "$6$…" or "$y$…"; may be secret. "!" locks the account, "*" allows no password',
      ),
    system: z.boolean({ error: "true or false" }).default(false).describe("Make a new user a system user"),
  }),
  z.strictObject({
    name: accountName("the name of a user", "rancher")
      .refine((text) => text !== "root", "a user other than root, whom every host needs")
      .describe("Login name"),
    state: z.literal("absent").describe("The user does not exist"),
    removeHome: z
      .boolean({ error: "true or false" })
      .default(false)
      .describe("Remove the user's home directory and mail too"),
  }),
]);

/** Parsed params of `user`. */
export type Params = z.output<typeof params>;
/** The params for a user that must exist. */
export type Present = Extract<Params, { state: "present" }>;

/**
 * Returns the home directory of a new user. It is passed to useradd explicitly, so later tasks can name paths below it
 * before the user exists.
 */
export function newHome(p: Present): string {
  return p.home ?? `/home/${p.name}`;
}

/** Returns the directories above a path, which useradd creates if they are missing. */
export function directoriesTo(path: string): readonly string[] {
  return path === "/" ? [] : [...directoriesAbove(path), parentOf(path)];
}

/** Returns the groups that the params list, including the primary group. */
export function groupNames(p: Present): readonly string[] {
  return [...(p.group === undefined ? [] : [p.group]), ...(p.groups ?? [])];
}

/**
 * Returns the wanted group membership: without `exactGroups`, membership in these groups; with it, exactly these groups
 * besides the primary group. If the host will choose the primary group of a new user, that group may be one of these
 * groups.
 */
export function membership(
  p: Present,
  primary: string | undefined,
  isNew: boolean,
): { groups?: readonly string[]; member?: Readonly<Record<string, true>> } {
  if (p.groups === undefined) return {};
  const all = [...new Set(p.groups)].toSorted();
  return p.exactGroups && !(isNew && primary === undefined)
    ? { groups: all.filter((name) => name !== primary) }
    : { member: Object.fromEntries(all.map((name) => [name, true])) };
}

/** True for changes that userdel and usermod refuse while the user has running processes. */
export function needsIdle(p: Params, user: UserState): boolean {
  if (p.state === "absent") return true;
  return (p.uid !== undefined && p.uid !== user.uid) || (p.home !== undefined && p.home !== user.home);
}
