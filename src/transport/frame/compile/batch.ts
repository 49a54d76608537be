import { parentOf } from "../../../core/facts/parent.ts";
import { createHash } from "node:crypto";
import { encodeText } from "../../../core/host/bytes.ts";
import { reveal } from "../../../core/secrets/secret.ts";
import { stampedBytes } from "../../../core/host/stamped-bytes.ts";
import type { Step, UploadStep, WriteFileStep } from "../../../core/host/step.ts";
import { isLarge } from "./compile-step.ts";

/** The smallest number of files in a batch; fewer are staged one by one. */
const worthwhile = 3;

/**
 * Name of the folder into which a batch is staged; it is created inside the folder that contains all targets of the
 * batch.
 */
export const batchFolder = ".furrow.staged";

/** Matches names that are always one shell word and fit the name field of a tar header. */
const plainName = /^[\w%+,.:=@^][\w%+,.:=@^-]{0,79}$/;

/** One file in a batch. */
export interface BatchEntry {
  readonly step: UploadStep | WriteFileStep;
  /** The file's path below {@link batchFolder}: the index of its folder, a slash, the file name. */
  readonly name: string;
  /** Hex. */
  readonly sha256: string;
  readonly bytes: number;
}

/** Files that travel in one stream and are checked and placed together. */
export interface Batch {
  /** Index of the batch's first step. */
  readonly first: number;
  /** The folder that contains all targets, directly or in subfolders. */
  readonly top: string;
  /** Absolute paths of the targets' folders. An entry's name begins with the index of its folder. */
  readonly folders: readonly string[];
  readonly entries: readonly BatchEntry[];
}

/** True for a step whose content is staged before its frame. */
export function needsStaging(step: Step): step is UploadStep | WriteFileStep {
  return step.step === "upload" || (step.step === "writeFile" && isLarge(step));
}

/**
 * Groups consecutive steps whose files can be staged as one batch. The result depends on the steps alone, so staging
 * and compiling agree. A file with a stamp or of unknown size is staged alone: such a file benefits from several
 * channels, and from being resumed in the middle.
 */
export function batchesOf(steps: readonly Step[]): Batch[] {
  const batches: Batch[] = [];
  for (let at = 0; at < steps.length;) {
    const list = suitableFrom(steps, at);
    const batch = list.length < worthwhile ? undefined : batchOf(list, at);
    if (batch) batches.push(batch);
    at += Math.max(1, list.length);
  }
  return batches;
}

function suitableFrom(steps: readonly Step[], at: number): (UploadStep | WriteFileStep)[] {
  const list: (UploadStep | WriteFileStep)[] = [];
  const paths = new Set<string>();
  for (const step of steps.slice(at)) {
    if (!needsStaging(step) || !isSuitable(step) || paths.has(step.path)) break;
    paths.add(step.path);
    list.push(step);
  }
  return list;
}

function isSuitable(step: UploadStep | WriteFileStep): boolean {
  if (step.user !== undefined || step.validate !== undefined || !plainName.test(nameOf(step.path))) return false;
  if (step.step === "writeFile" && step.replaces !== undefined) return false;
  const bytes = bytesOf(step);
  return bytes !== undefined && bytes < stampedBytes;
}

function bytesOf(step: UploadStep | WriteFileStep): number | undefined {
  return step.step === "upload" ? step.bytes : encodeText(reveal(step.text)).length;
}

function batchOf(steps: readonly (UploadStep | WriteFileStep)[], first: number): Batch | undefined {
  const folders = [...new Set(steps.map(({ path }) => parentOf(path)))];
  const top = sharedFolder(folders);
  if (top === "/") return undefined;
  const entries = steps.map((step) => ({
    step,
    name: `${folders.indexOf(parentOf(step.path))}/${nameOf(step.path)}`,
    sha256: step.step === "upload" ? step.sha256 : hashOf(step),
    bytes: bytesOf(step) ?? 0,
  }));
  return { first, top, folders, entries };
}

function hashOf({ text }: WriteFileStep): string {
  return createHash("sha256")
    .update(encodeText(reveal(text)))
    .digest("hex");
}

function sharedFolder(folders: readonly string[]): string {
  const [first = [], ...others] = folders.map((folder) => folder.split("/"));
  const differs = first.findIndex((part, at) => others.some((other) => other[at] !== part));
  return (differs < 0 ? first : first.slice(0, differs)).join("/") || "/";
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
