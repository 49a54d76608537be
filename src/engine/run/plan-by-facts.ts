import { canonical } from "../../core/compare.ts";
import { type Fact, factId } from "../../core/fact.ts";
import type { NewHost } from "../../core/inventory.ts";
import type { HostFacts, Play, PlayHost } from "../../core/playbook.ts";
import type { OutputLookup } from "../../core/ref.ts";
import { forgettable } from "../../core/secret.ts";
import { FurrowError } from "../../core/errors.ts";
import { questionsAhead } from "../ahead/read-ahead.ts";
import { comingTasks } from "../plan/coming-tasks.ts";
import { hostFactsQuestion } from "../plan/host-facts.ts";
import type { Host } from "../host/host.ts";
import type { Planned, PlannedTask } from "../plan/plan.ts";
import { planPlay } from "../plan/plan-play.ts";
import { readFacts } from "../host/read-facts.ts";
import type { RunHost, RunRequest } from "../plan/request.ts";

/** A play on a host whose plan waits for the host's facts. */
export interface OpenPlay {
  readonly request: RunRequest;
  readonly play: Play<never>;
  /** The play's hosts as its body sees them. */
  readonly seen: readonly PlayHost[];
  readonly host: RunHost;
  /** The host as the play reaches it. */
  readonly target: Host;
  readonly lookup: OutputLookup;
  readonly signal: AbortSignal;
  /** Which tasks' facts may be read now; undefined where their turn is too far off. */
  readonly ahead: ((task: PlannedTask) => boolean) | undefined;
}

/**
 * The plan of a play whose body looks at the facts of its host. They are read; where the last run has left some, so is,
 * in the same frame, what the tasks ask that follow from those. A wrong guess has asked for too much or too little, and
 * the plan is made again. Throws FurrowError.
 */
export async function planByFacts(open: OpenPlay): Promise<Planned[]> {
  const { request, host, target, signal } = open;
  const last = open.ahead === undefined ? undefined : request.remembered?.get(host);
  const guess = last === undefined ? undefined : guessPlan(open, last, open.ahead);
  const questions = [hostFactsQuestion, ...(guess?.questions ?? [])];
  const errors = await readFacts(questions, target, request.drivers, signal);
  const error = errors.get(factId(hostFactsQuestion));
  if (error !== undefined) throw error;
  const facts = target.knowledge.lookup(hostFactsQuestion)?.value as HostFacts;
  const isRight = last !== undefined && canonical(last) === canonical(facts);
  if (!isRight) request.remembered?.set(host, facts);
  if (guess !== undefined && isRight) {
    for (const entry of guess.newHosts) request.newHost(entry);
    return guess.plan;
  }
  guess?.forget();
  const plan = planPlay(request, open.play, open.seen, host, facts);
  if (plan === "facts-needed") throw new FurrowError("E_BUG", { what: "facts are needed again" });
  return plan;
}

interface Guess {
  readonly plan: Planned[];
  readonly questions: readonly Fact[];
  /** Hosts that the plan names, of which nobody has heard yet. */
  readonly newHosts: readonly NewHost[];
  /** Forgets the secrets that its body has made. */
  readonly forget: () => void;
}

/** The plan as it would be with these facts, and what its tasks ask; undefined where the body cannot do with them. */
function guessPlan(
  { request, play, seen, host, target, lookup }: OpenPlay,
  facts: HostFacts,
  ahead: OpenPlay["ahead"],
): Guess | undefined {
  const newHosts: NewHost[] = [];
  const newHost = (entry: NewHost): RunHost => {
    newHosts.push(entry);
    return { name: entry.name, address: entry.name, groups: [], vars: {} };
  };
  const { value, forget } = forgettable(() => {
    try {
      const plan = planPlay({ ...request, newHost }, play, seen, host, facts);
      if (plan === "facts-needed") return undefined;
      const tasks = [...comingTasks({ nodes: plan, at: 0, next: undefined }, lookup)].filter(
        (task) => task !== "border" && task.target === host.name && ahead?.(task) === true,
      );
      return { plan, questions: questionsAhead(tasks as PlannedTask[], target.knowledge, lookup, target.user) };
    } catch {
      // With the facts that are read the same may go well; and what fails then is worth telling.
      return undefined;
    }
  });
  if (value === undefined) forget();
  return value && { ...value, newHosts, forget };
}
