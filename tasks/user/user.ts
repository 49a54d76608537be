import {
  absent,
  file,
  group,
  knownAfterApply,
  mayRefuse,
  onlyRead,
  peek,
  refuse,
  type Refusal,
  removal,
  run,
  task,
  user as userFact,
  type UserState,
  exactly,
} from "../../src/authoring.ts";
import { behindLinks, directoryObstacle, holderOf, parentOf, userUse } from "../../src/facts/catalogue.ts";
import { lossRefusal } from "../file/loss.ts";
import { noDirectory } from "../file/obstacle.ts";
import { notInFiles } from "./directory-service.ts";
import { busy, mailbox, notOwn, sharedHome } from "./leaving.ts";
import { notLocal } from "../group/not-local.ts";
import { numberTaken } from "../group/number-taken.ts";
import { getsOwnGroup, ownGroupFacts } from "./own-group.ts";
import { directoriesTo, groupNames, membership, needsIdle, newHome, params } from "./params.ts";
import { addition, modify } from "./steps.ts";

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
    ...("home" in p && p.home !== undefined ? [`file:${exactly(p.home)}`, `file:${exactly(p.home)}/**`] : []),
    ...(p.state === "absent" && p.removeHome ? ["everything"] : []),
  ],
})
  .facts((p) => ({
    user: userFact(p.name, [
      "local",
      ...("passwordHash" in p && p.passwordHash !== undefined ? ["password" as const] : []),
    ]),
    ...(p.state === "present" && {
      groups: groupNames(p).map((name) => mayRefuse(onlyRead(group(name, ["local"])), ["local"])),
    }),
  }))
  .facts((p, { user }) => ({
    ...(p.state === "present" &&
      user === absent &&
      p.createHome && {
        home: file(newHome(p)),
        aboveHome: directoriesTo(newHome(p)).map((path) => mayRefuse(onlyRead(file(path)), ["type"])),
      }),
    ...(p.state === "present" && user === absent && p.group === undefined && ownGroupFacts(p.name)),
    ...(p.state === "present" &&
      p.uid !== undefined &&
      (user === absent || user.uid !== p.uid) && { holder: mayRefuse(holderOf("user", p.uid)) }),
    ...(user !== absent &&
      needsIdle(p, user) && {
        // The users whose homes are inside this home are not listed: any new account would make the list unknown, and
        // homes are rarely nested.
        use: mayRefuse(userUse(p.name), ["processes"]),
      }),
    ...(p.state === "absent" &&
      user !== absent &&
      p.removeHome && {
        own: mayRefuse(file(user.home), ["type", "owner"]),
        mail: mayRefuse(file(mailbox(p.name)), ["type", "owner"]),
        goes: mayRefuse(removal(user.home, ["size"])),
      }),
  }))
  .facts((p, { aboveHome }) =>
    p.state === "present" && aboveHome !== undefined
      ? behindLinks(
          directoriesTo(newHome(p)),
          aboveHome.map((_, at) => peek(aboveHome, at)),
        )
      : {},
  )
  .want((p, now) => {
    const { user, groups = [], home: folder } = now;
    // If an earlier task may change these facts, the run reads them again before it does anything.
    const use = known(now, "use");
    if (p.state === "absent") {
      if (user === absent) return { user: absent };
      if (peek(user, "local") === false) return notLocal("user", p.name, `${p.name} cannot be removed`);
      const isBusy = busy(p.name, "removed", use);
      if (isBusy || !p.removeHome) return isBusy ?? { user: absent };
      const goes = known(now, "goes");
      const keeps =
        sharedHome(p.name, user.home, use) ??
        lossRefusal(user.home, goes, { recursive: true, devices: false }) ??
        notOwn({ ...user, name: p.name }, known(now, "own"), known(now, "mail"));
      return keeps ?? { user: absent, goes: goes && absent, own: absent, mail: absent };
    }
    const missing = groupNames(p).find((_, index) => peek(groups, index) === absent);
    if (missing !== undefined) return noGroup(missing);
    const notHere = notInFiles(p, now);
    if (notHere) return notHere;
    const taken = numberTaken("user", p.name, p.uid, peek(now, "holder"));
    if (taken) return taken;
    const isBusy = busy(p.name, `given another ${p.uid === undefined ? "home" : "UID or home"}`, use);
    if (isBusy) return isBusy;
    const wrong =
      folder === absent &&
      directoryObstacle(
        directoriesTo(newHome(p)),
        (now.aboveHome ?? []).map((_, at) => peek(now.aboveHome ?? [], at)),
        now.behind,
        true,
      );
    if (wrong) return noDirectory(newHome(p), wrong);
    const { uid, group, shell, comment, passwordHash: password } = p;
    const isNew = user === absent;
    const home = isNew ? newHome(p) : p.home;
    const primary = group ?? (isNew ? (hasOwnGroup(now) ? p.name : undefined) : primaryOf(user));
    return {
      user: { uid, group, shell, home, comment, password, ...membership(p, primary, isNew) },
      // useradd does not change a home directory that already exists; it may belong to an earlier user with this name.
      home: folder === absent ? { type: "directory", mode: knownAfterApply, owner: p.name } : undefined,
      ...(isGivenGroup(now) && { ownGroup: { primaryOf: knownAfterApply } }),
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
      const place = now.home === absent ? { writesIn: parentOf(newHome(p)) } : {};
      return [{ ...addition({ ...p, group: own }), ...place }, setPassword];
    }
    const differing = change.user?.paths ?? [];
    return [
      differing.some((path) => path !== "passwordSeal") && modify(p, now.user.group),
      differing.includes("passwordSeal") && setPassword,
    ];
  });

/** True if useradd certainly creates a group with the new user's name. */
function isGivenGroup(now: Parameters<typeof getsOwnGroup>[0]): boolean {
  return getsOwnGroup({
    ownGroup: known(now, "ownGroup"),
    logins: known(now, "logins"),
    moreLogins: known(now, "moreLogins"),
  });
}

/** True if the primary group of a new user, for whom no group is given, is certainly the group with the user's name. */
function hasOwnGroup(now: Parameters<typeof isGivenGroup>[0]): boolean {
  const own = known(now, "ownGroup");
  return (own !== undefined && own !== absent) || isGivenGroup(now);
}

function primaryOf(user: UserState): string | undefined {
  const group = peek(user, "group");
  return typeof group === "string" ? group : undefined;
}

function noGroup(name: string): Refusal {
  return refuse({
    code: "group-not-found",
    message: `the host has no group ${name}`,
    hint: `Put group({ name: "${name}" }) before this task`,
  });
}

function known<T extends object, K extends keyof T>(now: T, key: K): T[K] | undefined {
  return peek(now, key) === knownAfterApply ? undefined : now[key];
}
