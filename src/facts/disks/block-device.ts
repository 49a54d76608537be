import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, type Lines } from "../../core/facts/kind.ts";
import { type Absent, absent, isRecord, knownAfterApply } from "../../core/facts/symbols.ts";
import { blockDeviceScript } from "./block-device-script.ts";

/**
 * The content of a disk or partition, and what uses it. File systems have the names that libblkid gives them: `ext4`,
 * `LVM2_member`.
 */
export interface Volume {
  /** The type of the signature that was found; empty if there is no signature, `ambivalent` if there are several. */
  readonly fileSystem: string;
  readonly uuid: string;
  /** The label; unsafe bytes are written as `\xHH`. */
  readonly label: string;
  /**
   * What uses the volume: `mount:/srv`, `swap`, `holder:vg-root`, `loop:loop3` (a loop device backed by it),
   * `process:812-qemu` (a process that has it open for writing), `log:/srv` (the log or real-time device of the XFS
   * there), `journal:sdd1` (the external journal of the ext4 there; the name is empty if it is not known),
   * `namespace:812-nginx:/srv` (mounted at /srv in the mount namespace of process 812), `mounted` (only in a mount
   * namespace that no process is in), `claimed` (opened exclusively by something that is not in this list), `unknown`
   * (the open files of some process cannot be read), `path:sdb1:mount:/srv` (a use of sdb1, which is on the same disk
   * by a second path or on a disk with the same serial), and `copy:/dev/sdc` if that device has a file system with the
   * same UUID.
   */
  readonly uses: readonly string[];
}

/** One entry in a partition table. */
export interface Partition extends Volume {
  /** Offset from the start of the disk, in bytes. */
  readonly start: number;
  readonly sizeBytes: number;
  /** PARTUUID. */
  readonly id: string;
  readonly name: string;
  /** Type GUID, or `0x83` in an MBR. */
  readonly type: string;
  /** True if the kernel knows the partition with this start and size. */
  readonly inKernel: boolean;
}

/** A block device. */
export interface BlockDevice {
  /** `mapped`: device-mapper; `other`: not a block device. */
  readonly type: "disk" | "partition" | "mapped" | "other";
  /** The kernel's node: `/dev/sdb`. */
  readonly path: string;
  /** Size in bytes; 0 without a medium. */
  readonly sizeBytes: number;
  /** Size of a logical sector, in bytes. */
  readonly sectorBytes: number;
  /** The serial number, or else the worldwide id; empty if there is neither. */
  readonly serial: string;
  readonly readOnly: boolean;
}

/** The content of a disk, as shown by its tables and signatures. */
export interface BlockLayout extends Volume {
  /** True if the host's root file system is on the disk, directly or through mapped devices. */
  readonly carriesRoot: boolean;
  /** `gpt`, `dos` …; empty without a table. */
  readonly table: string;
  /** All signatures with their byte offsets: `ext4@1080`. */
  readonly signatures: readonly string[];
  readonly partitions: Readonly<Record<string, Partition>>;
}

type AnyDevice = BlockDevice & Partial<BlockLayout>;

/**
 * Asks about a block device by a path (`/dev/disk/by-id/…`) or a tag (`UUID=…`); with the `layout` facet, also about
 * its content. Never writes to the device.
 */
export function blockDevice(key: string): HostFact<Absent | BlockDevice>;
export function blockDevice(key: string, facets: readonly ["layout"]): HostFact<Absent | (BlockDevice & BlockLayout)>;
export function blockDevice(key: string, facets: readonly "layout"[] = []): HostFact<Absent | BlockDevice> {
  return ask(blockDeviceKind, key, facets);
}

