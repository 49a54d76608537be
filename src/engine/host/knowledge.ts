import {
  exactly,
  type Fact,
  factId,
  type FactPattern,
  type HostFact,
  isControllerFact,
  type Question,
} from "../../core/facts/fact.ts";
import { type Implied, withImplied } from "../../core/facts/implied.ts";
import { PatternIndex } from "../../core/facts/pattern-index.ts";
import { kindOf, isKind, readsAnything } from "../../core/facts/kind.ts";
import { isRecord, knownAfterApply } from "../../core/facts/symbols.ts";
import { now } from "../../core/world.ts";
import { isPathResolution } from "../../core/facts/path-resolution.ts";
import { impliedParents } from "./implied-parents.ts";
import { Acts } from "./acts.ts";
import { afterBoot, type Boot, bootOf, unknownAfterBoot } from "./after-boot.ts";
import { Forgotten } from "./forgotten.ts";
import { HostChanges, isNewAndEmpty } from "./host-changes.ts";
import { Providers } from "./providers.ts";
import { Uncertainties } from "./uncertainties.ts";
import { ControllerChanges } from "./controller-changes.ts";
import type { Consequence, Known, Lookup, Stamp, TimedValue } from "../paths/known-values.ts";
import { covers, isSecretView, viewOf } from "../paths/known-values.ts";
import { PathNames } from "../paths/path-names.ts";

/**
 * Everything known about one host at the current point of the run: values that were read and, in check mode, values
 * that were predicted. Each change invalidates the values it may have touched. Changes are stored by the patterns they
 * name and looked up by fact, so the cost of a change does not depend on how much else is known.
 */
export class Knowledge {
  /** Tracks which names refer to the same thing. Values are stored under real names. */
  readonly names = new PathNames();
  /** Tracks which controller facts were changed by calls on the controller. All hosts in a run share this object. */
  readonly controller: ControllerChanges;
  /** Check mode: the earlier tasks that may create what a later task needs but does not find. */
  readonly providers: Providers = new Providers();
  /** Check mode: everything that earlier tasks would change. */
  readonly changes: HostChanges = new HostChanges(this.names, () => this.#tick());
  /** Numbers all events, in order. */
  #clock = 0;
  readonly #known = new Map<string, TimedValue>();
  /** In a run: what must be read again. */
  readonly #forgotten = new Forgotten();
  readonly #uncertainties = new Uncertainties();
  /**
   * Check mode: the time at which each fact was last predicted. Uncertainties and consequences that were recorded
   * earlier do not affect the fact.
   */
  readonly #predictedAt = new Map<string, number>();
  /** Check mode: the actions that earlier tasks will have performed. */
  readonly acts: Acts = new Acts();
  readonly #consequences = new PatternIndex<Consequence | Boot>();

  /** `controller`: shared by all hosts in a run. */
  constructor(controller: ControllerChanges = new ControllerChanges()) {
    this.controller = controller;
  }

  /** Returns the value of a fact; undefined if the host must be asked. */
  lookup(asked: Fact): Lookup | undefined {
    const detour = this.#unresolved(asked);
    if (detour) return detour.lookup;
    const fact = this.names.fact(asked);
    const id = factId(fact);
    const by = this.#changedBehind(asked, id);
    // If check mode does not ask the question at all, the earlier change is not the reason that the answer is unknown.
    const before = this.#lookupKnown(fact, id);
    if (by !== undefined) return before?.value === knownAfterApply ? before : { value: knownAfterApply, by };
    const known = (): Lookup | undefined => this.names.unlessDangling(asked, before);
    return this.#uncertainties.answer(asked, id, this.#predicted(id), known);
  }

  /** True if the host need not be asked again. */
  isSettled(fact: Fact): boolean {
    return this.lookup(fact) !== undefined;
  }

  /**
   * Returns the value regardless of what earlier tasks may provide: as read, or as predicted before. Undefined if the
   * host must be asked.
   */
  lookupIgnoringProvided(asked: Fact): Lookup | undefined {
    const detour = this.#unresolved(asked);
    if (detour) return detour.lookup;
    const fact = this.names.fact(asked);
    const id = factId(fact);
    const by = this.#uncertainties.harm(id, this.#predicted(id)) ?? this.#changedBehind(asked, id);
    return by === undefined ? this.#lookupKnown(fact, id) : { value: knownAfterApply, by };
  }

  /** Check mode: the last task that would change something that this fact's user-written command may read. */
  #changedBehind(asked: Fact, id: string): string | undefined {
    return readsAnything(asked) ? this.changes.lastBy(asked.reads, this.#predicted(id)) : undefined;
  }

  /** The number of the event that last predicted the fact; 0 if no event did. */
  #predicted(id: string): number {
    return this.#predictedAt.get(id) ?? 0;
  }

