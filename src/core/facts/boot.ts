import { absent, isRecord, type KnownAfterApply, knownAfterApply } from "./symbols.ts";
import type { BeforeBoot } from "./kind.ts";
import { changedLater } from "./watched.ts";

/** The text of a file right before a reboot; undefined if unknown, empty if the file is absent. */
export function textBeforeBoot(path: string, before: BeforeBoot): string | undefined {
  const value = before(`file:${path}`);
  if (value === absent) return "";
  return isRecord(value) && typeof value["text"] === "string" ? value["text"] : undefined;
}

/** The value after a reboot, for kinds whose facts are about data on disk, which a reboot does not change. */
export function staysOverBoot<V>(_key: string, value: V): V {
  return value;
}

/**
 * The time of a change that is predicted to happen before a reboot: earlier than the start of any process after that
 * reboot.
 */
const changedBeforeBoot = changedLater - 60_000_000;

/** The time of a change, as seen after a reboot. */
export function dateOverBoot(changed: number | undefined): number | undefined {
  return changed === changedLater ? changedBeforeBoot : changed;
}

/**
 * Folders that are empty after a reboot, except for what the boot process puts into them (hier(7), file-hierarchy(7)).
 */
const volatile = /^(\/var)?\/run\/|^\/dev\/shm\//;
/** Paths that the kernel provides, and paths that tmpfiles.d(5) may or may not clear. */
const open = /^\/(proc|sys|dev|tmp)\//;

/**
 * The effect of a reboot on a path: `gone`, `stays`, or `open` (unknown). Directories, links, PID files and lock files
 * below /run are `open`, because the programs that need them usually recreate them.
 */
export function pathOverBoot(path: string, isFile: boolean): "gone" | "stays" | "open" {
  if (volatile.test(path)) return isFile && !path.endsWith(".pid") && !path.endsWith(".lock") ? "gone" : "open";
  return open.test(path) ? "open" : "stays";
}

/** For kinds whose keys are paths: the value after a reboot, or unknown if the path is volatile. */
export function byPathOverBoot<V>(key: string, value: V): V | KnownAfterApply {
  return pathOverBoot(key.slice(key.indexOf("/")), false) === "stays" ? value : knownAfterApply;
}
