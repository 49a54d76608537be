import type { Bound } from "../../../core/authoring/evaluate.ts";
import type { FurrowError } from "../../../core/errors.ts";
import { isControllerFact } from "../../../core/facts/fact.ts";
import { parentOf } from "../../../core/facts/parent.ts";
import { absent } from "../../../core/facts/symbols.ts";
import { describeStep, type Step } from "../../../core/host/step.ts";
import type { Knowledge } from "../../host/knowledge.ts";
import { fileAt } from "../../plan/parent-directories.ts";
import type { PlannedTask } from "../../plan/plan.ts";
import { accessAt } from "./asked-rights.ts";
import { type Entry, entryIn } from "./file-permission.ts";
import { directoryAfter, foundAt } from "./found-entries.ts";
import { type Actor, isFileStep, notAllowed, type Place, requireStepRights } from "./step-rules.ts";
import { placeOf, privilegePrograms, rootlessHints, rootOnlyKinds } from "./user-rights.ts";

/** Kinds of facts that polkit may let a user other than root change. */
const delegable: ReadonlySet<string> = new Set(["unit", "hostname"]);

/**
 * Check mode, in a session of a user other than root: throws E_REFUSED if that user is not allowed to perform the
 * steps. The kernel's own answers decide, so access control lists are taken into account. A run does not need this
 * check, because its steps fail by themselves.
 */
export function requireSessionRights(
  task: PlannedTask,
  facts: readonly Bound[],
  steps: readonly Step[],
  { knowledge, user }: { readonly knowledge: Knowledge; readonly user: string | undefined },
): void {
  if (!actsAsSession(task, user)) return;
  if (steps.some((step) => step.step === "run" && privilegePrograms.has(step.argv[0] ?? ""))) return;
  const roots = facts.find(({ fact, match }) => match !== "same" && isRootsOwn(fact));
  const own = accessAt("/", knowledge);
  if (own === undefined || own.uid === 0) return;
  const asRoot = 'Add become: "root" to the task or the play';
  const actor: Actor = { name: user, uid: own.uid, groups: new Set(own.groups), hasGroupNumbers: true, asRoot };
  if (roots !== undefined) throw needsRoot(actor, roots);
  const made = new Map<string, Entry>();
  for (const step of steps) {
    if (step.user !== undefined && step.user !== user) {
      const act = `act as ${step.user}, which only root may do (${describeStep(step)})`;
      throw notAllowed(actor, "needs-root", act, { hint: `${asRoot}, or leave out the user` });
    }
    if (!isFileStep(step)) continue;
    const now = foundAt(facts, step.path);
    const found = entryIn(now ?? knowledge.lookup(fileAt(step.path))?.value);
    const there = found === absent ? undefined : found;
    const parent = parentOf(step.path);
    const own = made.get(parent);
    const place = own ? placeOf(actor, parent, own) : placeAbove(actor, step.path, knowledge);
    requireStepRights(actor, step, there, place);
    const after = directoryAfter(step, there);
    if (after) made.set(step.path, after);
  }
}

/** True if a task acts as the session's user, and that user is not root. */
export function actsAsSession({ become }: Pick<PlannedTask, "become">, user: string | undefined): user is string {
  return user !== undefined && user !== "root" && (become ?? user) === user;
}

/**
 * The user's rights in the directory of a path. If an earlier task creates or changes that directory, its predicted
 * mode decides instead of the kernel's answer.
 */
function placeAbove(actor: Actor, path: string, knowledge: Knowledge): Place | undefined {
  const parent = parentOf(path);
  const foreseen = knowledge.lookup(fileAt(parent));
  if (foreseen?.by !== undefined && foreseen.value !== absent) {
    const entry: Entry | typeof absent | undefined = entryIn(foreseen.value);
    return typeof entry === "object" ? placeOf(actor, parent, entry) : undefined;
  }
  const access = accessAt(path, knowledge);
  return access && knowledge.lookup(fileAt(access.at))?.by === undefined ? access : undefined;
}

function isRootsOwn(fact: Bound["fact"]): boolean {
  return !isControllerFact(fact) && rootOnlyKinds.has(fact.kind) && !delegable.has(fact.kind);
}

function needsRoot(actor: Actor, { fact, id }: Bound): FurrowError {
  const or = isControllerFact(fact) ? undefined : rootlessHints[fact.kind];
  const hint = or && `${or.charAt(0).toUpperCase()}${or.slice(1)}, or add become: "root" to the task or the play`;
  return notAllowed(actor, "needs-root", `change ${id}: only root is`, hint === undefined ? {} : { hint });
}
