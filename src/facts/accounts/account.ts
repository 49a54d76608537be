import { staysOverBoot } from "../../core/facts/boot.ts";
import { encodeText } from "../../core/host/bytes.ts";
import { FurrowError } from "../../core/errors.ts";
import { exactly, type HostFact } from "../../core/facts/fact.ts";
import type { Implied } from "../../core/facts/implied.ts";
import { ask, defineKind, type Kind, printPart, type PrintedLines } from "../../core/facts/kind.ts";
import { reveal, seal } from "../../core/secrets/secret.ts";
import { type Absent, absent, isRecord, type KnownAfterApply, knownAfterApply } from "../../core/facts/symbols.ts";
import { groupScript, userScript } from "./account-script.ts";

/** A user as in passwd(5) and group(5). */
export interface UserState {
  readonly uid: number;
  /** The primary group by name, or by GID if it has no name. */
  readonly group: string;
  /** The names of the user's other groups, sorted. */
  readonly groups: readonly string[];
  /**
   * All groups of the user, including the primary group, as a record, so that a want does not have to name all of them.
   */
  readonly member: Readonly<Record<string, true>>;
  readonly home: string;
  readonly shell: string;
  readonly comment: string;
  /** With the `local` facet: whether the user is in /etc/passwd, which useradd(8) and usermod(8) change. */
  readonly local?: boolean;
  /**
   * With the `local` facet: the groups in `groups` for which /etc/group does not list the user, sorted. Another name
   * service, such as SSSD, lists the user as a member.
   */
  readonly elsewhere?: readonly string[];
  /** With the `password` facet: the keyed hash of the password field in shadow(5). */
  readonly passwordSeal?: string;
  /**
   * Only in a want: the password field itself, which may be secret. Before the want is compared, `passwordSeal`
   * replaces it.
   */
  readonly password?: string;
}

/** A group. */
export interface GroupState {
  readonly gid: number;
  /** The users whose primary group is this group, sorted. */
  readonly primaryOf: readonly string[];
  /** With the `local` facet: whether the group is in /etc/group, which groupmod(8) and usermod(8) change. */
  readonly local?: boolean;
}

/**
 * Asks about a user by name. With `password`, also asks for the keyed hash of the password field, which only root can
 * read. With `local`, also asks which parts come from a name service other than /etc/passwd and /etc/group.
 */
export function user(name: string, facets: readonly ("local" | "password")[] = []): HostFact<Absent | UserState> {
  return ask(userKind, name, facets);
}

/** Asks about a group by name; with `local`, also whether it is in /etc/group. */
export function group(name: string, facets: readonly "local"[] = []): HostFact<Absent | GroupState> {
  return ask(groupKind, name, facets);
}

const list = (text: string | undefined): string[] => (text ?? "").split(":").filter(Boolean).toSorted();
const joined = (names: readonly string[] = []): string => names.join(":");
const yes = (value: boolean | undefined): string => (value === true ? "yes" : "no");
const membership = (groups: readonly string[]): Record<string, true> =>
  Object.fromEntries(groups.map((name) => [name, true]));

/**
 * True if the first want lists all other groups of a user, and the second want has a group that is not in that list.
 */
const leavesGroups: NonNullable<Kind["undoes"]> = (wanted, other) => {
  const { groups, group: primary } = wanted;
  if (!Array.isArray(groups) || !isRecord(other["member"])) return false;
  return Object.keys(other["member"]).some((name) => name !== primary && !groups.includes(name));
};

