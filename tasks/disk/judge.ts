import { type Absent, absent, refuse, Refusal } from "../../src/authoring.ts";
import { contentAreas, type DiskContent, fstabEntries, tableState } from "../../src/facts/catalogue.ts";
import { type FileSystem, finishedName, type Marks, partitionPath } from "./marks.ts";
import { diskName, holdings } from "./names.ts";
import { refuseMountPoint, refuseUnfit, refuseUse } from "./refusals.ts";
import {
  type Blankness,
  type Disk,
  namesOf,
  type Plan,
  type Request,
  type Surroundings,
  type Target,
} from "./request.ts";

/** Finds the file system on the disk that already belongs to this mount point, if there is one. */
export function adoptable(request: Request, disk: Disk, marks: Marks, around: Surroundings): Target | undefined {
  const whole = { number: "", path: disk.path, volume: disk, id: "", name: "" };
  const partitions = Object.entries(disk.partitions).map(([number, partition]) => ({
    number,
    path: partitionPath(disk.path, number),
    volume: partition,
    id: partition.id,
    name: partition.name,
  }));
  const found = [...(disk.table === "" ? [whole] : []), ...partitions].find(({ number, path, volume, id, name }) => {
    if (volume.fileSystem !== request.fileSystem || volume.uuid === "") return false;
    const ours =
      number === "1" &&
      id === marks.partition &&
      name === finishedName &&
      volume.uuid === marks.fileSystem[request.fileSystem];
    const mounted = around.mount.mounted && around.mount.source === path;
    return (
      ours || mounted || namedInFstab(request, around.fstab, { number, path, uuid: volume.uuid }, volume.label, id)
    );
  });
  return found && { number: found.number, path: found.path, uuid: found.volume.uuid };
}

function namedInFstab(request: Request, fstab: string, target: Target, label: string, id: string): boolean {
  const entries = fstabEntries(fstab, request.mountPoint);
  return entries.some((entry) => namesOf(request, target, label, id).includes(entry.source));
}

/** Decides how the disk gets its file system, or why the disk is refused. */
export function judge(
  request: Request,
  disk: Disk,
  marks: Marks,
  around: Surroundings,
  blankness: Blankness | undefined,
): Plan | Refusal {
  const name = diskName(request.device, disk);
  if (disk.carriesRoot) {
    return refuse({
      code: "disk-is-root",
      message: `${name} contains the host's root file system`,
      hint: "Choose a data disk; the root disk is never touched",
    });
  }
  const adopted = adoptable(request, disk, marks, around);
  const target = adopted ?? { number: "1", path: marks.path, uuid: marks.fileSystem[request.fileSystem] };
  const taken = refuseMountPoint(request, target, around, adopted, disk, marks);
  const used = refuseUse(name, request, disk, adopted, around.mount);
  if (adopted) return taken ?? used ?? { act: "adopt", target };
  if (used) return used;
  const made = plan(name, request, disk, marks, target, blankness);
  return made instanceof Refusal ? made : (taken ?? refuseUnfit(name, request, disk, blankness, marks) ?? made);
}

function plan(
  name: string,
  request: Request,
  disk: Disk,
  marks: Marks,
  target: Target,
  blankness: Blankness | undefined,
): Plan | Refusal {
  const act = actOn(disk, marks, target, blankness?.content ?? absent);
  if (act !== undefined) return { act, target };
  if (request.wipe !== undefined) return { act: "wipe", target };
  const what = holdings(disk);
  const data =
    blankness?.content !== absent && blankness?.content.data !== "none" ? blankness?.content.data : undefined;
  return refuse({
    code: "disk-not-empty",
    message: `${name} holds ${what || (data === undefined ? "part of a partition table" : `data without a known signature, found ${places[data]}`)}`,
    current: what || (data === undefined ? "non-zero bytes in place of a partition table" : "non-zero bytes"),
    expected: `a blank disk, or an ${request.fileSystem} file system that fstab mounts at ${request.mountPoint}`,
    hint: `Mount it with the mount task, choose another disk, or, if its content may be destroyed, ${wipeHint(disk)}`,
  });
}

const places = { none: "", start: "in its first 64 MiB", middle: "in the middle", end: "in its last 64 MiB" } as const;

function wipeHint(disk: Disk): string {
  return disk.serial === "" ? "give it a serial number and set wipe to that" : `set wipe: { serial: "${disk.serial}" }`;
}

function actOn(disk: Disk, marks: Marks, target: Target, content: Absent | DiskContent): Plan["act"] | undefined {
  if (content === absent || disk.fileSystem !== "") return undefined;
  if (hasForeignSignature(disk)) return undefined;
  const state = tableState(contentAreas(content), marks.unfinished, marks.finished);
  const [first, ...others] = Object.values(disk.partitions);
  if (state === "blank" || state === "partly-before") {
    // Both reads must agree: if only one of them found data, another program wrote the data in between.
    const agreed = state === "blank" ? disk.signatures.length === 0 && first === undefined : isCut(disk, marks);
    return agreed && content.data === "none" ? "partition" : undefined;
  }
  if (first === undefined || others.length > 0 || first.id !== marks.partition) return undefined;
  if (state === "before") return isOurs(first, marks) ? "format" : undefined;
  if (state === "between") return first.uuid === target.uuid ? "finish" : undefined;
  return undefined;
}

function isCut(disk: Disk, marks: Marks): boolean {
  return Object.values(disk.partitions).every(({ id }) => id === marks.partition);
}

/** True if the disk has a signature that does not belong to a GPT. */
export function hasForeignSignature(disk: Disk): boolean {
  return disk.signatures.some((signature) => !/^(gpt|PMBR)@/.test(signature));
}

function isOurs(volume: { readonly fileSystem: string; readonly uuid: string }, marks: Marks): boolean {
  if (volume.fileSystem === "") return true;
  return volume.uuid !== "" && marks.fileSystem[volume.fileSystem as FileSystem] === volume.uuid;
}
