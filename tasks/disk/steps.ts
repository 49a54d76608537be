import type { Step } from "../../src/authoring.ts";
import {
  areasHash,
  contentAreas,
  type DiskContent,
  gptAreas,
  gptExtents,
  type GptLayout,
  tableSectors,
} from "../../src/facts/catalogue.ts";
import { partitionScript, formatScript, finishScript, mountScript, wipeScript } from "./scripts.ts";
import type { FileSystem, Marks } from "./marks.ts";
import type { Disk, Plan, Target } from "./request.ts";

type RunStep = Extract<Step, { readonly step: "run" }>;

const hour = 3600;

/** The inputs of the steps that write to the disk. */
export interface Making {
  readonly device: string;
  readonly disk: Disk;
  readonly marks: Marks;
  /** The content of the disk; undefined if the plan is `adopt`. */
  readonly content: DiskContent | undefined;
  readonly fileSystem: FileSystem;
  readonly label: string | undefined;
  readonly verifyEmpty: "sampled" | "full";
}

interface Ready extends Omit<Making, "content"> {
  readonly areas: ReturnType<typeof contentAreas>;
}

const noAreas: Ready["areas"] = { head: new Uint8Array(), tail: new Uint8Array() };

/**
 * Returns the steps that carry out a plan's action. They create a complete file system on the disk's first partition.
 */
export function makingSteps(act: Plan["act"], { content, ...rest }: Making): RunStep[] {
  const areas = content === undefined ? noAreas : contentAreas(content);
  const making = { ...rest, areas };
  switch (act) {
    case "adopt":
      return [];
    case "wipe":
      return [wipe(making), partition(making, "none"), format(making)];
    case "partition":
      return [partition(making, making.verifyEmpty), format(making)];
    case "format":
      return [format(making)];
    case "finish":
      return [finish(making)];
  }
}

function script(label: string, text: string, making: Ready, args: readonly string[], timeoutSeconds: number): RunStep {
  const { device, disk } = making;
  const identity = [device, disk.serial, String(disk.sizeBytes)];
  return { step: "run", label, argv: ["sh", "-c", text, "furrow-disk", ...identity, ...args], timeoutSeconds };
}

function wipe(making: Ready): RunStep {
  return script(`wipe ${making.device}`, wipeScript, making, [], 2 * hour);
}

function partition(making: Ready, look: "sampled" | "full" | "none"): RunStep {
  const { areas, disk } = making;
  const counts = tableSectors(disk.sectorBytes);
  const blank = (sectors: number): Uint8Array => new Uint8Array(sectors * disk.sectorBytes);
  const found = areasHash(look === "none" ? { head: blank(counts.head), tail: blank(counts.tail) } : areas);
  const args = [look, found, ...tableArgs(making.marks.unfinished)];
  return script(`partition ${making.device}`, partitionScript, making, args, look === "full" ? 24 * hour : hour / 4);
}

function format(making: Ready): RunStep {
  const { marks, fileSystem } = making;
  const ours = Object.entries(marks.fileSystem).map(([type, uuid]) => `${type}:${uuid}`);
  const args = [
    areasHash(gptAreas(marks.unfinished)),
    String(marks.start),
    String(marks.size),
    `${fileSystem}:${marks.fileSystem[fileSystem]}`,
    ours.join(" "),
    ...tableArgs(marks.finished),
    ...mkfs(making),
  ];
  return script(
    `make an ${fileSystem} file system on ${marks.path}`.replace("an b", "a b"),
    formatScript,
    making,
    args,
    4 * hour,
  );
}

function finish(making: Ready): RunStep {
  const { marks, fileSystem } = making;
  const args = [
    areasHash(making.areas),
    String(marks.start),
    String(marks.size),
    `${fileSystem}:${marks.fileSystem[fileSystem]}`,
    ...tableArgs(marks.finished),
  ];
  return script(`give ${marks.path} its final name`, finishScript, making, args, hour / 4);
}

function tableArgs(layout: GptLayout): string[] {
  return gptExtents(layout).flatMap(({ sector, bytes }) => [String(sector), Buffer.from(bytes).toString("base64")]);
}

function mkfs({ fileSystem, marks, label }: Ready): string[] {
  const uuid = marks.fileSystem[fileSystem];
  const named = label === undefined ? [] : ["-L", label];
  if (fileSystem === "xfs") return ["mkfs.xfs", "-q", "-m", `uuid=${uuid}`, ...named];
  return [`mkfs.${fileSystem}`, "-q", "-U", uuid, ...named];
}

/** Mounts the file system on an existing directory. */
export function mountStep(
  device: string,
  target: Target,
  how: { readonly fileSystem: string; readonly options: string; readonly point: string },
): RunStep {
  const args = [device, target.number, target.path, target.uuid, how.fileSystem, how.options, how.point];
  return {
    step: "run",
    label: `mount ${target.path} at ${how.point}`,
    argv: ["sh", "-c", mountScript, "furrow-disk", ...args],
    timeoutSeconds: 300,
  };
}

/** Sets the label of a mounted file system; the tools of all three file systems can do this while it is mounted. */
export function labelStep(fileSystem: FileSystem, target: Target, point: string, label: string): RunStep {
  const argv = {
    ext4: ["e2label", target.path, label],
    xfs: ["xfs_io", "-c", `label -s ${label}`, point],
    btrfs: ["btrfs", "filesystem", "label", point, label],
  }[fileSystem];
  return { step: "run", argv, timeoutSeconds: 60 };
}
