import {
  type Absent,
  absent,
  type FileState,
  knownAfterApply,
  peek,
  type Refusal,
  refuse,
  type UserState,
} from "../../src/authoring.ts";
import type { UserUse } from "../../src/facts/catalogue.ts";

/** Refuses to change a user who has running processes, because userdel(8) and usermod(8) would fail. */
export function busy(name: string, what: string, use: UserUse | undefined): Refusal | undefined {
  const processes = use && peek(use, "processes");
  if (processes === undefined || processes === knownAfterApply || processes.length === 0) return undefined;
  return refuse({
    code: "user-busy",
    message: `the user ${name} cannot be ${what} while it has processes`,
    current: processes.join(", "),
    expected: `no process of ${name}`,
    hint: `Stop them first, with a service task or with loginctl terminate-user ${name}`,
  });
}

/** Refuses to remove a home directory that other users share, or that is a system directory, such as one below /usr. */
export function sharedHome(name: string, home: string, use: UserUse | undefined): Refusal | undefined {
  const found = use && peek(use, "guests");
  // After a task that adds an account, the list of users who share this home is unknown. Only the run can find out
  // whether the new account's home is inside this one; if so, it refuses.
  const guests = found === undefined || found === knownAfterApply ? [] : found;
  const isOwn = /^\/[^/]+\/[^/]/.test(home) && !/^\/(usr|etc|dev|proc|sys|run|boot)\//.test(home);
  if (isOwn && guests.length === 0) return undefined;
  return refuse({
    code: "home-is-shared",
    message: `the home directory of ${name} is ${home}, which contains more than one user's files`,
    ...(isOwn && { current: `also the home of ${guests.join(", ")}` }),
    hint: "Leave out removeHome, and remove the user's own files with file tasks",
  });
}

/** Returns the path at which userdel(8) looks for the user's mail. */
export function mailbox(name: string): string {
  return `/var/mail/${name}`;
}

/** Refuses if userdel would remove the account but leave its home directory or mail behind. */
export function notOwn(user: Leaver, home: There, mail: There): Refusal | undefined {
  return (
    unlike(user, "home directory", "directory", user.home, home) ??
    unlike(user, "mail", "file", mailbox(user.name), mail)
  );
}

type There = Absent | FileState | undefined;
type Leaver = Pick<UserState, "uid" | "home"> & { readonly name: string };

function unlike({ name, uid }: Leaver, what: string, type: string, path: string, now: There): Refusal | undefined {
  if (now === undefined || now === absent) return undefined;
  const owner = peek(now, "owner");
  const isOwned = typeof owner !== "string" || owner === name || owner === String(uid);
  if (isOwned && now.type === type) return undefined;
  return refuse({
    code: "home-not-own",
    message: `the ${what} of ${name} cannot be removed with the user: ${path} is not a ${type} that belongs to the user`,
    current: `${now.type}, owner ${typeof owner === "string" ? owner : "unknown"}`,
    expected: `${type}, owner ${name}`,
    hint: `Leave out removeHome, or make ${name} the owner of ${path} first`,
  });
}
