import type { Bound } from "../../../core/authoring/evaluate.ts";
import { FurrowError, isFurrowError } from "../../../core/errors.ts";
import type { HostFact } from "../../../core/facts/fact.ts";
import { absent } from "../../../core/facts/symbols.ts";
import { armPlay, playUndo, type Ways } from "../../../core/host/play-undo.ts";
import type { Step } from "../../../core/host/step.ts";
import { endStep, stepsToken, undoAnswers } from "../../../core/host/undo.ts";
import { now } from "../../../core/world.ts";
import { attempt, oneStep, untilConfirmed } from "../../host/confirm-change.ts";
import type { Host } from "../../host/host.ts";
import { revertNow } from "../../host/revert-now.ts";
import type { PlannedTask } from "../../plan/plan.ts";
import { WrongForecast } from "../performer.ts";
import { intolerable } from "../retries.ts";
import { armOnHost, askHost } from "./arm-on-host.ts";
import { type Acted, armedFact, type Guarded, type PlayUndoSetting, say, systemdFact } from "./guarded.ts";
import { mayCut, nothingOfItsOwn } from "./may-cut.ts";
import { refuseUnguarded } from "./refuse-unguarded.ts";
import { changesOthersKeys, notUndoneBy, waysOf } from "./ways.ts";

/** How many seconds an undo waits for later tasks once a new connection has shown that the host can be reached. */
const holdSeconds = 4 * 3600;

/**
 * The undo of one host's play (`--confirm-within`). The undo is armed before each task that may cut the connection or
 * lock everybody out, and a new connection is attempted after the task. While tasks follow, the undo stays armed with
 * what was saved before the first such task, because some changes may take effect only with a later task, such as a
 * restart.
 */
export class PlayUndo {
  readonly #setting: PlayUndoSetting;
  /** The tasks that the host would revert, in order; empty if nothing is armed. */
  readonly #armed: string[] = [];
  /** The armed tasks that finished as changed. */
  readonly #changed: string[] = [];
  /** The tasks that ran while the undo was armed and that a revert would not undo. */
  readonly #kept: string[] = [];
  /** The tasks that were confirmed over a new connection, after the task itself or at the end of the play. */
  readonly #confirmed: string[] = [];
  /** The session that armed the undo. The play's own session may belong to a user other than root. */
  #guard: Host;
  /** The latest time, in milliseconds, at which the host reverts the changes by itself. */
  #dueAt = 0;
  /** How long the last risky task took to act. */
  #tookSeconds = 0;
  #hasSeen = false;
  #hasSystemd = true;

  constructor(setting: PlayUndoSetting) {
    this.#setting = setting;
    this.#guard = setting.host;
  }

