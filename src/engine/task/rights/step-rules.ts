import { FurrowError } from "../../../core/errors.ts";
import type { FetchStep, Step } from "../../../core/host/step.ts";
import { type Account, type Entry, isAllowed } from "./file-permission.ts";

/** A step that writes to a path. */
export type FileStep = Exclude<Extract<Step, { readonly path: string }>, FetchStep>;

/** The user who performs steps. */
export interface Actor extends Account {
  /** True if `groups` also contains the groups' numeric ids. */
  readonly hasGroupNumbers: boolean;
  /** The beginning of a hint that says how to perform the task as root. */
  readonly asRoot: string;
}

/** The directory in which a step creates, replaces or removes an entry. */
export interface Place {
  readonly at: string;
  /** False if the user is not allowed to change the directory's entries. */
  readonly write: boolean;
  /** True if `at` is not a directory at all. */
  readonly file?: true;
  /** True if the user may change only entries of their own. */
  readonly sticky: boolean;
  /** The group that new entries get from the directory, if it differs from the user's group. */
  readonly gives?: string | undefined;
  /** The directory's owner and mode, if known, for the error. */
  readonly shown?: string;
}

/** True for a step that writes to a path. */
export function isFileStep(step: Step): step is FileStep {
  return "path" in step && step.step !== "fetch";
}

/**
 * Throws E_REFUSED if a user is not allowed to perform a step. `there`: the entry at the step's path. If this entry is
 * unknown, the step is not refused.
 */
export function requireStepRights(actor: Actor, step: FileStep, there: Entry | undefined, place?: Place): void {
  const { path } = step;
  if (step.step === "setAttributes") {
    if (there && there.owner !== actor.name) {
      throw notAllowed(actor, "not-the-owner", `set attributes of ${path}`, { current: describeEntry(there) });
    }
    // A step that follows a link to a directory looks up `.` in it.
    if (step.directory && there?.type === "directory" && !isAllowed(actor, there, "search")) {
      throw notAllowed(actor, "unreachable", `enter ${path}`, { current: describeEntry(there) });
    }
  } else if (place) {
    if (place.file) throw notDirectory(path, place.at);
    if (!place.write) {
      throw notAllowed(actor, "unwritable", `write in ${place.at}`, { current: place.shown });
    }
    if (place.sticky && there && there.owner !== actor.name) {
      const current = `${describeEntry(there)} in a sticky directory`;
      throw notAllowed(actor, "unwritable", `replace or remove ${path}`, { current });
    }
  }
  requireGift(actor, step, there, place);
}

/** Throws E_REFUSED if the step sets an owner or a group that the user is not allowed to set. */
function requireGift(actor: Actor, step: FileStep, there: Entry | undefined, place: Place | undefined): void {
  if (step.step === "link" || step.step === "remove") return;
  const isChange = step.step === "setAttributes";
  // A step that replaces a file gives the new file the owner and group of the old one.
  const kept = isChange || (step.step !== "makeDirectory" && there?.type === "file") ? there : undefined;
  const { owner = kept?.owner ?? actor.name, group = kept?.group } = step;
  if (owner !== actor.name && owner !== String(actor.uid)) throw notGiven(actor, step.path, owner);
  if (group === undefined || actor.groups.has(group)) return;
  if (/^\d+$/.test(group) && !actor.hasGroupNumbers) return;
  if (!isChange && place === undefined) return;
  // The kernel lets the owner "change" the group to its current value.
  if (group !== (isChange ? there?.group : place?.gives)) throw notGiven(actor, step.path, `the group ${group}`);
}

/** Describes an entry for an error: `file of root:root, mode 0644`. */
export function describeEntry({ type, owner, group, mode }: Entry): string {
  return `${type} of ${owner}:${group ?? "?"}, mode ${mode}`;
}

function notDirectory(path: string, at: string): FurrowError {
  return new FurrowError("E_REFUSED", {
    what: `${path} cannot be written, because ${at} is not a directory`,
    hint: "Correct the path, or remove what is in the directory's place",
    details: ["refused: parent-not-directory"],
  });
}

function notGiven(actor: Actor, path: string, to: string): FurrowError {
  return notAllowed(actor, "not-the-owner", `give ${path} to ${to}`, { or: "keep the owner and group of that user" });
}

/** The error for a task whose user is not allowed to act. `or`: an alternative that the hint offers. */
export function notAllowed(
  { name, asRoot }: Pick<Actor, "name" | "asRoot">,
  code: string,
  act: string,
  { current, or, hint }: { readonly current?: string | undefined; readonly or?: string; readonly hint?: string } = {},
): FurrowError {
  return new FurrowError("E_REFUSED", {
    what: `the task acts as the user ${name}, who is not allowed to ${act}`,
    ...(current !== undefined && { current }),
    hint: hint ?? `${asRoot}, or ${or ?? "change the owner or mode to permit it"}`,
    details: [`refused: ${code}`],
  });
}