  /**
   * The answer for a fact whose path contains an unknown link or mount: either the host must be asked (`lookup` is
   * undefined), or the value is unknown in check mode. Undefined if the path is known.
   */
  #unresolved(fact: Fact): { readonly lookup: Lookup | undefined } | undefined {
    if (isPathResolution(fact)) {
      return { lookup: this.names.knowsResolution(fact.key) ? { value: undefined, by: undefined } : undefined };
    }
    const by = this.names.retargetedBy(fact);
    if (by !== undefined) return { lookup: { value: knownAfterApply, by } };
    return this.names.needsResolution(fact) ? { lookup: undefined } : undefined;
  }

  #lookupKnown(fact: Fact, id: string): Lookup | undefined {
    const plain = this.#valid(id);
    const own = isSecretView(fact) ? this.#valid(viewOf(fact)) : plain;
    const known = own ?? (plain?.facets === undefined ? plain : undefined);
    return known !== undefined && covers(known, fact) ? this.#behind(fact, id, known) : undefined;
  }

  /** The value stored under a view, unless it must be read again. */
  #valid(view: string): TimedValue | undefined {
    const known = this.#known.get(view);
    return known === undefined || this.#forgotten.has(known, this.controller) ? undefined : known;
  }

  /** Applies everything that the changes so far imply to a value. */
  #behind(fact: Fact, id: string, { value, by }: Lookup): Lookup {
    return this.#consequences.all(id, this.#predicted(id)).reduce<Lookup>(
      (before, one) => {
        const after =
          "implied" in one
            ? withImplied(id, before.value, [one.implied], one.isUncertain)
            : afterBoot(fact, before.value, one);
        return after === before.value ? before : { value: after, by: one.by };
      },
      { value, by },
    );
  }

  /** The known facets of a fact. The next read asks for them again, along with the facets that the task asks for. */
  facetsOf(fact: Fact): readonly string[] {
    return [...(this.#valid(viewOf(this.names.fact(fact)))?.facets ?? [])];
  }

  /**
   * The questions about the links and mounts on a fact's paths that must be sent along with the fact's own question.
   */
  resolutionQuestions(fact: Fact): Question[] {
    return this.names.resolutionQuestions(fact);
  }

  /**
   * The question to send: as its task asks it, or under its real name if check mode predicts that a path will be
   * redirected.
   */
  asked<F extends Fact>(fact: F): F {
    return this.names.asked(fact);
  }

  /** Records one answer from the host or the controller. */
  learn(fact: Fact, value: unknown): void {
    this.learnAll([{ fact, value }]);
  }

  /**
   * Records answers from the host or the controller: first those about links and mounts on paths, then those about
   * things. Two answers about one thing under two names are merged.
   */
  learnAll(list: readonly { readonly fact: Fact; readonly value: unknown }[]): void {
    let redirects = false;
    for (const { fact, value } of list) {
      if (isPathResolution(fact)) redirects = this.names.learn(fact.key, value) || redirects;
    }
    if (redirects) this.#rename();
    const learnt = new Set<string>();
    for (const { fact: asked, value } of list) {
      if (isPathResolution(asked)) continue;
      const fact = this.names.fact(asked);
      this.#learnOne(fact, value, learnt);
      learnt.add(viewOf(fact));
    }
  }

  #learnOne(fact: Fact, value: unknown, learnt: ReadonlySet<string>): void {
    const view = viewOf(fact);
    const known = this.#valid(view);
    // The thing was asked for under another name before its path was resolved, so its prediction stays.
    if (known !== undefined && known.facets === undefined && known.by !== undefined) return;
    const facets = new Set(isControllerFact(fact) ? [] : fact.facets);
    const by = known?.by;
    const again = known !== undefined && (by !== undefined || learnt.has(view));
    const both = again && isRecord(known.value) && isRecord(value);
    if (both || (again && known.value === value)) for (const facet of known.facets ?? []) facets.add(facet);
    const whole = both ? { ...value, ...(known?.value as object) } : value;
    this.#known.set(view, { fact, value: whole, facets, by, ...this.#stamp() });
    if (isControllerFact(fact) || !isKind(fact.kind)) return;
    this.names.sawInode(factId(fact), kindOf(fact.kind).inode?.(whole));
    this.forgetFacts(this.#newParents(fact, whole));
  }

  /** The parents of a thing that were known to be absent but must now be present (see {@link impliedParents}). */
  #newParents(fact: HostFact<unknown>, value: unknown): HostFact<unknown>[] {
    return impliedParents(fact, value, (parent) => this.#valid(factId(this.names.fact(parent)))?.value);
  }

  /** Moves all values to the real names that are known now. */
  #rename(): void {
    for (const [view, known] of this.#known) {
      const fact = this.names.fact(known.fact);
      if (fact === known.fact) continue;
      this.#known.delete(view);
      if (!this.#known.has(viewOf(fact))) this.#known.set(viewOf(fact), { ...known, fact });
    }
  }

  #tick(): number {
    return (this.#clock += 1);
  }

  #stamp = (): Stamp => ({ at: this.#tick(), recordedAt: now(), controllerAt: this.controller.now });

  /**
   * Check mode: records the value that a fact will have after task `by`. A predicted fact no longer depends on earlier
   * tasks.
   */
  predict(asked: Fact, value: unknown, by: string): void {
    this.predictLink(asked, value, by);
    this.#predictValue(asked, value, by);
  }

  /**
   * Check mode: everything that a task names becomes unknown, because the task's want is not known. If a directory
   * contains something else that the task names, its path resolution is kept: we assume that no task moves a directory
   * it works in.
   */
  predictUnknown(facts: readonly Fact[], by: string): void {
    const directories = new Set(facts.flatMap((fact) => this.names.directoriesOf(fact)));
    for (const fact of facts) {
      if (isControllerFact(fact) || !directories.has(fact.key)) this.predictLink(fact, knownAfterApply, by);
      this.touched(this.names.mayTouch(fact), by);
      this.#predictValue(fact, knownAfterApply, by);
    }
  }

  #predictValue(asked: Fact, value: unknown, by: string): void {
    const fact = this.names.fact(asked);
    const id = factId(fact);
    // A different answer from a user's command is not a change to the host.
    if (!readsAnything(fact))
      this.changes.note([factId(asked), id].map(exactly), by, isNewAndEmpty(fact, this.#lookupKnown(fact, id), value));
    this.#predictHardLinks(fact, id, value, by);
    this.acts.undo([exactly(id)]);
    this.#known.delete(`${id}#secret`);
    this.#known.set(id, { fact, value, facets: undefined, by, ...this.#stamp() });
    this.#predictedAt.set(id, this.#clock);
    if (isControllerFact(fact) || !isKind(fact.kind)) return;
    for (const parent of this.#newParents(fact, value)) this.#predictValue(parent, kindOf(parent.kind).anything, by);
  }

  /** Check mode: updates the path resolution for a link that `by` has set to the predicted value. */
  predictLink(fact: Fact, value: unknown, by: string): void {
    if (!isControllerFact(fact) && isKind(fact.kind)) this.names.predict(fact, value, by);
  }

  /** Applies a predicted change to the other names (hard links) of the file. */
  #predictHardLinks(fact: Fact, id: string, value: unknown, by: string): void {
    const hardLinks = this.names.hardLinksOf([exactly(id)]);
    if (hardLinks.length === 0 || isControllerFact(fact)) return;
    const { hardLinkValue } = kindOf(fact.kind);
    const from = this.#lookupKnown(fact, id)?.value;
    for (const other of hardLinks) {
      const known = this.#valid(other);
      if (known === undefined || hardLinkValue === undefined) continue;
      const open = from === undefined || from === knownAfterApply || value === knownAfterApply;
      const after = open ? knownAfterApply : hardLinkValue(known.value, from, value);
      this.#known.set(other, { ...known, value: after, by, at: this.#tick() });
    }
    this.changes.note(hardLinks.map(exactly), by);
    if (kindOf(fact.kind).inode?.(value) === undefined) this.names.sawInode(id, undefined);
  }

  /**
   * Check mode: from here on, the facts matching the patterns depend on task `by`, which may set them to the values
   * that a later task wants. `certainly`: the ids of things that exist after the task.
   */
  mayProvide(patterns: readonly FactPattern[], by: string, certainly: readonly string[] = []): void {
    const all = this.names.patterns(patterns);
    this.changes.note(all, by);
    this.acts.undo(all);
    this.#uncertainties.add(this.#tick(), all, { by, provides: true, certainly: new Set(certainly) });
  }

  /** Check mode: a change made by `by` affects these facts unpredictably. */
  touched(patterns: readonly FactPattern[], by: string): void {
    this.changes.note(patterns, by, true);
    this.acts.undo(patterns);
    this.#uncertainties.add(this.#tick(), patterns, { by, provides: false });
  }

  /** Check mode: records what a change made by `by` implies. `isUncertain`: the change might not happen. */
  addConsequences(implied: readonly Implied[], by: string, isUncertain: boolean): void {
    const patterns = implied.map(({ of }) => of);
    this.changes.note(patterns, by, true);
    this.acts.undo(patterns);
    for (const one of implied) this.#consequences.add(this.#tick(), [one.of], { implied: one, by, isUncertain });
  }

  /** Check mode: records that `by` reboots the host. `perhaps`: it is unknown whether the reboot happens. */
  boot(by: string, perhaps: boolean): void {
    const facts = [...this.#known.values()].map(({ fact }) => ({ fact, value: this.lookup(fact)?.value }));
    const boot = bootOf(by, perhaps, facts, this.#known);
    const shaken = unknownAfterBoot(boot, facts);
    this.#consequences.add(this.#tick(), ["everything"], boot);
    this.changes.note(["everything"], by);
    this.touched(shaken, by);
  }

  /** In a run: the facts matching the patterns must be read again before they count as known. */
  forget(patterns: readonly FactPattern[]): void {
    this.#forget(patterns);
    this.#forgotten.addAnswers(this.#clock);
  }

  #forget(patterns: readonly FactPattern[]): void {
    this.names.forget(patterns);
    this.#forgotten.add(this.#tick(), patterns);
  }

  /** In a run: these facts must be read again. */
  forgetFacts(facts: readonly Fact[]): void {
    this.#forget(facts.map((fact) => exactly(factId(this.names.fact(fact)))));
  }

  /**
   * In a run: begins a task for one host of a batch. Controller facts that were recorded before this time, in
   * milliseconds, must be read again, because the things that the controller asks about may be changed by others at any
   * time.
   */
  beginTask(user: object, controllerFactsFrom: number): void {
    this.#forgotten.beginTask(user, this.#tick(), controllerFactsFrom);
  }

  /** All known values, and all guesses: values that may have changed since they were read. */
  views(): { readonly known: ReadonlyMap<string, Known>; readonly guesses: ReadonlyMap<string, Known> } {
    const known = new Map<string, Known>();
    const guesses = new Map<string, Known>();
    for (const [view, value] of this.#known)
      (this.#forgotten.has(value, this.controller) ? guesses : known).set(view, value);
    return { known, guesses };
  }

  /** Forgets all values, e.g. after a reboot or a lost connection: everything must be read again. */
  forgetAll(): void {
    this.#known.clear();
    this.#forgotten.clear();
    this.names.clear();
  }
}
