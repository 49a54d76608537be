import { canonical } from "../../core/facts/compare.ts";
import { type Fact, factId } from "../../core/facts/fact.ts";
import type { NewHost } from "../../core/inventory/inventory.ts";
import type { HostFacts, Play, PlayHost } from "../../core/authoring/playbook.ts";
import type { OutputLookup } from "../../core/authoring/ref.ts";
import { forgettable } from "../../core/secrets/secret.ts";
import { FurrowError, isFurrowError } from "../../core/errors.ts";
import { thrownAt } from "../../core/authoring/position.ts";
import { userFailure } from "../../core/authoring/user-code.ts";
import { questionsAhead } from "../ahead/read-ahead.ts";
import { upcomingTasks } from "../plan/upcoming-tasks.ts";
import { hostFactsQuestion } from "../plan/host-facts.ts";
import type { Host } from "../host/host.ts";
import type { Planned, PlannedTask } from "../plan/plan.ts";
import { planPlay } from "../plan/plan-play.ts";
import { readFacts } from "../host/read-facts.ts";
import type { RunHost, RunRequest } from "../plan/request.ts";

/** A play on a host whose plan depends on the host's facts. */
export interface OpenPlay {
  readonly request: RunRequest;
  readonly play: Play<never>;
  /** The play's hosts, as its `tasks` function sees them. */
  readonly seen: readonly PlayHost[];
  readonly host: RunHost;
  /** The host with the session that the play uses. */
  readonly target: Host;
  readonly lookup: OutputLookup;
  readonly signal: AbortSignal;
  /**
   * Returns whether a task's facts may be read now; undefined if too much time will pass before the play's tasks run.
   */
  readonly ahead: ((task: PlannedTask) => boolean) | undefined;
}

/**
 * Plans a play whose `tasks` function uses the facts of its host. Reads these facts. If facts from an earlier run are
 * remembered, also makes a plan with the older facts, and reads the facts of that plan's tasks in the same frame. If
 * the new facts differ, plans again. Throws FurrowError.
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
  const plan = planned(open, facts);
  if (plan === "facts-needed") throw new FurrowError("E_BUG", { what: "facts are needed again" });
  return plan;
}

/** Plans the play. An error in the user's code becomes FurrowError E_PLAYBOOK, with the line of the error. */
function planned({ request, play, seen, host }: OpenPlay, facts: HostFacts): Planned[] | "facts-needed" {
  try {
    return planPlay(request, play, seen, host, facts);
  } catch (error) {
    const isOurs = isFurrowError(error) || (error instanceof Error && thrownAt(error) === undefined);
    if (isOurs) throw error;
    const name = play.name ?? (typeof play.hosts === "string" ? play.hosts : "a play");
    throw userFailure(`the \`tasks\` function of ${name}`, error).at({ host: host.name });
  }
}

interface Guess {
  readonly plan: Planned[];
  readonly questions: readonly Fact[];
  /** Hosts that the plan names but that are not registered yet. */
  readonly newHosts: readonly NewHost[];
  /** Forgets the secrets that the `tasks` function created. */
  readonly forget: () => void;
}

/**
 * The plan made with these facts, and the questions of its tasks; undefined if the `tasks` function fails with these
 * facts.
 */
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
      const tasks = [...upcomingTasks({ nodes: plan, at: 0, next: undefined }, lookup)].filter(
        (task) => task !== "border" && task.target === host.name && ahead?.(task) === true,
      );
      return { plan, questions: questionsAhead(tasks as PlannedTask[], target.knowledge, lookup, target.user) };
    } catch {
      // The function may succeed with the real facts. If the function fails again with the real facts, that error is
      // reported.
      return undefined;
    }
  });
  if (value === undefined) forget();
  return value && { ...value, newHosts, forget };
}
