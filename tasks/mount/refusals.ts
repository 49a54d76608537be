import { type MountState, refuse, type Refusal, shellQuote } from "../../src/authoring.ts";
import { isBind, type Kept } from "./params.ts";

/** The refusal for a device that the host does not have. */
export function missing(p: Kept, there: readonly { readonly path: string; readonly serial: string }[]): Refusal {
  return refuse({
    code: "device-missing",
    message: `${p.source} is not on the host`,
    current:
      there.map(({ path, serial }) => (serial === "" ? path : `${path} (serial ${serial})`)).join(", ") ||
      "no disk at all",
    expected: p.source,
    hint: "Correct the source, or attach the disk; lsblk -f lists what each holds",
  });
}

/** The refusal for a directory that cannot be shown elsewhere: it is missing, or something else. */
export function badSource(p: Kept, type: "absent" | "file" | "other"): Refusal {
  return refuse({
    code: type === "absent" ? "source-missing" : "source-not-directory",
    message: `${p.source} is ${type === "absent" ? "not on the host" : "not a directory"}, so it cannot be mounted at ${p.path}`,
    current: type,
    expected: "directory",
    hint:
      type === "absent"
        ? `Correct the source, or put file({ path: "${p.source}", state: "directory" }) before it`
        : "Name a directory as the source",
  });
}

/** The refusal for a path that has another mount. */
export function taken(p: Kept, node: string | undefined, now: MountState): Refusal {
  return refuse({
    code: "mount-point-taken",
    message: `${p.path} has something else mounted on it`,
    current: isBind(p) ? `${now.origin} (${now.fileSystem})` : `${now.source} (${now.fileSystem})`,
    expected: node ?? p.source,
    hint: `Run umount ${shellQuote(p.path)} on the host, or choose another path`,
  });
}

/** The refusal for a mount point that is not a directory. */
export function inTheWay(p: Kept, type: string): Refusal {
  return refuse({
    code: "in-the-way",
    message: `${p.path} is a ${type}, and a directory is wanted to mount at`,
    hint: "Choose another path, or remove what is there",
  });
}
