import { type Absent, absent, type Refusal, refuse, type Removal, shellQuote } from "../../src/authoring.ts";
import { isProtected } from "../../src/facts/catalogue.ts";

/** What may be removed in addition to files and links. */
export interface MayGo {
  /** Whether directories may be removed with their content. */
  readonly recursive: boolean;
  /** Whether device nodes may be removed. */
  readonly devices: boolean;
}

/**
 * Explains why the file or directory at a path must not be removed; undefined if it may be removed. If an earlier task
 * changes the facts, the run reads them again before it removes anything.
 */
export function lossRefusal(path: string, goes: Absent | Removal | undefined, may: MayGo): Refusal | undefined {
  if (goes === undefined || goes === absent) return undefined;
  return (
    protectedPath(path, goes.real) ?? inUse(path, goes.uses) ?? deviceNode(path, goes, may) ?? notEmpty(path, goes, may)
  );
}

/** Refuses a directory that no host can do without, even if the path reaches it through a link. */
export function protectedPath(path: string, real: string): Refusal | undefined {
  if (!isProtected(real)) return undefined;
  return refuse({
    code: "protected",
    message: `${path} is ${path === real ? "" : `${real}, `}a directory that the host needs`,
    hint: "Name the path below it that you want to remove",
  });
}

const told: Readonly<Record<string, (thing: string, path: string) => readonly [string, string]>> = {
  mount: (thing, path) => [
    thing === path ? "a file system is mounted there" : `a file system is mounted at ${thing}`,
    `Unmount it first: mount({ path: ${JSON.stringify(thing)}, state: "absent" })`,
  ],
  bind: (thing) => [
    `${thing} shows the same files (a bind mount)`,
    `Unmount it first: mount({ path: ${JSON.stringify(thing)}, state: "absent" })`,
  ],
  loop: (thing) => [
    `it contains the file behind the loop device ${thing}`,
    `Detach it first: losetup --detach ${thing}`,
  ],
  vital: (thing) => [`this host's init or shell needs ${thing}`, "Name the path below it that you want to remove"],
  overlay: (thing) => [
    `it contains a layer of the overlay that is mounted at ${thing}`,
    `Unmount it first: mount({ path: ${JSON.stringify(thing)}, state: "absent" })`,
  ],
  subvolume: (thing) => [
    `${thing} is a btrfs subvolume, or belongs to another file system`,
    `Delete it first, if you no longer need its content: btrfs subvolume delete ${shellQuote(thing)}`,
  ],
  swap: (thing) => [`${thing} is in use as swap`, `Run swapoff ${thing} first`],
};

function inUse(path: string, uses: Removal["uses"]): Refusal | undefined {
  const [first] = uses;
  if (first === undefined) return undefined;
  const at = first.indexOf(":");
  const thing = first
    .slice(at + 1)
    .replaceAll(/\\([0-7]{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
  const [why, hint] = told[first.slice(0, at)]?.(thing, path) ?? [first, "Find out what uses it"];
  const more = uses.length > 1 ? `, and ${uses.length - 1} more` : "";
  return refuse({
    code: "in-use",
    message: `${path} must not be removed, because ${why}${more}`,
    current: uses.join(", "),
    hint,
  });
}

function deviceNode(path: string, { type, devices = 0, more }: Removal, may: MayGo): Refusal | undefined {
  if (may.devices) return undefined;
  const isNode = type === "block-device" || type === "character-device";
  if (isNode || devices > 0) {
    return refuse({
      code: "device-node",
      message: isNode ? `${path} is a ${type.replace("-", " ")}` : `${path} contains device nodes`,
      current: isNode ? type : `${devices}`,
      hint: `Remove device nodes with file({ path: …, state: "absent", devices: true })`,
    });
  }
  if (more !== "slow") return undefined;
  return refuse({
    code: "too-much-to-look-at",
    message: `${path} contains too many files to be searched for device nodes`,
    hint: `Remove only a part of it, or everything in it: file({ path: …, state: "absent", recursive: true, devices: true })`,
  });
}

function notEmpty(path: string, { type, empty }: Removal, may: MayGo): Refusal | undefined {
  if (type !== "directory" || may.recursive || empty !== false) return undefined;
  return refuse({
    code: "not-empty",
    message: `${path} is a directory that is not empty`,
    hint: "Set recursive: true to remove it with everything below it",
  });
}
