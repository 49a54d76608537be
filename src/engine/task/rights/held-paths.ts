import type { Access } from "../../../core/facts/access.ts";
import type { Bound } from "../../../core/authoring/evaluate.ts";
import { FurrowError } from "../../../core/errors.ts";
import { factId, type FactPattern, type HostFact, namesFact } from "../../../core/facts/fact.ts";
import { isKind } from "../../../core/facts/kind.ts";
import { parentOf } from "../../../core/facts/parent.ts";
import { absent } from "../../../core/facts/symbols.ts";
import { describeStep, shellQuote, type Step } from "../../../core/host/step.ts";
import type { Knowledge } from "../../host/knowledge.ts";
import { directoriesAbove, fileAt } from "../../plan/parent-directories.ts";
import type { PlannedTask } from "../../plan/plan.ts";
import type { AttemptResult } from "../task-context.ts";
import { accessAt, removableAt, removedTrees, writtenPaths } from "./asked-rights.ts";

/** An obstacle that stops a step even if root performs it. */
export interface Hold {
  /** The path where the obstacle is: the step's own path, or one above or below it. */
  readonly at: string;
  readonly current: string;
  readonly hint: string;
  /** True if a task can remove the obstacle by changing the file at `at`; false if only a mount or unmount can. */
  readonly isFiles: boolean;
}

/** What is known about a host, and the user of its session. */
interface Known {
  readonly knowledge: Knowledge;
  readonly user: string | undefined;
}

/**
 * Check mode: throws E_STEP if the kernel would not let anyone perform a step, not even root: the path or its directory
 * has an attribute that protects it, is a mount point, or shows the kernel's own data. Instead of throwing, returns the
 * earlier task that may remove the obstacle, if there is one.
 */
export function requireUnheld(
  task: PlannedTask,
  facts: readonly Bound[],
  steps: readonly Step[],
  disturbs: readonly FactPattern[],
  host: Known,
): AttemptResult["dependsOn"] {
  const { knowledge } = host;
  for (const { step, hold } of holdsOf(task, facts, steps, host)) {
    const means = factsOf(hold);
    // The task itself may remove the obstacle.
    if (means.some((fact) => namesFact(disturbs, factId(fact)))) continue;
    for (const fact of means) {
      const by = changedBy(fact, knowledge);
      if (by !== undefined) return { task: by, facts: [factId(fact)] };
    }
    throw new FurrowError("E_STEP", {
      what: `${describeStep(step)} would fail`,
      current: hold.current,
      hint: hold.hint,
    });
  }
  return undefined;
}

/** The obstacles to steps, according to what is known about the host. */
export function holdsOf(
  task: PlannedTask,
  facts: readonly Bound[],
  steps: readonly Step[],
  { knowledge, user }: Known,
): readonly { readonly step: Step; readonly hold: Hold }[] {
  const holds = writtenPaths(steps).flatMap(({ step, path }) => {
    const access = accessAt(path, knowledge);
    const isOwn = (step.user ?? task.become ?? user) === user;
    const hold = access && holdOf(step, path, access, { isOwn, isInNew: isForeseen(parentOf(path), knowledge) });
    return hold ? [{ step, hold }] : [];
  });
  const below = removedTrees(task, facts, steps, user).flatMap(({ step, user: as, path }) => {
    const held = removableAt(as, path, knowledge)?.held;
    return held === undefined ? [] : [{ step, hold: attribute(held, "immutable or append-only", "-ia") }];
  });
  return [...holds, ...below];
}

/**
 * The obstacle to a step at a path, if there is one. `isOwn`: the session's user performs it. `isInNew`: an earlier
 * task creates or changes the directory of the path, so the answer about that directory is out of date.
 */
function holdOf(
  step: Step,
  path: string,
  access: Access,
  { isOwn, isInNew }: { readonly isOwn: boolean; readonly isInNew: boolean },
): Hold | undefined {
  if (access.is !== undefined) return attribute(path, access.is);
  if (step.step === "setAttributes") return undefined;
  if (access.mounted && step.step !== "makeDirectory") {
    const hint = "Unmount it first, or change the file that is mounted there";
    return { at: path, current: `${path} is a mount point`, hint, isFiles: false };
  }
  if (isInNew) return undefined;
  const { at } = access;
  if (access.kernel !== undefined) {
    const hint = "Set kernel parameters with sysctl, or write to the kernel's file with a command";
    return { at, current: `${at} is on ${access.kernel}`, hint, isFiles: false };
  }
  if (access.file) {
    const hint = "Correct the path, or remove what is in the directory's place";
    return { at, current: `${at} is not a directory`, hint, isFiles: true };
  }
  // An append-only directory accepts new entries but no renames, so furrow can create directories in it but not files,
  // which are renamed into place.
  const isAppend = access.in === "append-only" && (step.step === "makeDirectory" || step.step === "run");
  if (access.in !== undefined && !isAppend) return attribute(at, access.in);
  // A file server may deny root a write that it allows another user.
  if (!isOwn || access.uid !== 0 || access.write) return undefined;
  const hint = "Find out why: an attribute, a file server's rules, or a container without CAP_DAC_OVERRIDE";
  return { at, current: `root is not allowed to write in ${at}`, hint, isFiles: true };
}

function attribute(at: string, name: string, sign = name === "immutable" ? "-i" : "-a"): Hold {
  const hint = `Remove the attribute first: chattr ${sign} ${shellQuote(at)}`;
  return { at, current: `${at} is ${name}`, hint, isFiles: true };
}

/** True if an earlier task creates or changes the directory, so the host's answer about it is out of date. */
function isForeseen(directory: string, knowledge: Knowledge): boolean {
  const known = knowledge.lookup(fileAt(directory));
  return known?.by !== undefined && known.value !== absent;
}

/** The facts whose change may remove the obstacle. */
function factsOf({ at, isFiles }: Hold): HostFact<unknown>[] {
  const points = [at, ...directoriesAbove(at).toReversed()];
  const mounts = points.map((key) => ({ kind: "mount", key, facets: [] }));
  return isFiles ? [fileAt(at), ...mounts] : mounts;
}

/** The earlier task that may have changed a fact. */
function changedBy(fact: HostFact<unknown>, knowledge: Knowledge): string | undefined {
  const ids = [fact, knowledge.names.fact(fact)].map(factId);
  const declared = ids.map((id) => knowledge.names.disturbances.lastOf(id)).find((task) => task !== undefined);
  return declared ?? (isKind(fact.kind) ? knowledge.lookup(fact)?.by : undefined);
}
