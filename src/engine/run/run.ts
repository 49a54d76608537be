import type { FurrowError } from "../../core/errors.ts";
import type { Play } from "../../core/authoring/playbook.ts";
import type { BecomeOptions } from "../../core/inventory/inventory-entries.ts";
import { Ref } from "../../core/authoring/ref.ts";
import { knownAfterApply } from "../../core/facts/symbols.ts";
import { now } from "../../core/world.ts";
import { batchesOf, playStarted } from "./play-events.ts";
import { inParallel } from "./serial-batches.ts";
import { unreadFacts } from "../plan/host-facts.ts";
import { whyEnd, whyStop } from "./failure-limit.ts";
import { Failures } from "./failures.ts";
import type { Host } from "../host/host.ts";
import { Hosts } from "./hosts.ts";
import { OnceGroups } from "./once/once.ts";
import { callsIn, checkOnce, keysIn, type OnceCall, onceKeys } from "../plan/once-calls.ts";
import { Outputs } from "../plan/outputs.ts";
import { Paranoia } from "../task/paranoid.ts";
import { undoOfPlay } from "../task/ways/undo-of-play.ts";
import type { Inherited, Planned } from "../plan/plan.ts";
import { planByFacts } from "./plan-by-facts.ts";
import { refuseUnlistedAnywhere } from "../plan/uses/listed.ts";
import { NamedConflicts } from "../host/named-conflicts.ts";
import { planPlay, playHosts, StartAt } from "../plan/plan-play.ts";
import { refuseUnknownHosts, unknownHost } from "../plan/unknown-hosts.ts";
import { becomeOf, taskSession } from "./task-session.ts";
import { ownCpuMs, Tally } from "./recap.ts";
import type { RunHost, RunRequest, RunResult } from "../plan/request.ts";
import { type HostContext, HostRun } from "./run-host.ts";
import { Stopped } from "../task/stopped.ts";
import { Stopping } from "./stopping.ts";
import { type HostEnding, HostProgress } from "./host-progress.ts";

/**
 * Runs a playbook. Throws FurrowError for a wrong playbook, before any connection. Failures on hosts are reported in
 * the result and in the events.
 */
export async function runPlaybook(request: RunRequest): Promise<RunResult> {
  return new Run(request).all();
}

class Run {
  readonly #request: RunRequest;
  readonly #tally: Tally;
  readonly #hosts: Hosts;
  readonly #outputs = new Outputs();
  readonly #stopping: Stopping;
  readonly #failures = new Failures();
  readonly #progress = new HostProgress();
  readonly #seen = new Map<string, RunHost>();
  /** The hosts of each play; undefined if they come from an earlier task. */
  #playHosts: readonly (readonly RunHost[] | undefined)[] = [];
  /** Plans that needed no host facts, made before the first connection. */
  readonly #plans = new Map<Play<never>, ReadonlyMap<string, Planned[]>>();

