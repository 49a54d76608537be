import {
  absent,
  absolutePath,
  blockDevice,
  disks,
  file,
  mode,
  mountAt,
  name,
  peek,
  program,
  refuse,
  Refusal,
  type Absent,
  type BlockDevice,
  type Step,
  task,
  z,
  exactly,
} from "../../src/authoring.ts";
import { diskContent, flagsOf, fstabWith, type DiskContent, fileText } from "../../src/facts/catalogue.ts";
import { contentRead } from "../file/content-read.ts";
import { adoptable, hasForeignSignature, judge } from "./judge.ts";
import { fileSystems, finishedName, type Marks, marksOf } from "./marks.ts";
import { refuseDevice } from "./refusals.ts";
import type { Blankness, Disk, Plan, Surroundings } from "./request.ts";
import { reloadScript } from "./scripts.ts";
import { labelStep, makingSteps, mountStep } from "./steps.ts";

const longestLabel = { ext4: 16, xfs: 12, btrfs: 255 } as const;

const params = z
  .strictObject({
    device: absolutePath()
      .refine((path) => path.startsWith("/dev/"), 'a disk\'s path, like "/dev/disk/by-id/google-data1"')
      .describe("The whole disk, preferably as a path under /dev/disk/by-id: names like /dev/sdb can change at boot"),
    mountPoint: absolutePath()
      .refine((path) => path !== "/", "a mount point other than the root directory")
      .describe("Where the file system is mounted, now and at every boot; the directory is created if missing"),
    fileSystem: z
      .enum(fileSystems)
      .default("ext4")
      .describe("File system to create on a blank disk; an existing file system is adopted only if it is of this type"),
    label: z
      .string()
      .regex(/^[\w.-]{1,255}$/, 'letters, digits, ".", "_" and "-", like "data1"')
      .optional()
      .describe("Label of the file system: at most 16 characters for ext4, 12 for xfs"),
    mountOptions: z
      .string()
      .regex(/^[^\s,]+(,[^\s,]+)*$/, 'options with commas between them, like "defaults,nofail"')
      .default("defaults,nofail")
      .describe("Options as in fstab; without nofail, a missing disk stops the boot"),
    minimumSizeBytes: z.number().int().positive().optional().describe("Refuse a disk smaller than this, in bytes"),
    verifyEmpty: z
      .enum(["sampled", "full"])
      .default("sampled")
      .describe(
        "How to verify that a disk without signatures is blank: read its first and last 64 MiB and 256 samples, or all of it",
      ),
    wipe: z
      .strictObject({ serial: z.string().min(1).describe("Serial of the disk that may be wiped") })
      .optional()
      .describe(
        "Destroy what is on the disk if the disk has this serial, is not in use, and contains something other than the wanted file system",
      ),
    mode: mode().optional().describe('Octal mode of the file system\'s root directory, "0755"'),
    owner: name("a user", "libvirt-qemu").optional().describe("Owner of the file system's root directory"),
    group: name("a group", "kvm").optional().describe("Group of the file system's root directory"),
  })
  .refine((p) => (p.label?.length ?? 0) <= longestLabel[p.fileSystem], {
    path: ["label"],
    message: "at most 16 characters for ext4, 12 for xfs",
  });

type Params = z.output<typeof params>;

/**
 * Partitions, formats and mounts a disk. Writes to a disk only if the disk is blank or furrow has not finished its own
 * work on it. Adopts a file system that already belongs to the mount point. Refuses any other disk, and reports what is
 * on it.
 */