/** Users, from the name service if the host has `getent`, otherwise from /etc/passwd. */
export const userKind = defineKind<Absent | UserState>({
  name: "user",
  afterBoot: staysOverBoot,
  summary: "A user: UID, groups, home, shell",
  facets: {
    local: "whether /etc/passwd contains the user, and for which of the groups /etc/group does not list the user",
    password: "the keyed hash of the password field",
  },
  undoes: leavesGroups,
  read: userScript,
  parse(lines, { key }) {
    if (lines["absent"] === "yes") return absent;
    if (lines["uid"] === undefined) throw unanswered("user", key);
    const { group = "" } = lines;
    const groups = list(lines["groups"]);
    return {
      uid: Number(lines["uid"]),
      group,
      groups,
      member: membership([group, ...groups]),
      home: lines["home"] ?? "",
      shell: lines["shell"] ?? "",
      comment: lines["comment"] ?? "",
      ...(lines["local"] !== undefined && { local: lines["local"] === "yes", elsewhere: list(lines["elsewhere"]) }),
      ...(lines["password"] !== undefined && { passwordSeal: `sealed:${lines["password"]}` }),
    };
  },
  print(value, question): PrintedLines {
    if (value === absent) return { absent: "yes" };
    const local = question.facets.includes("local") && Object.hasOwn(value, "local");
    const sealed = question.facets.includes("password") && Object.hasOwn(value, "passwordSeal");
    return {
      comment: printPart(value, "comment"),
      ...(local && { elsewhere: printPart(value, "elsewhere", joined) }),
      group: printPart(value, "group"),
      groups: printPart(value, "groups", joined),
      home: printPart(value, "home"),
      ...(local && { local: printPart(value, "local", yes) }),
      ...(sealed && { password: printPart(value, "passwordSeal", (text = "") => text.slice("sealed:".length)) }),
      shell: printPart(value, "shell"),
      uid: printPart(value, "uid"),
    };
  },
  bind(wanted) {
    if (!isRecord(wanted) || typeof wanted["password"] !== "string") return wanted;
    const { password, ...rest } = wanted;
    return { ...rest, passwordSeal: seal(encodeText(reveal(password))) };
  },
  predict: predictUser,
  anything: predictUser(knownAfterApply, {}),
  // useradd creates a group with the user's name, and userdel removes that group.
  touches: (key, from, to) => [
    ...(idOf(from) === idOf(to) ? [] : [`userUse:${key}`]),
    ...((from === absent) === (to === absent) ? [] : [`group:${key}`]),
    ...numbersOf("user", from === absent ? from : from.uid, to === absent ? to : to.uid),
    ...(from !== absent && (to === absent || to.uid !== from.uid) ? ["tree:**"] : []),
  ],
  implies: (name, from, to) => [
    ...shownOwners("owner", name, from === absent ? from : from.uid, to === absent ? to : to.uid),
    ...takenNumber("user", idOf(from), idOf(to)),
    // useradd may create a group with the user's name, and userdel may remove it.
    ...(from === absent && to !== absent ? takenNumber("group", absent, knownAfterApply) : []),
    ...(from !== absent && to === absent
      ? [{ of: "accountNumber:group *", where: { name }, parts: { name: knownAfterApply } }]
      : []),
    // One user's home may be inside another user's home.
    ...(homeOf(from) === homeOf(to) ? [] : [{ of: "userUse:**", where: {}, parts: { guests: knownAfterApply } }]),
    // usermod(8) changes the owner of all files in the home directory.
    ...(from !== absent && to !== absent && to.uid !== from.uid
      ? [exactly(from.home), `${exactly(from.home)}/**`].map((path) => keptOwner(path, name, from.uid))
      : []),
  ],
});

/**
 * How a changed uid or gid affects facts about files, which show their owner and group by name. When an account loses a
 * numeric id, its files show that id; when an account gets one, files with that id show the account's name.
 */
function shownOwners(part: "owner" | "group", name: string, from: Absent | number, to: Absent | number): Implied[] {
  if (from === to) return [];
  const shown = (before: string, after: string): Implied => ({
    of: "file:**",
    where: { [part]: before },
    parts: { [part]: after },
  });
  return [
    ...(typeof from === "number" ? [shown(name, String(from))] : []),
    ...(typeof to === "number" ? [shown(String(to), name)] : []),
  ];
}

function keptOwner(path: string, name: string, uid: number): Implied {
  return { of: `file:${path}`, where: { owner: String(uid) }, parts: { owner: name } };
}

function unanswered(kind: string, name: string): FurrowError {
  return new FurrowError("E_FACT", { what: `the ${kind} ${name} could not be read` });
}

function idOf(value: Absent | UserState): unknown {
  return value === absent ? absent : value.uid;
}

function homeOf(value: Absent | UserState): unknown {
  return value === absent ? absent : value.home;
}

