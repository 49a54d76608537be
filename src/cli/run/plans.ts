import type { TaskCall } from "../../core/authoring/call.ts";
import { FurrowError, isFurrowError, type Where } from "../../core/errors.ts";
import type { Play } from "../../core/authoring/playbook.ts";
import { Ref } from "../../core/authoring/ref.ts";
import { together } from "../../core/wrong-calls.ts";
import { unreadFacts } from "../../engine/plan/host-facts.ts";
import { refuseUnlistedAnywhere } from "../../engine/plan/uses/listed.ts";
import type { Planned, PlannedTask } from "../../engine/plan/plan.ts";
import { refuseUnknownHosts } from "../../engine/plan/unknown-hosts.ts";
import { planPlay, playHosts } from "../../engine/plan/plan-play.ts";
import type { RunRequest } from "../../engine/plan/request.ts";
import { userFrame } from "../../load/playbook/compile-error.ts";
import { meantTask, type WrongTask } from "../../load/playbook/meant.ts";

/** The plan of a play for one of its hosts. */
export interface HostPlan {
  readonly host: string;
  /** `facts-needed`: the tasks depend on facts about the host. */
  readonly plan: Planned[] | "facts-needed";
}

/** A play with its plan for each host, as far as the plan can be known without connecting. */
export interface PlayPlan {
  readonly play: Play<never>;
  readonly name: string;
  /** The plans of the hosts; undefined if an earlier task creates the hosts. */
  readonly hosts: readonly HostPlan[] | undefined;
}

/** Calls the `tasks` function of every play for every host. Throws one FurrowError that covers all errors. */
export function planAll(request: RunRequest): PlayPlan[] {
  const wrong: FurrowError[] = [];
  const plays = request.playbook.plays.map((play, index): PlayPlan => {
    const name = play.name ?? (typeof play.hosts === "string" ? play.hosts : `play ${index + 1}`);
    if (play.hosts instanceof Ref) return { play, name, hosts: undefined };
    const hosts = request.hostsOf(play);
    const seen = playHosts(hosts);
    return {
      play,
      name,
      hosts: hosts.flatMap((host) => {
        try {
          return [{ host: host.name, plan: planPlay(request, play, seen, host, unreadFacts) }];
        } catch (error) {
          const failure = playFailure(error, name, host.name);
          if (!isFurrowError(failure)) throw failure;
          wrong.push(failure);
          return [];
        }
      }),
    };
  });
  if (wrong.length > 0) throw together(wrong, process.cwd());
  const plans = plansMade(plays);
  refuseUnlistedAnywhere(request, plays, plans);
  refuseUnknownHosts(request, plays, plans);
  return plays;
}

/** Turns an error thrown by a play's own code into a playbook error with the line that caused it. */
function playFailure(error: unknown, play: string, host: string): unknown {
  if (isFurrowError(error)) return error;
  if (!(error instanceof Error)) {
    return new FurrowError("E_PLAYBOOK", {
      what: `the play ${play} threw ${String(error)} instead of an Error while it listed its tasks`,
      where: { host, play },
      hint: "Throw an Error, which has a message and a line",
      cause: error,
    });
  }
  const source = userFrame(error);
  if (source === undefined) return error;
  const task = error instanceof TypeError ? meantTask(error.message) : undefined;
  if (task !== undefined) return noSuchTask(task, { host, play, source });
  return new FurrowError("E_PLAYBOOK", {
    what: `the play ${play} threw ${error.name} while it listed its tasks`,
    where: { host, play, source },
    current: error.message,
    hint: "Correct that line; a play's function must return a list of tasks for every host",
    cause: error,
  });
}

function noSuchTask({ wrong, hint }: WrongTask, where: Where): FurrowError {
  return new FurrowError("E_PLAYBOOK", {
    what: `furrow has no task "${wrong}"`,
    where,
    hint,
  });
}

/** Returns the plans of plays and hosts in the form that the engine needs. */
export function plansMade(plays: readonly PlayPlan[]): NonNullable<RunRequest["plans"]> {
  return new Map(
    plays.map(({ play, hosts }) => [
      play,
      new Map(hosts?.flatMap(({ host, plan }) => (plan === "facts-needed" ? [] : [[host, plan] as const]))),
    ]),
  );
}

/** Returns all tasks in a plan, including those that run only after a failure. */
export function allTasks(plan: readonly Planned[]): PlannedTask[] {
  return plan.flatMap((node) => {
    if (node.node === "task") return [node];
    if (node.node === "composite") return [];
    return [node.children, node.rescue ?? [], node.always ?? []].flatMap(allTasks);
  });
}

/** Returns all calls to task modules in these plays. */
export function allCalls(plays: readonly PlayPlan[]): TaskCall[] {
  return plays
    .flatMap(({ hosts }) => hosts ?? [])
    .flatMap(({ plan }) => (plan === "facts-needed" ? [] : allTasks(plan)))
    .map(({ call }) => call);
}
