import { withCallsMade } from "../../core/authoring/call.ts";
import { listTasks, thrownAt } from "../../core/authoring/position.ts";
import { FurrowError, isFurrowError } from "../../core/errors.ts";
import { frozenChange } from "../../core/guarded/guarded.ts";
import { guardContext, guardFacts, guardHost } from "../../core/guarded/play.ts";
import type { Group, Node } from "../../core/authoring/group.ts";
import { Ref } from "../../core/authoring/ref.ts";
import { watchedHosts } from "../../core/guarded/watched-hosts.ts";
import { withWrongCalls } from "../../core/wrong-calls.ts";
import type { NewHost } from "../../core/inventory/inventory.ts";
import type { HostFacts, Play, PlayHost } from "../../core/authoring/playbook.ts";
import { checkConflicts } from "./conflicts/conflicts.ts";
import { NeedsFacts, unreadFacts } from "./host-facts.ts";
import { refuseEndless } from "./nested-lists.ts";
import { noteListed, refuseLater, refuseUnlisted } from "./uses/listed.ts";
import { checkCalls, labelOf, type Planned, planNodes, type PlannedTask } from "./plan.ts";
import type { BodyContext, RunHost, RunRequest } from "./request.ts";
import { refuseUnknownOutputNames } from "./uses/output-names.ts";
import { closest } from "../../core/closest.ts";
import { selectTasks, startAt, tagsIn, titlesOf } from "./select.ts";

/** The hosts as a play sees them. The result is cached per list, so it is created once for all hosts in a play. */
export function playHosts(hosts: readonly RunHost[]): readonly PlayHost[] {
  const known = seenHosts.get(hosts);
  if (known) return known;
  const seen = hosts.map(({ name, address, groups, userFor, ssh = [address] }, index) =>
    // Without a login, as in tests, the user is root.
    guardHost({ name, address, user: userFor?.(undefined) ?? "root", ssh, groups, index }),
  );
  // Every call for the same hosts returns the same list.
  seenHosts.set(hosts, Object.freeze(seen));
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
      hosts: hostsForUser(request, play, hosts),
      // The hosts are determined only if the function uses them, because finding the addresses of many hosts takes
      // time.
      get allHosts() {
        return request.allHostsOf === undefined || play.hosts instanceof Ref
          ? hosts
          : playHosts(request.allHostsOf(play));
      },
      vars: request.varsOf(host),
      facts: facts === unreadFacts ? facts : guardFacts(facts),
    });
    const setting = { target: host.name, path: [], tags: play.tags ?? [], when: [], become: undefined };
    const list = (): Planned[] => {
      const nodes = listTasks(() => play.tasks(context as never));
      if (!Array.isArray(nodes)) throw noList(nodes);
      refuseEndless(nodes as readonly Node[]);
      for (const entry of newHosts(nodes)) request.newHost(entry);
      return planNodes(nodes, setting, "");
    };
    // Reports all wrong calls at once. If the `tasks` function throws, only the calls it has made so far are checked.
    const { value: plan, made } = withWrongCalls(() => withCallsMade(list, checkCalls));
    noteListed(plan, play);
    const selected = selectTasks(plan, request.selection ?? { tags: [], skipTags: [] });
    // A call that was made while this function ran cannot be listed anywhere else.
    refuseUnlisted(plan, (call) => made.has(call));
    refuseLater(plan, (call) => made.has(call), selected);
    refuseUnknownOutputNames(plan);
    checkConflicts(plan, request);
    request.tagsSeen?.(tagsIn(plan), play, host.name, selected.length > 0);
    return selected;
  } catch (error) {
    if (error instanceof NeedsFacts) return "facts-needed";
    if (isFurrowError(error)) {
      const { source } = request.playbook;
      // The call of `playbook()` is the closest known position for an error in a play's list.
      throw error.at({ ...where, ...(error.code === "E_PLAYBOOK" && source !== undefined && { source }) });
    }
    throw frozenChange(error, error instanceof Error ? thrownAt(error) : undefined)?.at(where) ?? error;
  }
}

/** The play's hosts; with a limit, reads of the list are reported. */
function hostsForUser(
  { isLimited, hostsRead }: RunRequest,
  play: Play<never>,
  hosts: readonly PlayHost[],
): readonly PlayHost[] {
  if (isLimited !== true || hostsRead === undefined || play.hosts instanceof Ref) return hosts;
  return watchedHosts(hosts, (source) => hostsRead(play, source));
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
  readonly #titles = new Set<string>();
  #found: boolean;
  #isComplete = true;

  constructor(title: string | undefined) {
    this.#title = title;
    this.#found = title === undefined;
  }

  /**
   * The plans of one play, by host, starting at the task that `--start-at` names. Plans of earlier plays become empty.
   * `hosts`: the number of hosts that need a plan; there are fewer plans if planning failed.
   */
  cut(plans: ReadonlyMap<string, Planned[]>, hosts = plans.size): Map<string, Planned[]> {
    if (this.#found || this.#title === undefined) return new Map(plans);
    const title = this.#title;
    if (plans.size < hosts) this.#isComplete = false;
    const cut = new Map(
      [...plans].map(([host, plan]) => {
        const namesOf = (task: PlannedTask): readonly string[] => {
          const label = labelOf(task, host);
          this.#titles.add(label.title);
          return titlesOf(label);
        };
        return [host, startAt(plan, title, namesOf)];
      }),
    );
    if ([...cut.values()].some((plan) => plan !== undefined)) this.#found = true;
    return new Map([...cut].map(([host, plan]) => [host, plan ?? []]));
  }

  /** Throws E_USAGE if all tasks are known and none of them has the name. */
  requireFound(): void {
    if (this.#found || this.#title === undefined || !this.#isComplete) return;
    const titles = [...this.#titles];
    const near = closest(this.#title, titles);
    throw new FurrowError("E_USAGE", {
      what: `no task is named "${this.#title}", so --start-at has nowhere to start`,
      ...(titles.length > 0 &&
        titles.length <= 12 && { expected: `one of ${titles.map((title) => `"${title}"`).join(", ")}` }),
      hint:
        near === undefined
          ? "Run a check without --start-at to see all names; * matches anything"
          : `Write --start-at "${near}"`,
    });
  }
}

function noList(given: unknown): FurrowError {
  if (given instanceof Promise) {
    given.catch(() => {});
    return new FurrowError("E_PLAYBOOK", {
      what: "a play's `tasks` function returned a promise instead of a list of tasks",
      current: "a promise",
      expected: "a function without `async`",
      hint: "Remove `async`: tasks must not be async; do slow work in a task",
    });
  }
  return new FurrowError("E_PLAYBOOK", {
    what: "a play's `tasks` function did not return a list of tasks",
    current: given === null ? "null" : typeof given,
    expected: 'a list, such as [t.file({ path: "/etc/motd" })]',
    hint: "Return a list: `tasks: () => [...]`, or `return [...]` in a function with braces",
  });
}
