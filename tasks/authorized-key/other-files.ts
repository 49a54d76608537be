import { absent, type Absent, type FileState, refuse, type Refusal, type UserState } from "../../src/authoring.ts";
import type { KeyFiles } from "./key-files.ts";
import { parseKey } from "./keys.ts";

/** A file that sshd reads; it may not exist. */
type Found = Absent | (FileState & { readonly text?: string });

/** Returns the path of the file in which the task keeps a user's keys. */
export function ownPath({ home }: UserState): string {
  return `${home.replace(/\/$/, "")}/.ssh/authorized_keys`;
}

/** Returns the absolute paths of the files in which sshd looks for a user's keys (sshd_config(5), TOKENS). */
export function readPaths({ files }: KeyFiles, name: string, user: UserState): readonly string[] {
  return files.map((file) => {
    const path = file.replaceAll(/%./g, (token) => valueOf(token, name, user));
    return (path.startsWith("/") ? path : `${user.home}/${path}`).replaceAll(/\/+(?:\.\/)*/g, "/");
  });
}

/** The uid is read only if it is needed, because it is not known before the user is created. */
function valueOf(token: string, name: string, user: UserState): string {
  if (token === "%%") return "%";
  if (token === "%h") return user.home;
  if (token === "%u") return name;
  return token === "%U" ? String(user.uid) : token;
}

/** Returns the paths of the other files in which sshd looks for a user's keys. */
export function otherPaths(files: KeyFiles, name: string, user: UserState): readonly string[] {
  return [...new Set(readPaths(files, name, user))].filter((path) => path !== ownPath(user));
}

/** Refuses to add keys to a file that sshd does not read. */
export function notRead(files: KeyFiles, name: string, user: UserState): Refusal | undefined {
  const own = ownPath(user);
  const read = readPaths(files, name, user);
  if (files.from !== "sshd" || read.includes(own)) return undefined;
  const first = read[0];
  return refuse({
    code: "keys-not-read",
    message: `sshd does not look for the keys of ${name} in ${own}, so they could not be used to log in`,
    current: `AuthorizedKeysFile ${files.files.join(" ") || "none"}`,
    expected: "a list that contains .ssh/authorized_keys",
    hint: `Add .ssh/authorized_keys to AuthorizedKeysFile in sshd's configuration${first === undefined ? "" : `, or write the keys to ${first} with the task file`}`,
  });
}

/** Refuses if a key that must not be accepted is in another file that sshd reads, or if that cannot be determined. */
export function stillWorks(
  { sshd, name, user }: { readonly sshd: KeyFiles; readonly name: string; readonly user: UserState },
  others: readonly Found[],
  mustGo: (blob: string) => boolean,
): Refusal | undefined {
  if (sshd.from === "unreadable") return unreadable(name);
  for (const [at, path] of otherPaths(sshd, name, user).entries()) {
    const found = others[at] ?? absent;
    if (found === absent || isOwn(found, user)) continue;
    if (found.type === "link") return behindLink(name, path);
    const keys = (found.text ?? "").split("\n").flatMap((line) => parseKey(line) ?? []);
    const count = keys.filter(({ blob }) => mustGo(blob)).length;
    if (count > 0) return keyThere(name, path, count);
  }
  return undefined;
}

/** True for a link to the file that the task edits. */
function isOwn({ type, target }: FileState, user: UserState): boolean {
  return type === "link" && (target === "authorized_keys" || target === ownPath(user));
}

function keyThere(name: string, path: string, count: number): Refusal {
  return refuse({
    code: "key-in-other-file",
    message: `${path}, which sshd reads too, contains ${count === 1 ? "a key" : `${count} keys`} with which ${name} could still log in`,
    hint: `Remove ${count === 1 ? "the key" : "the keys"} from ${path}, for example with the task fileLine, or move the wanted ones to .ssh/authorized_keys`,
  });
}

function behindLink(name: string, path: string): Refusal {
  return refuse({
    code: "key-file-is-a-link",
    message: `${path}, in which sshd looks for the keys of ${name}, is a symlink, so this task cannot tell which keys are in it`,
    current: "link",
    hint: "Replace the link with the file itself, or remove it",
  });
}

function unreadable(name: string): Refusal {
  return refuse({
    code: "sshd-unreadable",
    message: `cannot tell in which files sshd looks for the keys of ${name}: its configuration cannot be read`,
    hint: "Become root for this task",
  });
}