/** The effect of adding an account whose numeric id the host chooses: the account takes a free id. */
function takenNumber(database: "user" | "group", from: unknown, to: unknown): Implied[] {
  if (from === to || to !== knownAfterApply) return [];
  return [{ of: `accountNumber:${database} *`, where: {}, parts: {}, mayAppear: true }];
}

/** The ids of the facts about numeric ids whose holder changes. An id that the host will choose is left out. */
function numbersOf(database: "user" | "group", from: unknown, to: unknown): string[] {
  if (from === to) return [];
  return from === knownAfterApply
    ? [`accountNumber:${database} *`]
    : [from, to].flatMap((number) => (typeof number === "number" ? [`accountNumber:${database} ${number}`] : []));
}

function predictUser(before: Absent | UserState | KnownAfterApply, wanted: unknown): Absent | UserState {
  if (!isRecord(wanted)) return wanted as Absent;
  const unknown = knownAfterApply as never;
  const { password, ...want } = wanted as Partial<UserState>;
  const old: Partial<UserState> = isRecord(before) ? (before as UserState) : {};
  const group = want.group ?? old.group ?? unknown;
  const named = [...(want.groups ?? old.groups ?? []), ...Object.keys(want.member ?? {})];
  const others = [...new Set(named)].filter((name) => name !== group).toSorted();
  const groups = before === knownAfterApply ? undefined : others;
  const local = before === absent ? { local: true, elsewhere: [] } : { local: unknown, elsewhere: unknown };
  return {
    uid: want.uid ?? old.uid ?? unknown,
    group,
    groups: groups ?? unknown,
    member: groups === undefined ? unknown : membership([...(typeof group === "string" ? [group] : []), ...groups]),
    local: old.local ?? local.local,
    elsewhere: old.elsewhere ?? local.elsewhere,
    home: want.home ?? old.home ?? unknown,
    shell: want.shell ?? old.shell ?? unknown,
    comment: want.comment ?? old.comment ?? unknown,
    passwordSeal: typeof password === "string" ? seal(encodeText(reveal(password))) : (old.passwordSeal ?? unknown),
  };
}

/** Groups, from the name service if the host has `getent`, otherwise from /etc/group. */
export const groupKind = defineKind<Absent | GroupState>({
  name: "group",
  afterBoot: staysOverBoot,
  summary: "A group: its GID, and the users whose primary group it is",
  facets: { local: "whether /etc/group contains the group" },
  read: groupScript,
  parse(lines, { key }) {
    const { absent: none, gid, local, primaryOf } = lines;
    if (none === "yes") return absent;
    if (gid === undefined) throw unanswered("group", key);
    return { gid: Number(gid), primaryOf: list(primaryOf), ...(local !== undefined && { local: local === "yes" }) };
  },
  print(value, { facets }): PrintedLines {
    if (value === absent) return { absent: "yes" };
    const local = facets.includes("local") && Object.hasOwn(value, "local");
    return {
      gid: printPart(value, "gid"),
      ...(local && { local: printPart(value, "local", yes) }),
      primaryOf: printPart(value, "primaryOf", joined),
    };
  },
  anything: { gid: knownAfterApply as never, primaryOf: knownAfterApply as never, local: knownAfterApply as never },
  predict(before, wanted) {
    if (!isRecord(wanted)) return wanted as Absent;
    const unknown = knownAfterApply as never;
    const old: Partial<GroupState> = isRecord(before) ? (before as GroupState) : {};
    const { gid } = wanted as Partial<GroupState>;
    return {
      gid: gid ?? old.gid ?? unknown,
      primaryOf: old.primaryOf ?? (before === absent ? [] : unknown),
      local: old.local ?? (before === absent ? true : unknown),
    };
  },
  touches: (_key, from, to) => [
    ...numbersOf("group", from === absent ? from : from.gid, to === absent ? to : to.gid),
    ...(from !== absent && (to === absent || to.gid !== from.gid) ? ["tree:**"] : []),
  ],
  implies: (name, from, to) => [
    ...shownOwners("group", name, from === absent ? from : from.gid, to === absent ? to : to.gid),
    ...takenNumber("group", from === absent ? from : from.gid, to === absent ? to : to.gid),
  ],
});
