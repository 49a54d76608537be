import type { Bound } from "../../../core/authoring/evaluate.ts";
import type { FurrowError } from "../../../core/errors.ts";
import { type Fact, isControllerFact } from "../../../core/facts/fact.ts";
import type { Step } from "../../../core/host/step.ts";
import { accountOf } from "../../plan/become-account.ts";
import { directoriesAbove, fileAt, isFile } from "../../plan/parent-directories.ts";
import { absent } from "../../../core/facts/symbols.ts";
import { type Account, accountIn, type Entry, entryIn, isAllowed } from "./file-permission.ts";
import { directoryAfter, foundAt } from "./found-entries.ts";
import type { PlannedTask } from "../../plan/plan.ts";
import { type Actor, describeEntry, isFileStep, notAllowed, type Place, requireStepRights } from "./step-rules.ts";

/** Kinds of facts that only root can change. */
export const rootOnlyKinds: ReadonlySet<string> = new Set([
  "block-device",
  "group",
  "hostname",
  "mount",
  "nftTable",
  "package",
  "packageIndex",
  "rpmKey",
  "sysctl",
  "unit",
  "unpacked",
  "user",
]);

/**
 * Hints, by kind, for tasks that run as another user. Each hint names the param that makes the root-only fact
 * unnecessary.
 */
export const rootlessHints: Readonly<Record<string, string>> = { unpacked: "set creates" };

/** Programs that give a step root privileges. */
export const privilegePrograms: ReadonlySet<string> = new Set(["doas", "pkexec", "su", "sudo"]);

/** The entry at a path; undefined if unknown. */
type Found = ReturnType<typeof entryIn>;

type Lookup = (fact: Fact) => { readonly value: unknown } | undefined;

/**
 * Throws E_REFUSED if root has read the facts that the task's decision depends on, but the acting user is not allowed
 * to perform the steps or to read the file whose content they use. An unknown value does not cause a refusal. `user` is
 * the session's user.
 */
export function requireRights(
  task: PlannedTask,
  user: string | undefined,
  facts: readonly Bound[],
  steps: readonly Step[],
  lookup: Lookup,
): void {
  const asked = accountOf(task, user);
  const account = asked && accountIn(asked.key, lookup(asked)?.value);
  if (account === undefined || account.uid === 0) return;
  const actor: Actor = { ...account, hasGroupNumbers: false, asRoot: 'Set become: "root"' };
  const own = steps.filter((step) => (step.user ?? account.name) === account.name);
  if (own.length === 0 || own.some((step) => step.step === "run" && privilegePrograms.has(step.argv[0] ?? ""))) return;
  for (const { fact, match, id } of facts) {
    if (match !== "same" && !isControllerFact(fact) && rootOnlyKinds.has(fact.kind)) {
      throw needsRoot(actor, id, rootlessHints[fact.kind]);
    }
  }
  const made = new Map<string, Entry>();
  const at = (path: string): Found => made.get(path) ?? entryIn(lookup(fileAt(path))?.value ?? foundAt(facts, path));
  for (const { fact, now } of facts) {
    if (!isFile(fact) || !fact.facets.some((facet) => facet === "text" || facet === "hidden")) continue;
    const entry = presentIn(now);
    if (entry?.type === "file" && !(reaches(actor, fact.key, at) && isAllowed(actor, entry, "read"))) {
      const current = describeEntry(entry);
      throw notAllowed(actor, "unreadable", `read ${fact.key}`, { current, or: "let the user read it" });
    }
  }
  for (const step of own) {
    if (!isFileStep(step)) continue;
    if (!reaches(actor, step.path, at)) throw notAllowed(actor, "unreachable", `look up ${step.path}`);
    const there = presentIn(foundAt(facts, step.path));
    requireStepRights(actor, step, there, placeAbove(actor, step.path, at));
    const after = directoryAfter(step, there);
    if (after) made.set(step.path, after);
  }
}

/** The nearest existing directory above a path, with the rights that its mode gives the user; undefined if unknown. */
function placeAbove(actor: Account, path: string, at: (path: string) => Found): Place | undefined {
  for (const above of directoriesAbove(path).toReversed()) {
    const entry = at(above);
    if (entry === undefined) return undefined;
    if (entry !== absent) return placeOf(actor, above, entry);
  }
  return undefined;
}

/** The rights that a directory's mode gives a user; undefined if the entry is not a directory. */
export function placeOf(actor: Account, at: string, entry: Entry): Place | undefined {
  if (entry.type !== "directory") return undefined;
  const mode = Number.parseInt(entry.mode, 8);
  return {
    at,
    write: isAllowed(actor, entry, "write"),
    sticky: (mode & 0o1000) !== 0 && entry.owner !== actor.name,
    gives: (mode & 0o2000) === 0 ? undefined : entry.group,
    shown: describeEntry(entry),
  };
}

/** True if, as far as the modes are known, the user may search every directory above the path. */
function reaches(account: Account, path: string, at: (path: string) => Found): boolean {
  return directoriesAbove(path).every((above) => {
    const entry = at(above);
    return typeof entry !== "object" || entry.type !== "directory" || isAllowed(account, entry, "search");
  });
}

function presentIn(value: unknown): Entry | undefined {
  const found = entryIn(value);
  return found === absent ? undefined : found;
}

function needsRoot(actor: Actor, id: string, or: string | undefined): FurrowError {
  const hint = `Set become: "root" for this task${or === undefined ? "" : `, or ${or}`}`;
  return notAllowed(actor, "needs-root", `change ${id}: only root is`, { hint });
}
