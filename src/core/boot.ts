import { absent, isRecord, type KnownAfterApply, knownAfterApply } from "./symbols.ts";
import type { BeforeBoot } from "./kind.ts";
import { changedLater } from "./watched.ts";

/** The text of a file right before a boot; undefined where nobody knows it, empty where there is no such file. */
export function textBeforeBoot(path: string, before: BeforeBoot): string | undefined {
  const value = before(`file:${path}`);
  if (value === absent) return "";
  return isRecord(value) && typeof value["text"] === "string" ? value["text"] : undefined;
}

/** For kinds whose things stand on disk: a boot leaves them as they are. */
export function staysOverBoot<V>(_key: string, value: V): V {
  return value;
}

/** When a thing changed that was foreseen to change before a boot: earlier than whatever starts with that boot. */
const changedBeforeBoot = changedLater - 60_000_000;

/** The date of a change, as it is seen after a boot. */
export function dateOverBoot(changed: number | undefined): number | undefined {
  return changed === changedLater ? changedBeforeBoot : changed;
}

/** Folders that are empty after a boot, but for what the boot itself puts there (hier(7), file-hierarchy(7)). */
const volatile = /^(\/var)?\/run\/|^\/dev\/shm\//;
/** What the kernel shows, and what tmpfiles.d(5) may clear or not. */
const open = /^\/(proc|sys|dev|tmp)\//;

/**
 * What a boot makes of what stands at a path: `gone`, `stays`, or `open`. Directories and links below /run are mostly made again
 * by who needs them, and so are the files in which a service notes its process.
 */
export function pathOverBoot(path: string, isFile: boolean): "gone" | "stays" | "open" {
  if (volatile.test(path)) return isFile && !path.endsWith(".pid") && !path.endsWith(".lock") ? "gone" : "open";
  return open.test(path) ? "open" : "stays";
}

/** The same for kinds whose keys are paths, and of which nobody can tell what is left of them where the path is volatile. */
export function byPathOverBoot<V>(key: string, value: V): V | KnownAfterApply {
  return pathOverBoot(key.slice(key.indexOf("/")), false) === "stays" ? value : knownAfterApply;
}
