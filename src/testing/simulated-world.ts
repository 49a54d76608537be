import type { Bound } from "../core/authoring/evaluate.ts";
import { isFurrowError } from "../core/errors.ts";
import { factId, isControllerFact, literal, namesFact, type Question } from "../core/facts/fact.ts";
import { type Implied, withImplied } from "../core/facts/implied.ts";
import { kindOf } from "../core/facts/kind.ts";
import { match } from "../core/facts/compare.ts";
import { resolvePath } from "../core/facts/path-resolution.ts";
import { predictionOf } from "../core/facts/prediction.ts";
import { ranKind } from "../core/facts/ran.ts";
import { absent, isRecord, knownAfterApply } from "../core/facts/symbols.ts";
import { hostHttpKind } from "../facts/network/host-http.ts";
import { fingerprint } from "./laws/fingerprint.ts";
import { blankValue, plausible, wholeValue } from "./plausible.ts";

/**
 * The state of a host: values by fact id, such as `file:/etc/motd`. A FurrowError in place of a value means that the
 * fact cannot be read. All other facts are as on a fresh host.
 */
export type SimulatedState = Readonly<Record<string, unknown>>;

/** The state of a simulated host, with a value for every fact that the test has set or a task has changed. */
export class SimulatedThings {
  readonly #values = new Map<string, unknown>();
  /** The effects of changes on facts that have not been set. */
  readonly #implied: Implied[] = [];
  readonly #comesWith: Readonly<Record<string, SimulatedState>>;
  /** The ids of the facts that were asked for, but neither set nor changed: their values are those of a fresh host. */
  readonly assumed = new Set<string>();

  constructor(state: SimulatedState, comesWith: Readonly<Record<string, SimulatedState>>) {
    this.#comesWith = comesWith;
    for (const [id, given] of Object.entries(state)) this.#set(id, given);
  }

  /** The value of a fact: the value that was set, otherwise the value on a fresh host. */
  value(asked: Question): unknown {
    const question = asked.kind === "file" ? { ...asked, key: this.#behindLink(asked.key) } : asked;
    const id = this.given(question) ?? factId(question);
    if (this.#values.has(id)) return this.#values.get(id);
    this.assumed.add(id);
    return question.kind === "digest"
      ? this.#digest(question.key)
      : withImplied(id, blankValue(question), this.#implied);
  }

  /** The target of a path that ends with a slash; any other path unchanged. */
  #behindLink(key: string): string {
    if (key === "/" || !key.endsWith("/")) return key;
    const linkAt = (place: string): string | undefined => {
      const value = this.#values.get(`file:${place}`);
      return isRecord(value) && value["type"] === "link" ? String(value["target"]) : undefined;
    };
    return resolvePath(key, true, { linkAt, mountedAt: (path) => path }).real ?? key.slice(0, -1);
  }

  /**
   * The id under which a fact has been set. A web request from the host may be set under a part of its key, such as its
   * URL alone.
   */
  given(question: Question): string | undefined {
    const id = factId(question);
    if (this.#values.has(id)) return id;
    if (question.kind !== hostHttpKind.name) return undefined;
    const asked: unknown = JSON.parse(question.key);
    return [...this.#values.keys()].find((other) => {
      const prefix = `${hostHttpKind.name}:`;
      return other.startsWith(prefix) && match(asked, jsonOf(other.slice(prefix.length))) === "same";
    });
  }

  /** All values that were set or changed. */
  get state(): SimulatedState {
    return Object.fromEntries([...this.#values].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Applies what a task wants: first to the facts that it touches, then to its own facts. `now` is in microseconds. */
  become(facts: readonly Bound[], user: string, now: number): void {
    const own = facts.flatMap(({ fact, id, match, now: from, wanted }) => {
      if (isControllerFact(fact) || fact.kind === ranKind || wanted === undefined) return [];
      const become = (value: unknown): unknown => plausible(fact, predictionOf(fact, value, wanted, { user }), now);
      return [{ fact, id, from, match, before: this.value(fact), become }];
    });
    const changes = own
      .filter(({ match }) => match !== "same")
      .map(({ fact, id, from, become }) => ({ fact, id, from, to: become(from) }));
    for (const { fact, from, to } of changes) this.#touch(fact, from, to, now);
    for (const { id, to } of changes) this.#values.set(id, to);
    // A task also repairs the side effects of its own changes: a new repository list makes the index outdated, and the
    // task fetches it.
    for (const { fact, id, match, before, become } of own) {
      const value = this.value(fact);
      if (match === "same" && fingerprint(value) !== fingerprint(before)) this.#values.set(id, become(value));
    }
    for (const { id, to } of changes) if (to !== absent) this.#bring(id);
  }

  #touch({ kind, key }: Question, from: unknown, to: unknown, now: number): void {
    const touched = kindOf(kind).touches?.(key, from, to) ?? [];
    // A simulation leaves out effects that may or may not occur on a real host.
    const implied = (kindOf(kind).implies?.(key, from, to) ?? []).filter(
      ({ parts, mayAppear }) => mayAppear !== true && !Object.values(parts).includes(knownAfterApply),
    );
    for (const [id, value] of this.#values) {
      if (to === absent && namesFact(touched, id) && mayGo(id)) this.#values.set(id, absent);
      else this.#values.set(id, withImplied(id, value, implied));
    }
    this.#implied.push(...implied);
    for (const id of touched.map(literal)) {
      if (id.startsWith("entries:")) this.#values.set(id, { changed: now });
      if (id.startsWith("digest:")) this.#values.delete(id);
    }
    if (kind === "file" && to !== absent) this.#parents(key);
  }

  /** The digest of a file is the digest of its content, unless another one was set. */
  #digest(path: string): unknown {
    const file = this.value({ kind: "file", key: path, facets: [] });
    const sha256 = isRecord(file) ? file["sha256"] : undefined;
    return typeof sha256 === "string" ? { sha256, stamped: true } : absent;
  }

  /** Creates the missing folders above a path. */
  #parents(path: string): void {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const parent = { kind: "file", key: path.slice(0, at), facets: [] };
      if (this.value(parent) === absent) {
        this.#values.set(factId(parent), plausible(parent, { type: "directory", changed: 0 }, 0));
      }
    }
  }

  #bring(id: string): void {
    for (const [other, given] of Object.entries(this.#comesWith[id] ?? {})) {
      if ((this.#values.get(other) ?? absent) === absent) this.#set(other, given);
    }
  }

  #set(id: string, given: unknown): void {
    this.#values.set(id, isFurrowError(given) ? given : wholeValue(id, given));
    if (id.startsWith("file:") && given !== absent && !isFurrowError(given)) this.#parents(id.slice("file:".length));
  }
}

/** The parts of a key that a test has set, or the URL if the test has set only the URL. */
function jsonOf(key: string): unknown {
  try {
    return JSON.parse(key);
  } catch {
    return { url: key };
  }
}

/** False for facts that exist on every host, such as a package index or a host name. */
function mayGo(id: string): boolean {
  const at = id.indexOf(":");
  return id.startsWith("file:") || blankValue({ kind: id.slice(0, at), key: id.slice(at + 1) }) === absent;
}
