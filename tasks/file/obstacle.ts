import { absent, type FileState, type Refusal, refuse } from "../../src/authoring.ts";
import { type DirectoryObstacle, missingDirectory, obstacleText } from "../../src/facts/catalogue.ts";
import type { Params } from "./params.ts";

/** Returns the directories above the directory of a path, without the root, from the top down. */
export function directoriesAbove(path: string): readonly string[] {
  const parts = path.split("/").slice(1, -2);
  return parts.map((_, at) => `/${parts.slice(0, at + 1).join("/")}`);
}

/** Refuses if a directory on a path is missing or cannot contain files. */
export function noDirectory(path: string, obstacle: DirectoryObstacle): Refusal {
  const missing = missingDirectory(obstacle);
  const message = `${path} cannot be created, because ${obstacleText(obstacle)}`;
  if (obstacle.is === "other") {
    const remedy =
      obstacle.target === undefined ? "remove what is in the directory's place" : "point the link at a directory";
    const hint = `Correct the path, or ${remedy}`;
    return refuse({ code: "parent-not-directory", message, hint });
  }
  return refuse({
    code: "no-parent",
    message,
    hint:
      missing === undefined
        ? `Create the target of the link ${obstacle.directory} before this task`
        : `Put file({ path: "${missing}", state: "directory" }) before this task`,
    ...(missing !== undefined && { missing: `file:${missing}` }),
  });
}

/** Refuses a source file that does not exist on the controller. */
export function noSource(source: string): Refusal {
  return refuse({
    code: "no-source",
    message: `the source ${source} is not a file on the controller`,
    hint: "Choose an existing file; a relative path is resolved against furrow's working directory",
  });
}

/**
 * Returns the hint to remove an obstacle. The same playbook cannot remove it, because the two tasks would undo each
 * other.
 */
export function removeHint(path: string, type: FileState["type"]): string {
  const recursive = type === "directory" ? ", recursive: true" : "";
  return `Remove it by hand, or with file({ path: "${path}", state: "absent"${recursive} }) in another playbook`;
}

/**
 * Refuses a replacement that is not allowed. A directory never replaces anything else, and nothing replaces a
 * directory. If `replace` allows it, a link may replace a regular file, and a link or a file may replace a device node,
 * FIFO or socket. A file always replaces a link, which has no content.
 */
export function blocks(now: FileState | typeof absent, p: Params): Refusal | undefined {
  if (now === absent || now.type === p.state || p.state === "absent") return undefined;
  if (now.type !== "directory" && p.state !== "directory") {
    const needed = now.type === "other" ? "special" : "file";
    if (now.type === "link" || p.replace === needed) return undefined;
    const found = now.type === "other" ? "a device node, FIFO or socket" : "a regular file";
    return refuse({
      code: "would-replace",
      message: `${p.path} is ${found}, but it must be a ${p.state}`,
      current: found,
      expected: p.state,
      hint: `Set replace: "${needed}" if it may be replaced`,
    });
  }
  return refuse({
    code: "in-the-way",
    message: `${p.path} is a ${now.type}, but it must be a ${p.state}`,
    current: now.type,
    expected: p.state,
    hint: removeHint(p.path, now.type),
  });
}