  constructor(request: RunRequest) {
    this.#request = request;
    this.#tally = new Tally(request.sink);
    this.#stopping = new Stopping(request, (reason) => this.#tally.sink({ type: "runStopping", reason }));
    this.#hosts = new Hosts(
      (name, become, signal) => this.#connect(name, become, signal),
      (host) => ({
        connected: (durationMs) => this.#tally.sink({ type: "hostConnected", host, durationMs }),
        notice: (text, connection) =>
          this.#tally.sink({ type: "warning", host, text, ...(connection && { connection }) }),
      }),
    );
  }

  async #connect(
    name: string,
    become: BecomeOptions | undefined,
    signal: AbortSignal,
  ): ReturnType<RunRequest["connect"]> {
    const host = this.#seen.get(name) ?? this.#request.hostNamed(name);
    if (!host) throw unknownHost(name, this.#seen.keys());
    const failed = (error: FurrowError): void => this.#tally.sink({ type: "connectRetry", host: name, error });
    return this.#request.connect({ host, become, signal, stop: this.#stopping.signal, failed });
  }

  async all(): Promise<RunResult> {
    const { playbook, mode, run, version, startAt: title } = this.#request;
    const started = now();
    const hostsOf = (play: Play<never>) => (play.hosts instanceof Ref ? undefined : this.#admit(play));
    const plays = playbook.plays.map((play) => ({ play, hosts: hostsOf(play) }));
    this.#playHosts = plays.map(({ hosts }) => hosts);
    // Every plan that needs no facts is created now, so that a wrong param stops the run before any connection.
    for (const [index, { play, hosts }] of plays.entries()) {
      if (!hosts) continue;
      const made = new Map<string, Planned[]>();
      for (const host of hosts) {
        const known = this.#request.plans?.get(play)?.get(host.name);
        const plan = known ?? planPlay(this.#request, play, playHosts(hosts), host, unreadFacts);
        if (plan === "facts-needed") continue;
        made.set(host.name, plan);
        this.#progress.expect(host.name, index, plan);
      }
      checkOnce(made);
      this.#plans.set(play, made);
    }
    refuseUnlistedAnywhere(this.#request, plays, this.#plans);
    refuseUnknownHosts(this.#request, plays, this.#plans);
    const sink = this.#tally.sink;
    const start = new StartAt(title);
    sink({ type: "runStarted", run, playbook: playbook.name, mode, hosts: [...this.#seen.keys()], version });
    this.#stopping.begin();
    try {
      for (const [index, { play, hosts }] of plays.entries()) {
        if (this.#stopping.signal.aborted) break;
        const found = hosts ?? this.#hostsFromRef(play);
        if (found) await this.#stopping.orStopWaiting(this.#play(play, index, found, start));
      }
      if (!this.#stopping.signal.aborted) {
        this.#request.requireSelected?.();
        start.requireFound();
      }
      return await this.#finish(started);
    } finally {
      await this.#stopping.orStopWaiting(this.#hosts.close());
    }
  }

  #admit(play: Play<never>): readonly RunHost[] {
    const hosts = this.#request.hostsOf(play);
    for (const host of hosts) this.#seen.set(host.name, host);
    return hosts;
  }

  /** Hosts that an earlier task created; undefined if check mode cannot determine them. */
  #hostsFromRef(play: Play<never>): readonly RunHost[] | undefined {
    const value = play.hosts instanceof Ref ? play.hosts.resolve(this.#outputs.lookupFor("")) : undefined;
    if (value === undefined || value === knownAfterApply) {
      const name = play.name ?? "a play";
      this.#tally.sink({
        type: "warning",
        text: `${name} is left out: its hosts are known only after an earlier play has run`,
      });
      return undefined;
    }
    const hosts = value.map((entry) => this.#request.newHost(entry));
    for (const host of hosts) this.#seen.set(host.name, host);
    return hosts;
  }

  async #play(play: Play<never>, index: number, hosts: readonly RunHost[], start: StartAt): Promise<void> {
    const alive = hosts.filter(({ name }) => !this.#failures.has(name));
    const name = play.name ?? (typeof play.hosts === "string" ? play.hosts : `play ${index + 1}`);
    const begun = playStarted(name, alive, this.#plans.get(play));
    this.#tally.sink(begun);
    const once = new OnceGroups();
    for (const { batch, events } of batchesOf(alive, play.serial, begun)) {
      if (this.#stopping.signal.aborted) return;
      events.forEach((event) => this.#tally.sink(event));
      const newFreshness = this.#hosts.beginBatch(this.#request.mode);
      const plans = new Map<string, Planned[]>();
      const forks = this.#request.forks ?? batch.length;
      await inParallel(batch, forks, async (host) => {
        const plan = await this.#guard(host, play, batch, () => this.#plan(play, hosts, host, forks >= batch.length));
        if (plan) plans.set(host.name, plan);
      });
      checkOnce(plans);
      const keys = new Map([...plans].map(([host, plan]) => [host, onceKeys(plan)]));
      const cut = start.cut(plans, batch.length);
      for (const [host, plan] of plans) this.#outputs.list(host, callsIn(plan));
      for (const [host, plan] of cut) {
        once.enter(host, keysIn(plan, keys.get(host)));
        this.#progress.expect(host, index, plan);
      }
      await inParallel(batch, forks, async (host, rest) => {
        if (this.#stopping.signal.aborted) return once.leave(host.name);
        const plan = cut.get(host.name);
        const { reached, end } = this.#progress.begin(host.name, index);
        const freshness = newFreshness();
        const own = { once, onceKeys: keys.get(host.name) ?? new Map<string, OnceCall>(), rest, reached, freshness };
        if (plan) await this.#guard(host, play, batch, () => this.#host(host, plan, play, own).then(end));
        once.leave(host.name);
      });
      this.#stopping.stop(whyEnd(this.#failures, play, batch, this.#playHosts.slice(index + 1)));
    }
  }

  /** `isSoon`: true if the first tasks in the play run on this host right after this call. */
  async #plan(play: Play<never>, hosts: readonly RunHost[], host: RunHost, isSoon: boolean): Promise<Planned[]> {
    const seen = playHosts(hosts);
    const plan = this.#plans.get(play)?.get(host.name) ?? planPlay(this.#request, play, seen, host, unreadFacts);
    if (plan !== "facts-needed") return plan;
    const target = this.#reached(host.name, becomeOf(play), undefined);
    return planByFacts({
      request: this.#request,
      play,
      seen,
      host,
      target,
      lookup: this.#outputs.lookupFor(host.name),
      signal: this.#stopping.kill,
      ahead: isSoon ? (task) => this.#reached(host.name, becomeOf(play), task.become) === target : undefined,
    });
  }

  /**
   * Returns the host with the session that a task uses: the play's session, unless its user cannot act as the task's
   * user. A play's `become` does not apply to the controller.
   */
  #reached(name: string, play: BecomeOptions | undefined, own: string | undefined): Host {
    const host = this.#seen.get(name) ?? this.#request.hostNamed(name);
    return this.#hosts.get(name, taskSession(host?.isController === true ? undefined : play, own, host?.userFor));
  }

  async #host(
    host: RunHost,
    plan: Planned[],
    play: Play<never>,
    once: Pick<HostContext, "once" | "onceKeys" | "rest" | "reached" | "freshness">,
  ): Promise<void> {
    const become = becomeOf(play);
    const own = this.#reached(host.name, become, undefined);
    // This function is called for every upcoming task each time something is read ahead, so it must stay cheap.
    const hostFor = (task: Inherited): Host =>
      task.target === host.name && task.become === undefined ? own : this.#reached(task.target, become, task.become);
    const context = {
      ...once,
      hostFor,
      confirm: undoOfPlay(this.#request, own, plan, this.#tally.sink),
      conflicts: new NamedConflicts(plan, (task) => hostFor(task).knowledge.names),
      playHost: host.name,
      mode: this.#request.mode,
      drivers: this.#request.drivers,
      diff: this.#request.diff ?? false,
      oneByOne: this.#request.oneByOne ?? false,
      paranoia: this.#request.paranoid ? new Paranoia(plan, this.#outputs.lookupFor(host.name)) : undefined,
      simulation: this.#request.simulation,
      outputs: this.#outputs,
      sink: this.#tally.sink,
      signal: this.#stopping.kill,
      stop: this.#stopping.signal,
    };
    await new HostRun(context).run(plan);
  }

  /** Runs a part of one host's play. Records a failure, and stops other hosts if the play requires it. */
  async #guard<T>(
    host: RunHost,
    play: Play<never>,
    batch: readonly RunHost[],
    act: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await act();
    } catch (thrown) {
      if (thrown instanceof Stopped) return undefined;
      if (this.#stopping.kill.aborted) return undefined;
      const failure = this.#failures.note(host.name, thrown);
      this.#tally.sink({ type: "hostStopped", host: host.name, outcome: failure.outcome, error: failure.error });
      this.#stopping.stop(whyStop(this.#failures, play, host.name, batch));
      return undefined;
    }
  }

  async #finish(started: number): Promise<RunResult> {
    const { run, mode } = this.#request;
    const stopped = this.#stopping.signal.aborted;
    const endOf = (host: string): HostEnding => this.#progress.endOf(host, this.#failures, stopped);
    const names = [...this.#seen.keys()];
    const counted = await this.#stopping.orStopWaiting(this.#tally.recap(names, this.#hosts, endOf));
    const recap = counted === "left" ? await this.#tally.recap(names, undefined, endOf) : counted;
    const [interrupted, durationMs] = [this.#stopping.interrupted, now() - started];
    const controller = this.#request.profile === true && { controller: { cpuMs: ownCpuMs() } };
    this.#tally.sink({ type: "runFinished", run, mode, recap, durationMs, interrupted, ...controller });
    this.#stopping.end();
    return {
      recap,
      failed: this.#failures.of("failed"),
      unreachable: this.#failures.of("unreachable"),
      changed: this.#tally.changed,
      interrupted,
      errors: this.#failures.errors,
    };
  }
}
