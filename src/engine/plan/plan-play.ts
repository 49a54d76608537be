import { withCallsMade } from "../../core/authoring/call.ts";
import { listTasks } from "../../core/authoring/position.ts";
import { FurrowError, isFurrowError } from "../../core/errors.ts";
import { guardContext, guardFacts, guardHost } from "../../core/guarded/play.ts";
import type { Group, Node } from "../../core/authoring/group.ts";
import { withWrongCalls } from "../../core/wrong-calls.ts";
import type { NewHost } from "../../core/inventory/inventory.ts";
import type { HostFacts, Play, PlayHost } from "../../core/authoring/playbook.ts";
import { checkConflicts } from "./conflicts/conflicts.ts";
import { NeedsFacts, unreadFacts } from "./host-facts.ts";
import { noteListed, refuseUnlisted } from "./listed.ts";
import { checkCalls, type Planned, planNodes, labelOf } from "./plan.ts";
import type { BodyContext, RunHost, RunRequest } from "./request.ts";
import { selectTasks, startAt, tagsIn, titlesOf } from "./select.ts";

/** The hosts as a play sees them. The result is cached per list, so it is created once for all hosts in a play. */
export function playHosts(hosts: readonly RunHost[]): readonly PlayHost[] {
  const known = seenHosts.get(hosts);
  if (known) return known;
  const seen = hosts.map(({ name, address, groups }, index) => guardHost({ name, address, groups, index }));
  seenHosts.set(hosts, seen);
  return seen;
}
const seenHosts = new WeakMap<readonly RunHost[], readonly PlayHost[]>();

/** The host with that name. Uses an index, so that planning all hosts takes linear time. */
function namedAmong(hosts: readonly PlayHost[], name: string): PlayHost | undefined {
  const known = byName.get(hosts) ?? new Map(hosts.map((host) => [host.name, host]));
  byName.set(hosts, known);
  return known.get(name);
}
const byName = new WeakMap<readonly PlayHost[], ReadonlyMap<string, PlayHost>>();

/**
 * Plans one play for one host: calls the play's `tasks` function, checks params, refuses conflicts and applies tags.
 * Returns `facts-needed` if the function uses facts that have not been read yet. Throws FurrowError.
 */
export function planPlay(
  request: RunRequest,
  play: Play<never>,
  hosts: readonly PlayHost[],
  host: RunHost,
  facts: HostFacts,
): Planned[] | "facts-needed" {
  const seen = namedAmong(hosts, host.name);
  if (!seen) throw new FurrowError("E_BUG", { what: `host ${host.name} is not in its own play` });
  const where = {
    host: host.name,
    playbook: request.playbook.name,
    ...(play.name !== undefined && { play: play.name }),
  };
  try {
    const context = guardContext<BodyContext>({
      host: seen,
      hosts,
      vars: request.varsOf(host),
      facts: facts === unreadFacts ? facts : guardFacts(facts),
    });
    const setting = { target: host.name, path: [], tags: play.tags ?? [], when: [], become: undefined };
    const list = (): Planned[] => {
      const nodes = listTasks(() => play.tasks(context as never));
      if (!Array.isArray(nodes)) throw noList(nodes);
      for (const entry of newHosts(nodes)) request.newHost(entry);
      return planNodes(nodes, setting, "");
    };
    // Reports all wrong calls at once. If the `tasks` function throws, only the calls it has made so far are checked.
    const { value: plan, made } = withWrongCalls(() => withCallsMade(list, checkCalls));
    noteListed(plan);
    // A call that was made while this function ran cannot be listed anywhere else.
    refuseUnlisted(plan, (call) => made.has(call));
    checkConflicts(plan, request);
    request.tagsSeen?.(tagsIn(plan));
    return selectTasks(plan, request.selection ?? { tags: [], skipTags: [] });
  } catch (error) {
    if (error instanceof NeedsFacts) return "facts-needed";
    throw isFurrowError(error) ? error.at(where) : error;
  }
}

/** Hosts that `nested` names; they are registered so that furrow can connect to them by name. */
function newHosts(nodes: readonly Node[]): NewHost[] {
  return nodes.flatMap((node): NewHost[] => {
    if (!node) return [];
    if (Array.isArray(node)) return newHosts(node as readonly Node[]);
    const group = node as Group;
    if (group.node !== "group") return [];
    const { rescue = [], always = [] } = group.options;
    return [...(group.entry ? [group.entry] : []), ...newHosts([group.children, rescue, always])];
  });
}

/** Applies `--start-at`: removes the tasks before the named one. */
export class StartAt {
  readonly #title: string | undefined;
  #found: boolean;

  constructor(title: string | undefined) {
    this.#title = title;
    this.#found = title === undefined;
  }

  get found(): boolean {
    return this.#found;
  }

  /** The plans of one play, by host, from the named task on. Plans of earlier plays become empty. */
  cut(plans: ReadonlyMap<string, Planned[]>): Map<string, Planned[]> {
    if (this.#found || this.#title === undefined) return new Map(plans);
    const title = this.#title;
    const cut = new Map(
      [...plans].map(([host, plan]) => [host, startAt(plan, title, (task) => titlesOf(labelOf(task, host)))]),
    );
    if ([...cut.values()].some((plan) => plan !== undefined)) this.#found = true;
    return new Map([...cut].map(([host, plan]) => [host, plan ?? []]));
  }
}

function noList(given: unknown): FurrowError {
  return new FurrowError("E_PLAYBOOK", {
    what: "the function `tasks` of a play did not return a list of tasks",
    current: given === null ? "null" : typeof given,
    expected: 'a list, such as [t.file({ path: "/etc/motd" })]',
    hint: "Return a list: `tasks: () => [...]`, or `return [...]` in a function with braces",
  });
}