  /** The questions that are sent together with the play's first ones. */
  questions({ host, hostIsMissing, simulation }: Guarded): readonly HostFact<unknown>[] {
    const { isNeeded } = this.#setting;
    if (this.#hasSeen || !isNeeded || hostIsMissing || simulation || !this.#canAsk(host)) return [];
    return [armedFact, systemdFact];
  }

  /**
   * Handles the answers. A run adopts an undo that an earlier run left armed, because the new run has connected after
   * the change.
   */
  async see({ host, mode, signal }: Guarded): Promise<void> {
    if (this.#hasSeen || !this.#canAsk(host)) return;
    const [armed, systemd] = [host.knowledge.lookup(armedFact), host.knowledge.lookup(systemdFact)];
    if (systemd === undefined || armed === undefined) return;
    this.#hasSeen = true;
    this.#hasSystemd = systemd.value !== absent;
    if (armed.value === absent) return;
    this.#guard = host;
    this.#dueAfter(holdSeconds);
    if (mode === "apply") {
      const { exitCode } = await oneStep(host, endStep(playUndo, stepsToken, holdSeconds), signal);
      if (exitCode !== undoAnswers.confirmed) {
        throw new FurrowError("E_NOT_CONFIRMED", {
          what: "an earlier run's change was not confirmed, and the host is reverting it now",
          where: { host: host.name },
          hint: "Run again when it has finished",
        });
      }
    }
    this.#warn("an earlier run left an unconfirmed change; this run confirms it, unless it fails");
    this.#armed.push("changes of an earlier run");
  }

  /**
   * The ways into the host that the task is about to change; undefined if none. While an undo is armed, the result is
   * also defined for a command that may make the running system use changed files.
   */
  waysOf(facts: readonly Bound[], steps: readonly Step[], host: Host): Ways | undefined {
    const follows = this.#armed.length > 0 && this.#canAsk(host) && mayCut(steps);
    return waysOf(facts, steps) ?? (follows ? nothingOfItsOwn : undefined);
  }

  /**
   * Check mode: returns notes on how the run will guard this change. Throws the FurrowError that the run would throw.
   */
  async foresee(
    planned: PlannedTask,
    facts: readonly Bound[],
    steps: readonly Step[],
    context: Guarded,
  ): Promise<string[]> {
    const ways = context.hostIsMissing ? undefined : this.waysOf(facts, steps, context.host);
    if (ways === undefined) {
      if (planned.call.module.card.reboots === true) this.#clear();
      return [
        ...(changesOthersKeys(facts, steps) ? [othersKeysNote] : []),
        ...(this.#armed.length === 0 ? [] : [this.#staysNote()]),
      ];
    }
    this.#refuse(planned, facts, ways, context);
    const lost = context.simulation ? [] : await askHost(context, ways, facts);
    if (ways === nothingOfItsOwn) lost.push(this.#staysNote());
    else this.#armed.push(context.title);
    if (!this.#mayFollow(context)) this.#clear();
    return [
      `the host reverts this, unless it is confirmed over a new connection within ${this.#setting.withinSeconds} s`,
      ...lost,
    ];
  }

  /** Performs a task whose change the host can revert: arms, acts, and confirms. Throws what `act` throws. */
  async guarded<T extends Acted>(
    planned: PlannedTask,
    facts: readonly Bound[],
    ways: Ways,
    context: Guarded,
    act: () => Promise<T>,
  ): Promise<T> {
    this.#refuse(planned, facts, ways, context);
    const hadEarlier = this.#armed.length > 0;
    try {
      const notes = await this.#arm(planned, ways, context);
      const begun = now();
      const done = await act().finally(() => {
        this.#tookSeconds = Math.ceil((now() - begun) / 1000);
      });
      await this.#confirm(context, this.#mayFollow(context), (text) => say(planned, context, text));
      if (ways === nothingOfItsOwn) notes.push(this.#staysNote());
      else if (this.#armed.length > 0) this.#changed.push(context.title);
      return { ...done, notes: [...(done.notes ?? []), ...notes] };
    } catch (error) {
      if (error instanceof WrongForecast) throw error;
      throw await this.#failed(error, context, hadEarlier);
    }
  }

  /**
   * Performs a task that a revert would not undo. Confirms before a reboot, because the boot would trigger the revert.
   */
  async unguarded<T extends Acted>(
    planned: PlannedTask,
    facts: readonly Bound[],
    steps: readonly Step[],
    context: Guarded,
    act: () => Promise<T>,
  ): Promise<T> {
    if (this.#armed.length > 0 && steps.some(({ step }) => step === "reboot")) {
      try {
        await this.#confirm(this.#through(context), false, (text) => say(planned, context, text));
      } catch (error) {
        throw await this.#failed(error, this.#through(context));
      }
    }
    const done = await act();
    if (done.outcome !== "changed") return done;
    const notes = [...(done.notes ?? []), ...(changesOthersKeys(facts, steps) ? [othersKeysNote] : [])];
    if (this.#armed.length === 0) return { ...done, notes };
    notes.push(this.#staysNote());
    this.#kept.push(context.title);
    return { ...done, notes };
  }

  /** Confirms what is still armed at the end of the play. Returns the play's confirmed tasks. Throws FurrowError. */
  async finish(signal: AbortSignal): Promise<readonly string[]> {
    if (this.#setting.mode === "apply" && this.#armed.length > 0) {
      try {
        await this.#confirm(this.#through({ signal }), false, (text) => this.#warn(text));
      } catch (error) {
        throw await this.#failed(error, this.#through({ signal }));
      }
    }
    return this.#confirmed;
  }

  /** Makes the host revert the armed changes, because the play has failed or was stopped. */
  async giveUp(signal: AbortSignal): Promise<void> {
    if (this.#setting.mode === "check" || this.#armed.length === 0) return;
    const stopped = new FurrowError("E_NOT_CONFIRMED", { what: "the play ended before its changes were confirmed" });
    const { failure } = (await this.#failed(stopped, this.#through({ signal }))) as FurrowError;
    this.#warn([failure.what, ...(failure.details ?? [])].join("; "));
  }

  async #arm(planned: PlannedTask, ways: Ways, context: Guarded): Promise<string[]> {
    const step = armPlay(context.title, ways, this.#setting.withinSeconds);
    context.onStep(step);
    const notes = await armOnHost(context, step);
    this.#guard = context.host;
    (ways === nothingOfItsOwn ? this.#kept : this.#armed).push(context.title);
    this.#dueAfter(this.#setting.withinSeconds);
    say(
      planned,
      context,
      `armed: ${[...ways.paths, ...ways.folders, ...ways.units].join(" ") || "no further files or units"}`,
    );
    return notes;
  }

  /** `hold`: whether the undo stays armed for later tasks. */
  async #confirm(
    { host, signal }: Pick<Guarded, "host" | "signal">,
    hold: boolean,
    tell: (text: string) => void,
  ): Promise<void> {
    const { withinSeconds } = this.#setting;
    // The time limit starts at the end of the change. If this connection does not report the end, the limit counts from
    // the start of the change.
    const answer = await attempt(host, endStep(playUndo, stepsToken, withinSeconds), signal);
    if (!isFurrowError(answer) && answer.exitCode === undoAnswers.confirmed) this.#dueAfter(withinSeconds);
    const change = { undo: playUndo, withinSeconds, token: stepsToken };
    await untilConfirmed(host, hold ? { ...change, holdSeconds } : change, signal, tell);
    if (hold) {
      this.#dueAfter(holdSeconds);
      return;
    }
    this.#confirmed.push(...this.#armed.filter((title) => !this.#confirmed.includes(title)));
    this.#clear();
  }

  /** The session that the undo needs. */
  #through({ signal }: Pick<Guarded, "signal">): Pick<Guarded, "host" | "signal"> {
    return { host: this.#guard, signal };
  }

  /** Only root can see whether an undo is armed. */
  #canAsk({ name, user }: Host): boolean {
    return name === this.#playHost && (user === undefined || user === "root");
  }

  #dueAfter(seconds: number): void {
    this.#dueAt = now() + seconds * 1000;
  }

  /**
   * The error of a task or a play, once the host has reverted the changes. If the revert undoes earlier tasks, this is
   * an error that no retry, `ignoreFailure` or rescue catches: the run must not continue as if these tasks were done.
   */
  async #failed(
    error: unknown,
    { host, signal }: Pick<Guarded, "host" | "signal">,
    hadEarlier = true,
  ): Promise<unknown> {
    if (this.#armed.length === 0) return error;
    const details = [`tasks whose changes are reverted: ${[...new Set(this.#armed)].join("; ")}`];
    if (this.#kept.length > 0) details.push(`not undone: ${this.#kept.join("; ")}`);
    if (this.#tookSeconds > this.#setting.withinSeconds)
      details.push(
        `the last of these tasks took ${this.#tookSeconds} s to act: what it changed after ${this.#setting.withinSeconds} s might not be reverted`,
      );
    if (this.#changed.length > 0) {
      const reverted = [...this.#changed];
      const text = `reported as changed, but then reverted by the host: ${reverted.join("; ")}`;
      this.#setting.sink({ type: "warning", host: this.#playHost, text, reverted });
    }
    this.#clear();
    const found = await revertNow(host, { withinSeconds: this.#setting.withinSeconds, dueAt: this.#dueAt }, signal);
    if (!isFurrowError(error)) return error;
    const { failure } = error;
    const isFinal = hadEarlier || (found === undefined && error.code === "E_UNREACHABLE");
    return new FurrowError(isFinal && !intolerable.has(error.code) ? "E_NOT_CONFIRMED" : error.code, {
      ...failure,
      details: [...(failure.details ?? []), ...details, ...(found === undefined ? [] : [found])],
      hint: error.code === "E_NOT_CONFIRMED" ? correct : (failure.hint ?? correct),
    });
  }

  /** Throws FurrowError E_REFUSED if the host could not revert the task's change. */
  #refuse({ target }: PlannedTask, facts: readonly Bound[], ways: Ways, { host, simulation }: Guarded): void {
    if (simulation) return;
    const { name, user } = host;
    refuseUnguarded(
      { name, user, hasSystemd: this.#hasSystemd, target, playHost: this.#playHost },
      notUndoneBy(facts, ways),
    );
  }

  /** True if a task follows: even a command or a package may restart what a risky task has configured. */
  #mayFollow({ upcoming, outputs, playHost }: Guarded): boolean {
    for (const _ of upcoming(outputs.lookupFor(playHost))) return true;
    return false;
  }

  #staysNote(): string {
    return `not undone: this stays if the host reverts ${[...new Set(this.#armed)].join("; ")}`;
  }

  get #playHost(): string {
    return this.#setting.host.name;
  }

  #clear(): void {
    this.#armed.length = 0;
    this.#changed.length = 0;
    this.#kept.length = 0;
  }

  #warn(text: string): void {
    this.#setting.sink({ type: "warning", host: this.#playHost, text });
  }
}

const correct = `Correct these tasks, and run again; the log is in /var/lib/furrow/undo/${playUndo}/reverted/log on the host`;

const othersKeysNote =
  "not undone: furrow restores only root's authorized_keys, because other users own the folders that contain theirs";
