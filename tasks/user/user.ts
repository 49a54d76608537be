import {
  absent,
  absolutePath,
  file,
  group,
  knownAfterApply,
  name,
  passwordHash,
  peek,
  refuse,
  type Refusal,
  removal,
  run,
  shellQuote,
  type Step,
  task,
  user as userFact,
  type UserState,
  z,
} from "../../src/authoring.ts";
import { holderOf, userUse } from "../../src/facts/catalogue.ts";
import { lossRefusal } from "../file/loss.ts";
import { busy, mailbox, notOwn, sharedHome } from "./leaving.ts";
import { numberTaken } from "../group/number-taken.ts";

const params = z.union([
  z.strictObject({
    name: name("the name of a user", "rancher").describe("Login name"),
    state: z.literal("present").default("present").describe("The user exists"),
    uid: z
      .int({ error: "a UID, like 1500" })
      .min(0, "a UID from 0")
      .max(4_294_967_294, "a UID below 4294967295")
      .optional()
      .describe("Its UID; default: chosen by the host. If it changes, files keep the old UID"),
    group: name("a group", "users")
      .optional()
      .describe(
        "Primary group; default for a new user: the group with the user's name if it exists, otherwise chosen by the host",
      ),
    groups: z.array(name("a group", "docker")).optional().describe("Other groups it belongs to"),
    exactGroups: z
      .boolean({ error: "true or false" })
      .default(false)
      .describe("Remove it from all groups other than these; without this, `groups` only adds"),
    shell: absolutePath().optional().describe("Login shell; unchanged if not given"),
    home: absolutePath()
      .optional()
      .describe("Home directory; default for a new user: /home/NAME; changing it does not move files"),
    createHome: z.boolean({ error: "true or false" }).default(true).describe("Create the home directory of a new user"),
    comment: z
      .string({ error: "a text" })
      .regex(/^[^:\n]*$/, "a text on one line without colons")
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
    name: name("the name of a user", "rancher")
      .refine((text) => text !== "root", "a user other than root, whom every host needs")
      .describe("Login name"),
    state: z.literal("absent").describe("The user does not exist"),
    removeHome: z.boolean({ error: "true or false" }).default(false).describe("Remove its home directory and mail too"),
  }),
]);

type Present = Extract<z.output<typeof params>, { state: "present" }>;

/** Makes sure that a user exists with the given properties, or removes the user. */
export const user = task({
  name: "user",
  summary: "Keep a user with its groups, shell, home and password, or remove it",
  params,
  examples: [
    { name: "rancher", groups: ["docker"], shell: "/bin/bash" },
    { name: "backup", system: true, home: "/var/lib/backup", shell: "/usr/sbin/nologin" },
    { name: "guest", state: "absent", removeHome: true },
  ],
  title: (p) => `user ${p.name}`,
  takes: (p) => (p.state === "absent" || p.uid === undefined ? {} : { [`UID ${p.uid}`]: p.name }),
  disturbs: (p) => [
    "user:*",
    "group:*",
    "accountNumber:*",
    "userUse:*",
    "file:/etc/**",
    "file:/home/**",
    "file:/var/**",
    `crontab:${p.name}`,
    ...("home" in p && p.home !== undefined ? [`file:${p.home}`, `file:${p.home}/**`] : []),
    ...(p.state === "absent" && p.removeHome ? ["everything"] : []),
  ],
})
  .facts((p) => ({
    user: userFact(p.name, "passwordHash" in p && p.passwordHash !== undefined ? ["password"] : []),
    ...(p.state === "present" && { groups: groupNames(p).map((name) => group(name)) }),
  }))
  .facts((p, { user }) => ({
    ...(p.state === "present" && user === absent && p.createHome && { home: file(newHome(p)) }),
    ...(p.state === "present" && user === absent && p.group === undefined && { ownGroup: group(p.name) }),
    ...(p.state === "present" &&
      p.uid !== undefined &&
      (user === absent || user.uid !== p.uid) && { holder: holderOf("user", p.uid) }),
    ...(user !== absent && needsIdle(p, user) && { use: userUse(p.name) }),
    ...(p.state === "absent" &&
      user !== absent &&
      p.removeHome && {
        own: file(user.home),
        mail: file(mailbox(p.name)),
        goes: removal(user.home, ["size"]),
      }),
  }))
  .want((p, now) => {
    const { user, groups = [], home: folder } = now;
    // If an earlier task may change these facts, the run reads them again before it does anything.
    const use = known(now, "use");
    if (p.state === "absent") {
      if (user === absent) return { user: absent };
      const isBusy = busy(p.name, "removed", use);
      if (isBusy || !p.removeHome) return isBusy ?? { user: absent };
      const goes = known(now, "goes");
      const keeps =
        sharedHome(p.name, user.home, use) ??
        lossRefusal(user.home, goes, { recursive: true, devices: false }) ??
        notOwn({ ...user, name: p.name }, known(now, "own"), known(now, "mail"));
      return keeps ?? { user: absent, goes: goes && absent, own: absent, mail: absent };
    }
    // An earlier task may create a group, so refuse only if the group is known to be missing.
    const missing = groupNames(p).find((_, index) => peek(groups, index) === absent);
    if (missing !== undefined) return noGroup(missing);
    const taken = numberTaken("user", p.name, p.uid, peek(now, "holder"));
    if (taken) return taken;
    const isBusy = busy(p.name, `given another ${p.uid === undefined ? "home" : "UID or home"}`, use);
    if (isBusy) return isBusy;
    const { uid, group, shell, comment, passwordHash: password } = p;
    const home = user === absent ? newHome(p) : p.home;
    return {
      user: { uid, group, shell, home, comment, password, ...membership(p) },
      // useradd does not change a home directory that already exists; it may belong to an earlier user with this name.
      home: folder === absent ? { type: "directory", mode: knownAfterApply, owner: p.name } : undefined,
    };
  })
  .steps((p, { now, change }) => {
    if (p.state === "absent") return [run`userdel ${p.removeHome ? ["-r"] : []} -- ${p.name}`];
    const setPassword = p.passwordHash !== undefined && {
      ...run`chpasswd -e`,
      label: `set the password of ${p.name}`,
      stdin: `${p.name}:${p.passwordHash}\n`,
    };
    if (now.user === absent) {
      // Unless a group is given, useradd creates a group with the user's name, and fails if that group already exists.
      const own = now.ownGroup === undefined || now.ownGroup === absent ? p.group : p.name;
      return [addition({ ...p, group: own }), setPassword];
    }
    const differing = change.user?.paths ?? [];
    return [
      differing.some((path) => path !== "passwordSeal") && modify(p),
      differing.includes("passwordSeal") && setPassword,
    ];
  });

