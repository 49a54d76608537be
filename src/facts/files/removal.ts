import { byPathOverBoot } from "../../core/facts/boot.ts";
import { decodeBytes, encodeText } from "../../core/host/bytes.ts";
import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, printPart, type PrintedLines } from "../../core/facts/kind.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import { atPath } from "./path-resolution.ts";
import { removalFunctions, removalScript } from "./removal-script.ts";

/** What would be lost if a path, with everything below it, were removed. */
export interface Removal {
  readonly type: "file" | "directory" | "link" | "fifo" | "socket" | "block-device" | "character-device";
  /** The path with all links in its parent directories resolved. */
  readonly real: string;
  /**
   * What else on the host uses the path: `mount:/srv/data` for a mount at or below it, `bind:/mnt` for a bind mount
   * elsewhere that makes a part of it visible, `loop:/dev/loop0` for a loop device whose backing file is below it,
   * `swap:/swapfile` for a swap file at or below it, `overlay:/opt/app` for an overlay mounted there that has a layer
   * at or below it, `subvolume:/srv/data` for a btrfs subvolume below it (only with the `size` facet), and
   * `vital:/usr/lib/systemd/systemd` for a program or library that init or the shell runs. Spaces and commas are
   * escaped as in mountinfo.
   */
  readonly uses: readonly string[];
  /** For a directory that nothing uses: whether it is empty. */
  readonly empty?: boolean;
  /**
   * The total size of all files in bytes; for a directory only with the `size` facet, like the three counts below.
   */
  readonly bytes?: number;
  /**
   * Three counts for a directory that nothing uses: the directories below it, the device nodes, and the files of all
   * kinds.
   */
  readonly directories?: number;
  readonly devices?: number;
  readonly files?: number;
  /**
   * Set if the real numbers may be higher: counting took too long, or files appeared or disappeared during the count.
   */
  readonly more?: "slow" | "changing";
}

/**
 * Asks what would be lost if a path were removed; with `size`, also how much, which requires a walk through the whole
 * directory tree.
 */
export function removal(path: string, facets: readonly "size"[] = []): HostFact<Absent | Removal> {
  return ask(removalKind, path, facets);
}

const numbers = ["bytes", "devices", "directories", "files"] as const;

/**
 * The losses that the removal of a path would cause. Asked only before a removal; the answer for an absent path is one
 * line.
 */
export const removalKind = defineKind<Absent | Removal>({
  name: "removal",
  afterBoot: byPathOverBoot,
  summary: "What would be lost if a path were removed: its type, what uses it, how many files and bytes",
  facets: { size: "files, directories, bytes and device nodes" },
  renamed: atPath,
  volatile: ["bytes", "directories", "files", "more"],
  deadlineSeconds: 600,
  read: removalScript,
  functions: removalFunctions,
  parse(lines, { key }) {
    if (lines["absent"] === "yes") return absent;
    const { type, real } = lines;
    if (type === undefined || real === undefined) {
      throw new FurrowError("E_FACT", { what: `could not find out what would be lost if ${key} were removed` });
    }
    const sizes = numbers.flatMap((name) => (lines[name] === undefined ? [] : [[name, Number(lines[name])] as const]));
    return {
      type: type as Removal["type"],
      real: decodeBytes(Buffer.from(real, "base64")),
      uses: (lines["uses"] ?? "").split(",").filter(Boolean),
      ...(lines["empty"] !== undefined && { empty: lines["empty"] === "yes" }),
      ...Object.fromEntries(sizes),
      ...(lines["more"] !== undefined && { more: lines["more"] as NonNullable<Removal["more"]> }),
    };
  },
  print(value): PrintedLines {
    if (value === absent) return { absent: "yes" };
    return {
      ...Object.fromEntries(
        numbers.flatMap((name) => (Object.hasOwn(value, name) ? [[name, printPart(value, name)]] : [])),
      ),
      ...(Object.hasOwn(value, "empty") && {
        empty: printPart(value, "empty", (empty) => (empty === true ? "yes" : "no")),
      }),
      ...(value.more !== undefined && { more: value.more }),
      real: printPart(value, "real", (path) => Buffer.from(encodeText(path)).toString("base64")),
      type: printPart(value, "type"),
      uses: printPart(value, "uses", (uses) => uses.join(",")),
    };
  },
});