export const disk = task({
  name: "disk",
  summary: "Partition, format and mount a data disk; a disk that contains anything else is never touched",
  params,
  examples: [
    { device: "/dev/disk/by-id/google-data1", mountPoint: "/mnt/datadisk1", minimumSizeBytes: 350_000_000_000 },
    { device: "/dev/sdb", mountPoint: "/srv/images", fileSystem: "xfs", label: "images", owner: "root", mode: "0711" },
  ],
  title: (p) => `disk ${p.device} at ${p.mountPoint}`,
  // This disturbs all units: systemd reloads after a change to fstab, and then also loads every changed unit file.
  disturbs: ({ mountPoint }) => [
    "block-device:**",
    "disk-content:**",
    "disk-content-full:**",
    "disks:*",
    "unit:*",
    `mount:${exactly(mountPoint)}/**`,
    `file:${exactly(mountPoint)}/**`,
  ],
})
  .facts((p) => ({
    device: blockDevice(p.device, ["layout"]),
    machine: file("/etc/machine-id", ["text"]),
    fstab: file("/etc/fstab", ["text"]),
    mount: mountAt(p.mountPoint, ["entries"]),
  }))
  .facts((p, { device, machine, fstab, mount }) => {
    const known = device !== absent && device.type === "disk" ? device : undefined;
    const marks = known && marksOf(machineId(machine), known);
    const fresh = known && marks && adoptable(p, known, marks, { mount, fstab: fileText(fstab) ?? "" }) === undefined;
    const foreign = mount.automount || (mount.mounted && !(known && mount.source.startsWith(known.path)));
    return {
      ...(device === absent && { disks: disks() }),
      ...(!foreign && { directory: file(p.mountPoint) }),
      ...(fresh &&
        isOpen(known) && {
          content: diskContent(p.device, known.table === "" ? p.verifyEmpty : "sampled"),
          sameUuid: blockDevice(`UUID=${marks.fileSystem[p.fileSystem]}`),
          mkfs: program(`mkfs.${p.fileSystem}`),
        }),
    };
  })
  .want((p, now) => {
    const refused = refuseDevice(p, now.device, now.disks);
    if (refused) return refused;
    const device = now.device as Disk;
    const marks = marksOf(machineId(now.machine), device);
    const plan = planOf(p, now, device, marks);
    if (plan instanceof Refusal) return plan;
    if (now.directory !== undefined && now.directory !== absent && now.directory.type !== "directory") {
      return inTheWay(p, now.directory.type);
    }
    const { target } = plan;
    return {
      device: wantedDevice(p, plan, marks),
      fstab: { type: "file", text: fstabWith(fileText(now.fstab) ?? "", p.mountPoint, line(p, target.uuid)) },
      mount: {
        mounted: true,
        source: target.path,
        fileSystem: p.fileSystem,
        flags: flagsOf(p.mountOptions),
        ...(plan.act !== "adopt" && { entries: "none" }),
      },
      directory: { type: "directory", mode: p.mode, owner: p.owner, group: p.group },
    };
  })
  .steps((p, { change, now }) => {
    const device = now.device as Disk;
    const marks = marksOf(machineId(now.machine), device);
    const plan = planOf(p, now, device, marks);
    if (plan instanceof Refusal) return [];
    const { target, act } = plan;
    const content = now.content === undefined || now.content === absent ? undefined : now.content;
    const fresh = act !== "adopt";
    const mounts = !now.mount.mounted;
    const own = { mode: p.mode, owner: p.owner, group: p.group };
    const setsRoot = Object.values(own).some((value) => value !== undefined) && (mounts || fresh || change.directory);
    const how = { fileSystem: p.fileSystem, options: p.mountOptions, point: p.mountPoint };
    const text = fstabWith(fileText(now.fstab) ?? "", p.mountPoint, line(p, target.uuid));
    return [
      makingSteps(act, { ...p, disk: device, marks, content, label: p.label }),
      now.directory === absent && { step: "makeDirectory", path: p.mountPoint, parents: true },
      change.fstab && { step: "writeFile", path: "/etc/fstab", text, replaces: contentRead(now.fstab) },
      change.fstab && !mounts && reload,
      mounts && mountStep(p.device, target, how),
      !mounts && change.mount && remount(p),
      setsRoot && { step: "setAttributes", path: p.mountPoint, directory: true, ...defined(own) },
      !fresh &&
        p.label !== undefined &&
        labelOf(device, target.number) !== p.label &&
        labelStep(p.fileSystem, target, p.mountPoint, p.label),
    ];
  })
  .outputs((p, now) => ({ mountPoint: p.mountPoint, source: now.mount.source }));

interface Known {
  readonly mount: Surroundings["mount"];
  readonly fstab: unknown;
  readonly content?: Absent | DiskContent;
  readonly sameUuid?: Absent | BlockDevice;
}

function planOf(p: Params, now: Known, device: Disk, marks: Marks): Plan | Refusal {
  // An earlier task may install mkfs, so refuse only if mkfs is certain to be missing.
  const mkfs = peek(now as Known & { mkfs?: Blankness["mkfs"] }, "mkfs");
  const blankness: Blankness | undefined =
    now.content === undefined ? undefined : { content: now.content, sameUuid: now.sameUuid ?? absent, mkfs };
  return judge(p, device, marks, { mount: now.mount, fstab: fileText(now.fstab) ?? "" }, blankness);
}

function wantedDevice(p: Params, { act, target }: Plan, marks: Marks): object {
  const volume = { fileSystem: p.fileSystem, uuid: target.uuid, ...(p.label !== undefined && { label: p.label }) };
  if (target.number === "") return volume;
  if (act === "adopt") return { partitions: { [target.number]: { ...volume, inKernel: true } } };
  return { table: "gpt", partitions: { 1: { ...volume, id: marks.partition, name: finishedName, inKernel: true } } };
}

const reload: Step = {
  step: "run",
  label: "make systemd read fstab",
  argv: ["sh", "-c", reloadScript],
  timeoutSeconds: 60,
};

function remount(p: Params): Step {
  return { step: "run", argv: ["mount", "-o", `remount,${p.mountOptions}`, p.mountPoint], timeoutSeconds: 60 };
}

function line(p: Params, uuid: string): Parameters<typeof fstabWith>[2] {
  const check = p.fileSystem === "ext4" ? 2 : 0;
  return { source: `UUID=${uuid}`, path: p.mountPoint, fileSystem: p.fileSystem, options: p.mountOptions, check };
}

function labelOf(device: Disk, number: string): string | undefined {
  return number === "" ? device.label : device.partitions[number]?.label;
}

/** True if the signatures alone do not show whether the disk contains data. */
function isOpen(device: Disk): boolean {
  return !device.carriesRoot && device.fileSystem === "" && !hasForeignSignature(device);
}

function machineId(value: unknown): string {
  return (fileText(value) ?? "").trim();
}

function defined<T extends object>(record: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(record).filter((entry) => entry[1] !== undefined)) as never;
}

function inTheWay(p: Params, type: string): Refusal {
  return refuse({
    code: "in-the-way",
    message: `${p.mountPoint} is a ${type}, but mounting ${p.device} needs a directory`,
    hint: "Remove it, or choose another mountPoint",
  });
}