/**
 * Returns the home directory of a new user. It is passed to useradd explicitly, so later tasks can name paths below it
 * before the user exists.
 */
function newHome(p: Present): string {
  return p.home ?? `/home/${p.name}`;
}

function groupNames(p: Present): readonly string[] {
  return [...(p.group === undefined ? [] : [p.group]), ...(p.groups ?? [])];
}

/**
 * Returns the wanted group membership: without `exactGroups`, membership in these groups; with it, exactly these
 * groups. Never includes the primary group.
 */
function membership(p: Present): { groups?: readonly string[]; member?: Readonly<Record<string, true>> } {
  if (p.groups === undefined) return {};
  const others = [...new Set(p.groups)].filter((name) => name !== p.group).toSorted();
  return p.exactGroups ? { groups: others } : { member: Object.fromEntries(others.map((name) => [name, true])) };
}

function flags(p: Present): string[] {
  return [
    ...(p.uid === undefined ? [] : ["-u", String(p.uid)]),
    ...(p.group === undefined ? [] : ["-g", p.group]),
    ...(p.shell === undefined ? [] : ["-s", p.shell]),
    ...(p.home === undefined ? [] : ["-d", p.home]),
    ...(p.comment === undefined ? [] : ["-c", p.comment]),
  ];
}

function newUserFlags(p: Present): string[] {
  const groups = p.groups === undefined || p.groups.length === 0 ? [] : ["-G", p.groups.join(",")];
  return [...(p.system ? ["-r"] : []), p.createHome ? "-m" : "-M", ...flags({ ...p, home: newHome(p) }), ...groups];
}

/**
 * Adds a user completely or not at all: if useradd cannot create the home directory, it leaves the user in /etc/passwd
 * and exits with 12 (useradd(8)).
 */
const addWhole = `name=$1; shift
useradd "$@" -- "$name"; code=$?
[ $code != 12 ] || userdel -- "$name"
exit $code`;

function addition(p: Present): Step {
  const words = newUserFlags(p);
  return {
    step: "run",
    argv: ["sh", "-c", addWhole, "useradd", p.name, ...words],
    label: ["useradd", ...words, "--", p.name].map(shellQuote).join(" "),
  };
}

function modify(p: Present): Step {
  const groups =
    p.groups === undefined ? [] : p.exactGroups ? ["-G", p.groups.join(",")] : ["-a", "-G", p.groups.join(",")];
  return run`usermod ${[...flags(p), ...(p.groups?.length === 0 && !p.exactGroups ? [] : groups)]} -- ${p.name}`;
}

function noGroup(name: string): Refusal {
  return refuse({
    code: "group-not-found",
    message: `the host has no group ${name}`,
    hint: `Put group({ name: "${name}" }) before this task`,
  });
}

/** True for changes that userdel and usermod refuse while the user has running processes. */
function needsIdle(p: z.output<typeof params>, user: UserState): boolean {
  if (p.state === "absent") return true;
  return (p.uid !== undefined && p.uid !== user.uid) || (p.home !== undefined && p.home !== user.home);
}

function known<T extends object, K extends keyof T>(now: T, key: K): T[K] | undefined {
  return peek(now, key) === knownAfterApply ? undefined : now[key];
}
