import { type MountState, refuse, type Refusal, shellQuote } from "../../src/authoring.ts";
import { isBind, type Kept } from "./params.ts";

/** Refuses a device that the host does not have. */
export function missing(p: Kept, there: readonly { readonly path: string; readonly serial: string }[]): Refusal {
  return refuse({
    code: "device-missing",
    message: `${p.source} does not exist on the host`,
    current:
      there.map(({ path, serial }) => (serial === "" ? path : `${path} (serial ${serial})`)).join(", ") ||
      "no disk at all",
    expected: p.source,
    hint: "Correct the source, or attach the disk; lsblk -f lists disks and their content",
  });
}

/** Refuses a bind source that is missing or is not a directory. */
export function badSource(p: Kept, type: "absent" | "file" | "other"): Refusal {
  return refuse({
    code: type === "absent" ? "source-missing" : "source-not-directory",
    message: `${p.source} is ${type === "absent" ? "missing on the host" : "not a directory"}, so it cannot be mounted at ${p.path}`,
    current: type,
    expected: "directory",
    hint:
      type === "absent"
        ? `Correct the source, or put file({ path: "${p.source}", state: "directory" }) before this task`
        : "Name a directory as the source",
  });
}

/** Refuses a path on which something else is mounted. */
export function taken(p: Kept, node: string | undefined, now: MountState): Refusal {
  return refuse({
    code: "mount-point-taken",
    message: `${p.path} has something else mounted on it`,
    current: isBind(p) ? `${now.origin} (${now.fileSystem})` : `${now.source} (${now.fileSystem})`,
    expected: node ?? p.source,
    hint: `Run umount ${shellQuote(p.path)} on the host, or choose another path`,
  });
}

/** Refuses a mount point that is not a directory. */
export function inTheWay(p: Kept, type: string): Refusal {
  return refuse({
    code: "in-the-way",
    message: `${p.path} is a ${type}, but a mount point must be a directory`,
    hint: "Remove it, or choose another path",
  });
}
