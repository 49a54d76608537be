import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
  type Stats,
} from "node:fs";

/** One task as plain data. Paths are absolute; link targets are the exact text of the link. */
export type PlainTask =
  | { readonly task: "file"; readonly path: string; readonly content: string; readonly mode?: string }
  | { readonly task: "directory"; readonly path: string; readonly mode?: string }
  | { readonly task: "link"; readonly path: string; readonly target: string }
  | { readonly task: "absent"; readonly path: string; readonly recursive: boolean }
  | {
      readonly task: "line";
      readonly path: string;
      readonly line: string;
      readonly match?: string;
      readonly create: boolean;
    }
  | { readonly task: "noLine"; readonly path: string; readonly line: string }
  | { readonly task: "block"; readonly path: string; readonly block: string; readonly create: boolean }
  | { readonly task: "command"; readonly act: PlainAct; readonly creates?: string; readonly declared: boolean }
  | { readonly task: "tree"; readonly path: string; readonly source: string; readonly purge: boolean }
  | { readonly task: "unarchive"; readonly archive: string; readonly to: string; readonly creates?: string };

/** What a command does. */
export type PlainAct =
  | { readonly does: "append"; readonly path: string; readonly text: string }
  | { readonly does: "relink"; readonly path: string; readonly target: string }
  | { readonly does: "move"; readonly path: string; readonly to: string };

/** The result of a task. */
export type PlainOutcome = "ok" | "changed" | "failed";

/** Thrown if the documentation does not specify the behavior. */
export class Unspecified extends Error {}

/** The file at a path; undefined if none exists, as for a cycle of links. */
export function at(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ELOOP") return undefined;
    throw error;
  }
}

/** The directory that contains a path. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** The permission bits as four octal digits. */
export function modeOf(stats: Stats): string {
  return `0${(stats.mode & 0o777).toString(8)}`;
}

/**
 * Writes a new file in the same directory and renames it over the old one: other hard links to the old file keep the
 * old content.
 */
export function replace(path: string, content: string, mode: string | undefined): void {
  const old = at(path);
  const temporary = `${path}.plain`;
  writeFileSync(temporary, content);
  chmodSync(temporary, Number.parseInt(mode ?? (old?.isFile() === true ? modeOf(old) : "0644"), 8));
  try {
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary);
    throw error;
  }
}

/** True if a file system is mounted at or below a path, or if a bind mount makes the path visible elsewhere. */
export function hasMount(path: string): boolean {
  const real = existsSync(path) ? realpathSync(path) : path;
  const mounts = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .map(([, , device = "", root = "", point = ""]) => ({ device, root, point }));
  const whole = new Map(mounts.filter(({ root }) => root === "/").map(({ device, point }) => [device, point]));
  const shown = mounts
    .filter(({ root }) => root !== "/")
    .map(({ device, root }) => `${whole.get(device) ?? ""}${root}`);
  return [...mounts.map(({ point }) => point), ...shown].some((place) => `${place}/`.startsWith(`${real}/`));
}
