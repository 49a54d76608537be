import type { Bound } from "../../../core/authoring/evaluate.ts";
import { FurrowError } from "../../../core/errors.ts";
import { type HostFact, isControllerFact } from "../../../core/facts/fact.ts";
import { isKind } from "../../../core/facts/kind.ts";
import { parentOf } from "../../../core/facts/parent.ts";
import type { Step } from "../../../core/host/step.ts";
import { isRecord } from "../../../core/facts/symbols.ts";
import type { AttemptContext } from "../task-context.ts";
import { fileAt, isFile } from "../../plan/parent-directories.ts";
import type { PlannedTask } from "../../plan/plan.ts";
import { entryIn } from "./file-permission.ts";
import { readFacts } from "../../host/read-facts.ts";
import { privilegePrograms, rootlessHints, rootOnlyKinds } from "./user-rights.ts";

/** Kinds of facts that polkit may let a user other than root change. */
const delegable: ReadonlySet<string> = new Set(["unit", "hostname"]);

/**
 * Check mode, in a session of a user other than root: throws E_REFUSED if that user is not allowed to perform the
 * steps. The check asks the kernel, so access control lists and read-only file systems are taken into account. A run
 * does not need the check, because the steps would fail there.
 */
export async function requireSessionRights(
  task: PlannedTask,
  facts: readonly Bound[],
  steps: () => readonly Step[],
  { host, drivers, signal, hostIsMissing, simulation }: AttemptContext,
): Promise<void> {
  const { user } = host;
  if (user === undefined || user === "root" || (task.become ?? user) !== user) return;
  if (hostIsMissing || simulation || !isKind("access")) return;
  const own = steps().filter((step) => (step.user ?? user) === user);
  if (own.some((step) => step.step === "run" && privilegePrograms.has(step.argv[0] ?? ""))) return;
  const roots = facts.find(({ fact, match }) => match !== "same" && isRootsOwn(fact));
  const paths = own.flatMap((step) => ("path" in step && step.step !== "fetch" ? [{ step, path: step.path }] : []));
  if (roots === undefined && paths.length === 0) return;
  const asked = ["/", ...paths.map(({ path }) => parentOf(path))].map(accessTo);
  const open = asked.filter((fact) => host.knowledge.lookup(fact) === undefined);
  if (open.length > 0) await readFacts(open, host, drivers, signal);
  if (accessOf("/")?.root !== false) return;
  if (roots !== undefined) throw needsRoot(user, roots);
  for (const { step, path } of paths) {
    const now = entryIn(facts.find(({ fact }) => isFile(fact) && fact.key === path)?.now);
    if (step.step === "setAttributes") {
      if (typeof now === "object" && now.owner !== user) {
        throw refusal(user, "not-the-owner", `set attributes of ${path}`, `${now.type} of ${now.owner}`);
      }
      continue;
    }
    const found = accessOf(parentOf(path));
    if (found?.write === false && !isForeseen(found.at)) {
      throw refusal(user, "unwritable", `write in ${found.at}`);
    }
    if ("owner" in step && step.owner !== undefined && step.owner !== user && !/^\d+$/.test(step.owner)) {
      throw refusal(user, "not-the-owner", `give ${path} to ${step.owner}`);
    }
  }

  function accessOf(directory: string): { at: string; write: boolean; root: boolean } | undefined {
    const value = host.knowledge.lookup(accessTo(directory))?.value;
    return isRecord(value) ? (value as never) : undefined;
  }

  /** True if an earlier task changes the directory and so may give access to it. */
  function isForeseen(directory: string): boolean {
    return host.knowledge.lookup(fileAt(directory))?.by !== undefined;
  }
}

function accessTo(directory: string): HostFact<unknown> {
  return { kind: "access", key: directory, facets: [] };
}

function isRootsOwn(fact: Bound["fact"]): boolean {
  return !isControllerFact(fact) && rootOnlyKinds.has(fact.kind) && !delegable.has(fact.kind);
}

function needsRoot(user: string, { fact, id }: Bound): FurrowError {
  const or = isControllerFact(fact) ? undefined : rootlessHints[fact.kind];
  const hint = or && `${or.charAt(0).toUpperCase()}${or.slice(1)}, or add become: "root" to the task or the play`;
  return refusal(user, "needs-root", `change ${id}: only root is`, undefined, hint);
}

const ordinaryHint = 'Add become: "root" to the task or the play, or change the owner or mode to permit it';

function refusal(user: string, code: string, act: string, current?: string, hint = ordinaryHint): FurrowError {
  return new FurrowError("E_REFUSED", {
    what: `the task acts as ${user}, who is not allowed to ${act}`,
    ...(current !== undefined && { current }),
    hint,
    details: [`refused: ${code}`],
  });
}
