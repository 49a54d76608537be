import { FurrowError } from "../../../core/errors.ts";
import type { OnceCall, OnceOutputs } from "../../plan/once-calls.ts";
import type { Output } from "../../plan/outputs.ts";

/** Waits without occupying one of the run's forks. */
export type WaitWithoutFork = <T>(until: Promise<T>) => Promise<T>;

/** A once() group and its state, shared by all hosts in a play. */
interface Shared extends OnceCall {
  state: "open" | "running" | "done" | "failed";
  /** The host that runs or ran the group. */
  owner: string | undefined;
  outputs: OnceOutputs;
  changed: Promise<void>;
  tell: () => void;
}

/** A host that is running its list: the groups in the list, and the group it waits for. */
interface Place {
  readonly keys: ReadonlySet<string>;
  /** The group that the host waits for. */
  waits: Shared | undefined;
}

/**
 * Groups in a play that run on one host while the other hosts wait. Which host runs a group does not depend on which
 * host arrives first: it is the first of the given hosts that has the group in its list and has not failed before
 * reaching it. Waiting hosts do not occupy a fork.
 */
export class OnceGroups {
  readonly #groups = new Map<string, Shared>();
  /** The hosts that are working through their task lists. */
  readonly #places = new Map<string, Place>();
  /** The reason why a host will not run a group, by group and host. */
  readonly #passed = new Map<string, Map<string, string>>();
  readonly #gone = new Set<string>();

  /**
   * Records that a host begins its list, which contains these groups. Every host in a batch must enter before the first
   * of them begins its list.
   */
  enter(host: string, keys: Iterable<string>): void {
    this.#places.set(host, { keys: new Set(keys), waits: undefined });
  }

  /** Records that a host has finished or failed, so it runs no further groups. */
  leave(host: string): void {
    this.#places.delete(host);
    this.#gone.add(host);
    for (const group of this.#groups.values()) notify(group);
  }

  /** Records that a host has passed these groups without running them. */
  pass(host: string, keys: Iterable<string>, why: string): void {
    for (const key of keys) {
      const passed = this.#passed.get(key) ?? new Map<string, string>();
      if (!passed.has(host)) this.#passed.set(key, passed.set(host, why));
      for (const group of this.#groups.values()) if (isWithin(group.key, key)) notify(group);
    }
  }

  /**
   * Runs `act` if `host` is the host that must run the group; otherwise waits for that host. Returns the outputs of the
   * group's tasks. Throws what `act` throws. On the other hosts, throws FurrowError E_STEP if the group failed or no
   * host could run it, and E_PLAYBOOK if hosts wait for each other.
   */
  async run(
    call: OnceCall,
    host: string,
    act: () => Promise<OnceOutputs>,
    rest: WaitWithoutFork,
  ): Promise<OnceOutputs> {
    const group = this.#groups.get(call.key) ?? open(call);
    this.#groups.set(call.key, group);
    const place = this.#places.get(host);
    try {
      for (;;) {
        if (group.state === "done") return group.outputs;
        if (group.state === "failed") throw notDone(group, [`it failed on ${group.owner}`]);
        const chosen = this.#chosen(group);
        if (chosen === undefined) throw notDone(group, this.#whyNobody(group));
        if (chosen === host) return await perform(group, host, act);
        if (place) place.waits = group;
        this.#refuseCircle(host);
        await rest(group.changed);
      }
    } finally {
      if (place) place.waits = undefined;
    }
  }

  #chosen({ key, hosts, owner }: Shared): string | undefined {
    return owner ?? hosts.find((host) => this.#place(host, key) && this.#whyPassed(host, key) === undefined);
  }

  /** The reason why the host will not run the group, or the composite that may contain it. */
  #whyPassed(host: string, key: string): string | undefined {
    for (const [passed, hosts] of this.#passed) if (isWithin(key, passed) && hosts.has(host)) return hosts.get(host);
    return undefined;
  }

  /** The host's entry, if its list contains the group, or a composite that may contain the group. */
  #place(host: string, key: string): Place | undefined {
    const place = this.#places.get(host);
    return [...(place?.keys ?? [])].some((known) => isWithin(key, known)) ? place : undefined;
  }

  #whyNobody({ key, hosts }: Shared): string[] {
    return hosts.map((host) => {
      const passed = this.#whyPassed(host, key);
      if (passed !== undefined) return `${host} ${passed}`;
      if (this.#gone.has(host)) return `${host} failed or ended before the group`;
      return this.#places.has(host) ? `${host} does not list the group` : `${host} is not in this play or batch`;
    });
  }

  /** Throws if the waiting hosts wait for each other. */
  #refuseCircle(host: string): void {
    const chain = [host];
    for (;;) {
      const waits = this.#places.get(chain.at(-1) ?? "")?.waits;
      // A host whose group has ended, and that waits only for a fork, does not wait for another host.
      const next = waits && isOpen(waits) ? this.#chosen(waits) : undefined;
      if (next === undefined) return;
      chain.push(next);
      if (next === host) break;
      if (chain.length > this.#places.size + 1) return;
    }
    throw new FurrowError("E_PLAYBOOK", {
      what: `the hosts of several once() groups wait for each other: ${chain.join(" waits for ")}`,
      hint: "List the groups in the same order on every host",
    });
  }
}

/** True if both are the same group, or if `other` is a composite that contains the group. */
function isWithin(key: string, other: string): boolean {
  return key === other || key.startsWith(`${other}\n`);
}

function isOpen({ state }: Shared): boolean {
  return state === "open" || state === "running";
}

async function perform(group: Shared, host: string, act: () => Promise<OnceOutputs>): Promise<OnceOutputs> {
  group.owner = host;
  group.state = "running";
  try {
    group.outputs = await act();
    group.state = "done";
    return group.outputs;
  } catch (error) {
    group.state = "failed";
    throw error;
  } finally {
    notify(group);
  }
}

function open(call: OnceCall): Shared {
  const group = { ...call, state: "open", owner: undefined, outputs: new Map<string, Output>() } as const;
  const shared: Shared = { ...group, changed: Promise.resolve(), tell: () => {} };
  renew(shared);
  return shared;
}

function renew(group: Shared): void {
  group.changed = new Promise((resolve) => (group.tell = resolve));
}

function notify(group: Shared): void {
  group.tell();
  renew(group);
}

function notDone({ owner, hosts, source }: Shared, details: readonly string[]): FurrowError {
  const who = owner ?? hosts.join(", ");
  return new FurrowError("E_STEP", {
    what: `the once() group ${who === "" ? "without hosts" : `on ${who}`} was not completed`,
    ...(source !== undefined && { where: { source } }),
    details: who === "" ? ["once() lists no host"] : details,
    hint: owner === undefined ? "List a host from this play in once()" : `Fix the failure on ${owner} and rerun`,
  });
}
