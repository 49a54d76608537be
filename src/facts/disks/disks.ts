import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, type Lines } from "../../core/facts/kind.ts";
import { blockFunctions } from "./block-device-script.ts";

/** One of a host's disks. */
export interface DiskEntry {
  /** The kernel's node: `/dev/sdb`. */
  readonly path: string;
  /** Size in bytes. */
  readonly sizeBytes: number;
  /** The serial number; empty if the disk has none. */
  readonly serial: string;
  /** The disk's names under /dev/disk/by-id. */
  readonly ids: readonly string[];
}

/** Asks for all of a host's disks that have a medium, including loop devices. */
export function disks(): HostFact<readonly DiskEntry[]> {
  return ask(disksKind, "all");
}

/** All disks of a host, read from /sys/block. */
export const disksKind = defineKind<readonly DiskEntry[]>({
  name: "disks",
  summary: "The disks of a host: path, size, serial, stable names",
  facets: {},
  read: ([question]) =>
    question === undefined
      ? ""
      : `${blockFunctions}
for x in /sys/block/*; do
case \${x##*/} in ram*|zram*|dm-*|sr*|fd*) continue;; esac
find_block "/dev/$(echo "\${x##*/}" | tr '!' /)" && read -r z < "$s/size" && [ "$z" -gt 0 ] || continue
serial_of
ids=$(for l in /dev/disk/by-id/*; do [ "$(readlink -f -- "$l")" = "$d" ] && printf '%s ' "\${l##*/}"; done)
printf '%s\\n' "${question.number} $d=$((z * 512))|\${ids% }|$r"
done`,
  parse: (lines) =>
    Object.entries(lines)
      .map(([path, line]) => {
        const [size = "0", ids = "", ...serial] = line.split("|");
        return { path, sizeBytes: Number(size), serial: serial.join("|"), ids: ids === "" ? [] : ids.split(" ") };
      })
      .toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  print: (value): Lines =>
    Object.fromEntries(value.map((disk) => [disk.path, `${disk.sizeBytes}|${disk.ids.join(" ")}|${disk.serial}`])),
});