/** Block devices: identity from /sys, content from blkid, wipefs and partx (util-linux). */
export const blockDeviceKind = defineKind<Absent | AnyDevice>({
  name: "block-device",
  summary: "A disk or partition: size, serial, and on request its table, signatures and what uses it",
  facets: { layout: "partition table, signatures, mounts and holders" },
  deadlineSeconds: 60,
  read: blockDeviceScript,
  parse(lines, question) {
    if (lines["type"] === "absent") return absent;
    if (lines["type"] === undefined) {
      throw new FurrowError("E_FACT", { what: `${question.key} could not be read: the host returned no data` });
    }
    const device: BlockDevice = {
      type: lines["type"] as BlockDevice["type"],
      path: lines["path"] ?? "",
      sizeBytes: Number(lines["size"] ?? 0),
      sectorBytes: Number(lines["sector"] ?? 0),
      serial: lines["serial"] ?? "",
      readOnly: lines["read-only"] === "1",
    };
    return lines["signatures"] === undefined ? device : { ...device, ...parseLayout(lines) };
  },
  print(value): Lines {
    if (value === absent) return { type: "absent" };
    if (value.type === "other") return { type: "other" };
    return {
      ...(value.partitions !== undefined && printLayout({ ...value, partitions: value.partitions })),
      path: value.path,
      "read-only": value.readOnly ? "1" : "0",
      sector: String(value.sectorBytes),
      serial: value.serial,
      size: String(value.sizeBytes),
      type: value.type,
    };
  },
  predict(before, wanted) {
    if (!isRecord(wanted)) return wanted as Absent;
    const { partitions, ...own } = wanted as Partial<AnyDevice>;
    const rest: Partial<AnyDevice> = typeof before === "symbol" ? {} : before;
    const unknown = knownAfterApply as never;
    const predicted: Record<string, Partition> = {};
    for (const [number, want] of Object.entries(partitions ?? {})) {
      const base = rest.partitions?.[number] ?? { start: unknown, sizeBytes: unknown, type: unknown, label: "" };
      predicted[number] = { ...base, ...want, uses: unknown };
    }
    return { ...rest, ...own, ...(partitions !== undefined && { partitions: predicted }) } as AnyDevice;
  },
});

function parseLayout(lines: Lines): BlockLayout {
  const numbers = Object.keys(lines).flatMap((name) => /^p(\d+)\.id$/.exec(name)?.[1] ?? []);
  return {
    ...parseVolume(lines, ""),
    carriesRoot: lines["carries-root"] === "yes",
    table: lines["table"] ?? "",
    signatures: words(lines["signatures"]),
    partitions: Object.fromEntries(numbers.map((number) => [number, parsePartition(lines, `p${number}.`)])),
  };
}

function parsePartition(lines: Lines, prefix: string): Partition {
  return {
    ...parseVolume(lines, prefix),
    start: Number(lines[`${prefix}start`]),
    sizeBytes: Number(lines[`${prefix}size`]),
    id: lines[`${prefix}id`] ?? "",
    name: lines[`${prefix}name`] ?? "",
    type: lines[`${prefix}type`] ?? "",
    inKernel: lines[`${prefix}kernel`] === "yes",
  };
}

function parseVolume(lines: Lines, prefix: string): Volume {
  return {
    fileSystem: lines[`${prefix}fs`] ?? "",
    uuid: lines[`${prefix}uuid`] ?? "",
    label: lines[`${prefix}label`] ?? "",
    uses: words(lines[`${prefix}uses`]),
  };
}

function words(line = ""): readonly string[] {
  return line === "" ? [] : line.split(" ");
}

function printLayout(layout: Partial<BlockLayout> & Pick<BlockLayout, "partitions">): Lines {
  const lines: Record<string, string> = {
    ...printVolume(layout, ""),
    "carries-root": layout.carriesRoot === true ? "yes" : "no",
    signatures: (layout.signatures ?? []).join(" "),
    table: layout.table ?? "",
  };
  for (const [number, partition] of Object.entries(layout.partitions)) {
    Object.assign(lines, printVolume(partition, `p${number}.`), {
      [`p${number}.id`]: partition.id,
      [`p${number}.kernel`]: partition.inKernel ? "yes" : "no",
      [`p${number}.name`]: partition.name,
      [`p${number}.size`]: String(partition.sizeBytes),
      [`p${number}.start`]: String(partition.start),
      [`p${number}.type`]: partition.type,
    });
  }
  return lines;
}

function printVolume(volume: Partial<Volume>, prefix: string): Lines {
  return {
    [`${prefix}fs`]: volume.fileSystem ?? "",
    [`${prefix}label`]: volume.label ?? "",
    [`${prefix}uses`]: (volume.uses ?? []).join(" "),
    [`${prefix}uuid`]: volume.uuid ?? "",
  };
}
