import type { Bound } from "../../../core/authoring/evaluate.ts";
import { type ErrorCode, FurrowError } from "../../../core/errors.ts";
import { type Fact, type FactPattern, type HostFact, isControllerFact, namesFact } from "../../../core/facts/fact.ts";
import { isKind } from "../../../core/facts/kind.ts";
import type { PathResolution } from "../../../core/facts/path-resolution.ts";
import { absent, isRecord } from "../../../core/facts/symbols.ts";
import { describeStep, type Step } from "../../../core/host/step.ts";
import { mountId } from "../../paths/disturbances.ts";
import { directoriesAbove, fileAt, isFile } from "../../plan/parent-directories.ts";
import type { Knowledge } from "../../host/knowledge.ts";
import { placeOfChange } from "./stored-places.ts";

/** Kinds of facts about things that are stored at the path in the fact's key. */
const storedKinds: ReadonlySet<string> = new Set(["digest", "diskImage", "file", "tree", "unpacked"]);

/** Something that a task writes. */
interface Written {
  readonly fact: HostFact<unknown>;
  /** True if the change is stored on the path's own file system: its attributes, or what a directory contains. */
  readonly isOwn: boolean;
  readonly act: string;
  /** The error that a run reports; default: E_READ_ONLY. */
  readonly code?: ErrorCode;
}

/**
 * In check mode, throws the error that a run would report, usually E_READ_ONLY, if a task's steps would fail because
 * they write to a file system that is mounted read-only. Returns the earlier task that may change that mount, if check
 * mode cannot predict whether it does. Reads nothing: the host reports read-only file systems along with the path
 * resolution of each directory.
 */
export function requireWritable(
  facts: readonly Bound[],
  steps: readonly Step[],
  disturbs: readonly FactPattern[] | undefined,
  knowledge: Knowledge,
): { readonly task: string; readonly facts: readonly string[] } | undefined {
  if (!isKind("file")) return undefined;
  for (const { fact, isOwn, act, code = "E_READ_ONLY" } of writtenBy(facts, steps)) {
    for (const { question, value } of knowledge.names.resolutionsOf(knowledge.names.asked(fact))) {
      const mount = mountOf(question.key, value, isOwn ? fact.key : undefined, knowledge);
      // The task itself may remount the file system.
      if (mount === undefined || namesFact(disturbs ?? [], mountId(mount.point))) continue;
      if (mount.by !== undefined) return { task: mount.by, facts: [mountId(mount.point)] };
      throw new FurrowError(code, {
        what: `${act} would fail`,
        current: `${mount.point} is mounted read-only`,
        expected: "a writable file system",
        hint: "Find out why the file system is mounted read-only (a disk error?), then remount it",
      });
    }
  }
  return undefined;
}

function writtenBy(facts: readonly Bound[], steps: readonly Step[]): Written[] {
  const typeOf = (path: string): unknown => {
    const now = facts.find(({ fact }) => isFile(fact) && fact.key === path)?.now;
    return isRecord(now) ? now["type"] : undefined;
  };
  const isThere = (path: string): boolean => typeOf(path) !== undefined;
  const bySteps = steps.flatMap((step): Written[] => {
    if (step.step === "run" && step.writesIn !== undefined && typeOf(step.writesIn) === "directory")
      return [{ fact: fileAt(step.writesIn), isOwn: true, act: describeStep(step) }];
    if (!("path" in step) || step.step === "fetch") return [];
    return [{ fact: fileAt(step.path), isOwn: step.step === "setAttributes", act: describeStep(step) }];
  });
  const byFacts = facts.flatMap((bound): Written[] => {
    const { fact, wanted, match, id } = bound;
    const place = placeOfChange(bound);
    if (place) return [{ fact: fileAt(place.path), isOwn: false, act: `changing ${id}`, code: place.code }];
    if (wanted === undefined || match !== "differs" || !isStored(fact)) return [];
    const isOwn = fact.kind === "file" && wanted !== absent && isThere(fact.key);
    return [{ fact, isOwn, act: `changing ${id}` }];
  });
  return [...bySteps, ...byFacts];
}

function isStored(fact: Fact): fact is HostFact<unknown> {
  return !isControllerFact(fact) && storedKinds.has(fact.kind);
}

/**
 * The read-only mount that contains the directory or, if `own` is given, the path `own` in that directory; undefined if
 * the place is writable. `by`: the task that may make it writable.
 */
function mountOf(
  directory: string,
  { readOnly, unlike = [] }: PathResolution,
  own: string | undefined,
  knowledge: Knowledge,
): { readonly point: string; readonly by?: string | undefined } | undefined {
  const place = knowledge.names.real(directory, true);
  const inside = own === undefined ? undefined : `${place === "/" ? "" : place}/${own.slice(own.lastIndexOf("/") + 1)}`;
  const isUnlike = inside !== undefined && unlike.includes(inside);
  const now = isUnlike ? (readOnly === undefined ? inside : undefined) : readOnly;
  const end = isUnlike ? inside : place;
  for (const point of [...directoriesAbove(end), end].toReversed()) {
    const foreseen = foreseenAt(point, knowledge);
    if (foreseen?.isReadOnly === true) return { point };
    if (foreseen?.isReadOnly === false) return undefined;
    if (foreseen !== undefined && now !== undefined) return { point: now, by: foreseen.by };
    if (point === now) break;
  }
  return now === undefined ? undefined : { point: now, by: knowledge.names.disturbances.lastOf(mountId(now)) };
}

/** The effect of an earlier task on the mount at a path; `isReadOnly` is undefined if that is uncertain. */
function foreseenAt(
  point: string,
  knowledge: Knowledge,
): { readonly isReadOnly: boolean | undefined; readonly by: string } | undefined {
  const known = isKind("mount") ? knowledge.lookup({ kind: "mount", key: point, facets: [] }) : undefined;
  if (known?.by === undefined) return undefined;
  const { mounted, flags } = isRecord(known.value) ? known.value : {};
  const ro = mounted === true && isRecord(flags) ? flags["ro"] : undefined;
  return { isReadOnly: typeof ro === "boolean" ? ro : undefined, by: known.by };
}
