import type { Bound } from "../../../core/authoring/evaluate.ts";
import { isControllerFact } from "../../../core/facts/fact.ts";
import type { DriverLookup } from "../../../core/host/driver.ts";
import type { Knowledge } from "../../host/knowledge.ts";
import type { Step } from "../../../core/host/step.ts";

/** The settings and functions needed to rehearse steps. */
interface Asking {
  readonly drivers: DriverLookup;
  readonly signal: AbortSignal;
  /** The host that the steps act on. */
  readonly host: { readonly knowledge: Knowledge };
}

/** True if one of the steps is a call that its driver can rehearse. */
export async function canRehearse(steps: readonly Step[], { drivers }: Pick<Asking, "drivers">): Promise<boolean> {
  for (const step of steps) {
    if (step.step === "call" && (await drivers(step.driver)).rehearse !== undefined) return true;
  }
  return false;
}

/**
 * Rehearses the calls among the steps, in order: asks the service that performs them whether it would accept them. For
 * a fetch, asks whether the copy can be written on the controller. Only tasks that change a controller fact have such
 * steps. Throws the FurrowError of the first step that would be refused. Returns a note for each call that cannot be
 * rehearsed yet, and a single note if the calls themselves are not known yet.
 */
export async function rehearseSteps(
  facts: readonly Bound[],
  steps: () => readonly Step[],
  { drivers, signal, host }: Asking,
): Promise<readonly string[]> {
  if (!facts.some(({ fact, match }) => match !== "same" && isControllerFact(fact))) return [];
  const notes: string[] = [];
  const planned = steps();
  if (planned.length === 0 && (await someCanRehearse(facts, drivers))) {
    notes.push("not known in advance: the calls depend on a value that is known only during the run");
  }
  for (const step of planned) {
    if (step.step === "fetch") await (await drivers("file")).read({ path: step.to, writable: true }, signal);
    if (step.step !== "call") continue;
    const driver = await drivers(step.driver);
    const open = await driver.rehearse?.(step.request, signal, host.knowledge.controller.planned(step));
    if (open !== undefined) notes.push(`not known in advance: ${step.label} (${open})`);
  }
  return notes;
}

/** True if one of the facts that will change belongs to a driver that can rehearse its calls. */
async function someCanRehearse(facts: readonly Bound[], drivers: DriverLookup): Promise<boolean> {
  for (const { fact, match } of facts) {
    if (match === "differs" && isControllerFact(fact) && (await drivers(fact.driver)).rehearse !== undefined)
      return true;
  }
  return false;
}
