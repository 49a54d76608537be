import { absent, type FileState, type Refusal, refuse } from "../../src/authoring.ts";
import type { Params } from "./params.ts";

/** The directory that a path is in. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** The directories around the one that a path is in, from the top; without the root. */
export function directoriesAbove(path: string): readonly string[] {
  const parts = path.split("/").slice(1, -2);
  return parts.map((_, at) => `/${parts.slice(0, at + 1).join("/")}`);
}

/** The refusal where the directory of a path is missing. */
export function noParent(path: string): Refusal {
  return refuse({
    code: "no-parent",
    message: `${path} cannot be made, because ${parentOf(path)} does not exist`,
    hint: `Put file({ path: "${parentOf(path)}", state: "directory" }) before it`,
  });
}

/** True for what nothing can be in: neither a directory nor a link, which may lead to one. */
export function isNoDirectory(found: FileState | symbol | undefined): boolean {
  return typeof found === "object" && (found.type === "file" || found.type === "other");
}

/** The refusal where a directory of a path is something else. */
export function noDirectory(path: string, directory: string): Refusal {
  return refuse({
    code: "parent-not-directory",
    message: `${path} cannot be made, because ${directory} is not a directory`,
    hint: "Correct the path, or remove what stands in the directory's place",
  });
}

/** The refusal for a file that the controller does not have. */
export function noSource(source: string): Refusal {
  return refuse({
    code: "no-source",
    message: `the source ${source} is not a file of the controller`,
    hint: "Name a file that exists; a relative path starts where furrow was started",
  });
}

/** The hint for what stands in the way. The same playbook cannot remove it: its two tasks would undo each other. */
export function removeHint(path: string, type: FileState["type"]): string {
  const recursive = type === "directory" ? ", recursive: true" : "";
  return `Remove it by hand, or with file({ path: "${path}", state: "absent"${recursive} }) in another playbook`;
}

/**
 * A directory never gives way to something else by itself, nor anything to a directory. A file gives way to a link, and a
 * device node, FIFO or socket to either, only where that is asked for. A link gives way to a file: it holds nothing.
 */
export function blocks(now: FileState | typeof absent, p: Params): Refusal | undefined {
  if (now === absent || now.type === p.state || p.state === "absent") return undefined;
  if (now.type !== "directory" && p.state !== "directory") {
    const needed = now.type === "other" ? "special" : "file";
    if (now.type === "link" || p.replace === needed) return undefined;
    const found = now.type === "other" ? "a device node, FIFO or socket" : "a regular file";
    return refuse({
      code: "would-replace",
      message: `${p.path} is ${found}, and a ${p.state} is wanted`,
      current: found,
      expected: p.state,
      hint: `Add replace: "${needed}" if it may go`,
    });
  }
  return refuse({
    code: "in-the-way",
    message: `${p.path} is a ${now.type}, and a ${p.state} is wanted`,
    current: now.type,
    expected: p.state,
    hint: removeHint(p.path, now.type),
  });
}
