import { createHash } from "node:crypto";
import { randomBytes } from "../world.ts";
import { FurrowError } from "../errors.ts";
import { isNamedTask } from "../facts/symbols.ts";

/** The source of a secret's value; the loader reads it before the run starts. */
export type SecretSource =
  | { readonly from: "env"; readonly variable: string }
  | { readonly from: "file"; readonly path: string }
  | { readonly from: "prompt"; readonly question: string }
  | { readonly from: "generated"; readonly label: string; readonly length: number; readonly alphabet: string }
  | { readonly from: "generatedKey"; readonly label: string }
  /** An encrypted value in the inventory for which no password was given; `title` names it in errors. */
  | { readonly from: "vault"; readonly title: string };

interface Entry {
  readonly name: string;
  readonly source: SecretSource | undefined;
  value: string | undefined;
  readonly derive: (() => string) | undefined;
  /** The strings from which `derive` computes the value. */
  readonly parts: readonly string[];
  /** The rules for the value, by their `expected` text. */
  rules?: Map<string, SecretRule>;
  /** Why the value could not be read. */
  failure?: FurrowError;
}

/** All secrets in this process, by id. Only this map connects a marker in a string with its value. */
const entries = new Map<string, Entry>();

/** The ids of all secrets made in this process, including forgotten ones. */
const ids = new Set<string>();

/** A marker in a string: `«secret NAME id»`, or `«secret NAME id json»` if the value needs JSON quoting. */
const markerPattern = /«secret ([^«» ]+) ([0-9a-f]{16})( json)?»/g;

/**
 * Text that no sink can print. In a template or a concatenation it becomes a marker. Only a step's stdin, environment
 * or file content turns the marker back into the value; anything else prints the marker.
 */
export class Secret {
  readonly name: string;
  readonly #id: string;

  constructor(name: string, id: string) {
    this.name = name.replaceAll(/[«» ]/g, "-");
    this.#id = id;
  }

  /** Derives a secret from this one: `password.map((text) => crypt(text))`. */
  map(make: (value: string) => string): Secret {
    return register(this.name, undefined, undefined, () => make(reveal(this)), [String(this)]);
  }

  toString(): string {
    return `«secret ${this.name} ${this.#id}»`;
  }

  toJSON(): string {
    return `«secret ${this.name} ${this.#id} json»`;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `«secret ${this.name}»`;
  }
}

/**
 * Joins several strings into one. If one of them is secret, the result is secret and is computed only when its value is
 * needed. `make` receives the strings with all secrets revealed, and must be pure.
 */
export function mapTexts<const T extends readonly string[]>(
  texts: T,
  make: (values: { readonly [K in keyof T]: string }) => string,
): string {
  const named = texts.flatMap(markersIn)[0]?.name;
  const revealed = (): string => make(texts.map(reveal) as never);
  return named === undefined ? revealed() : String(register(named, undefined, undefined, revealed, texts));
}

function register(
  name: string,
  source: SecretSource | undefined,
  value: string | undefined,
  derive?: () => string,
  parts: readonly string[] = [],
): Secret {
  const id = randomBytes(8).toString("hex");
  if (value !== undefined) valued += 1;
  ids.add(id);
  entries.set(id, { name, source, value, derive, parts });
  return new Secret(name, id);
}

let valued = 0;

/** Creates a secret from a value that is already in memory. */
export function secretOf(value: string, name: string): Secret {
  return register(name, undefined, value);
}

/** A rule for the value of a secret. */
export interface SecretRule {
  readonly accepts: (value: string) => boolean;
  /** Completes "the secret …", such as "is too short". */
  readonly fault: string;
  readonly expected: string;
  readonly hint: string;
}

/**
 * Adds a rule for the value of a secret. Returns false if the value breaks it. A secret without a value is checked when
 * it gets one; FurrowError E_SECRET is thrown then.
 */
export function requireRule(secret: Secret, rule: SecretRule): boolean {
  return markersIn(String(secret)).every(({ id }) => {
    const entry = entries.get(id);
    if (entry === undefined) return true;
    entry.rules = new Map(entry.rules).set(rule.expected, rule);
    return entry.value === undefined || rule.accepts(entry.value);
  });
}

/** Throws FurrowError E_SECRET if the value breaks a rule. */
function refuseUnfit({ name, rules = new Map() }: Entry, value: string): void {
  for (const { accepts, fault, expected, hint } of rules.values()) {
    if (accepts(value)) continue;
    throw new FurrowError("E_SECRET", { what: `the secret "${name}" ${fault}`, expected, hint });
  }
}

/** The values that {@link hideCredential} has seen. */
const credentials = new Set<string>();

/** A shorter value may be part of ordinary words: hiding it would make messages unreadable. */
const shortestCredential = 6;

/**
 * Keeps a credential that a driver has read, such as a token in a kubeconfig, out of all output. Drivers call this for
 * every request, so a value that is already known is not added again: each new value makes the next output slow.
 */
export function hideCredential(value: string | undefined, name: string): void {
  if (value === undefined || value.length < shortestCredential || credentials.has(value)) return;
  credentials.add(value);
  if (knownSecrets().every((known) => known.value !== value)) secretOf(value, name);
}

/** Values by source. Cached, because a play's `tasks` function creates the same secret again for every host. */
const settled = new Map<string, string>();

/**
 * Creates a secret whose value the loader reads from `source` before the run. If the value is needed earlier, `early`
 * is called for it, and may throw a better error.
 */
export function pendingSecret(source: SecretSource, name: string, early?: () => string): Secret {
  return register(name, source, settled.get(JSON.stringify(source)), early);
}

/**
 * Runs `act`. Returns the result of `act`, and a function that forgets the secrets that `act` created and that still
 * have no value.
 */
export function forgettable<T>(act: () => T): { readonly value: T; readonly forget: () => void } {
  const before = new Set(entries.keys());
  const value = act();
  const made = [...entries].filter(([id]) => !before.has(id));
  const forget = (): void => {
    for (const [id, { value: known }] of made) if (known === undefined) entries.delete(id);
  };
  return { value, forget };
}

/** Forgets all secrets. Only for tests that share a process, so that each file hides only its own secrets. */
export function forgetSecrets(): void {
  for (const known of [entries, ids, credentials, settled]) known.clear();
  // Use a number that has not occurred before, so that `redact` notices the change.
  valued += 1;
}

/** A secret without a value. */
export interface PendingSecret {
  readonly id: string;
  readonly name: string;
  readonly source: SecretSource;
  readonly settle: (value: string) => void;
  /** Gives up: the secret is no longer pending, and `error` is thrown if its value is needed after all. */
  readonly fail: (error: FurrowError) => void;
}

/** All secrets that have a source but no value. */
export function pendingSecrets(): PendingSecret[] {
  return [...entries].flatMap(([id, entry]) => {
    const { name, source, value, failure } = entry;
    if (source === undefined || value !== undefined || failure !== undefined) return [];
    const fail = (error: FurrowError): void => {
      entry.failure = error;
    };
    return [{ id, name, source, settle: (text) => settle(entry, text), fail }];
  });
}

/** The ids of all secrets made so far. */
export function secretIds(): ReadonlySet<string> {
  return new Set(entries.keys());
}

/** The ids of the secrets in a value, at any depth, and of the secrets from which they are derived. */
export function secretsIn(value: unknown, found = new Set<string>(), seen = new Set<object>()): ReadonlySet<string> {
  if (isSecret(value)) {
    for (const { id } of markersIn(String(value))) {
      if (found.has(id)) continue;
      found.add(id);
      secretsIn(entries.get(id)?.parts, found, seen);
    }
  } else if (typeof value === "object" && value !== null && !seen.has(value)) {
    seen.add(value);
    for (const part of Object.values(value)) secretsIn(part, found, seen);
  }
  return found;
}

function settle(entry: Entry, value: string): void {
  refuseUnfit(entry, value);
  if (entry.value === undefined) valued += 1;
  entry.value = value;
  settled.set(JSON.stringify(entry.source), value);
}

function valueOf(id: string, name: string): string {
  const entry = entries.get(id);
  if (entry?.failure !== undefined && entry.value === undefined) throw entry.failure;
  const value = entry?.value ?? entry?.derive?.();
  if (entry === undefined || value === undefined) {
    throw new FurrowError("E_SECRET", {
      what: `the secret "${name}" has no value yet`,
      hint: "Use secrets only in task params and vars; their values are read just before the run",
    });
  }
  if (entry.value === undefined) {
    refuseUnfit(entry, value);
    valued += 1;
  }
  entry.value = value;
  return value;
}

/** The value of a secret, or a string with every marker replaced by its value. Only transports and `map` call this. */
export function reveal(text: string | Secret): string {
  return String(text).replaceAll(markerPattern, (marker, name: string, id: string, json: string | undefined) => {
    if (!ids.has(id)) return marker;
    const value = valueOf(id, name);
    return json === undefined ? value : JSON.stringify(value).slice(1, -1);
  });
}

/** True if a string contains at least one secret. */
export function isSecret(text: unknown): boolean {
  return text instanceof Secret || (typeof text === "string" && markersIn(text).length > 0);
}

/** The markers of secrets in a string. Text from a host may look like a marker, but its id belongs to no secret. */
function markersIn(text: string): { readonly name: string; readonly id: string }[] {
  if (!text.includes("«secret ")) return [];
  return [...text.matchAll(markerPattern)].flatMap(([, name = "", id = ""]) => (ids.has(id) ? [{ name, id }] : []));
}

/** True if any string inside `value` contains a secret. Tasks that `value` names are ignored. */
export function holdsSecret(value: unknown): boolean {
  if (typeof value === "object" && value !== null && !(value instanceof Secret)) {
    return !isNamedTask(value) && Object.values(value).some(holdsSecret);
  }
  return isSecret(value);
}

/** Text with its markers in human-readable form: `«secret NAME»`. */
export function printMarkers(text: string): string {
  return text.replaceAll(markerPattern, (_marker, name: string) => `«secret ${name}»`);
}

/**
 * The number of secrets with a value. This function must be cheap, because it is called for every string that is
 * printed.
 */
export function countSecrets(): number {
  return valued;
}

/** Every secret with a value, for the redaction of output. */
export function knownSecrets(): { readonly name: string; readonly value: string }[] {
  return [...entries.values()].flatMap(({ name, value }) => (value === undefined ? [] : [{ name, value }]));
}

const sealPrefix = "sealed:";
let sealKey = randomBytes(16).toString("hex");

/**
 * Sets the key for {@link seal}. The loader keeps one key per controller, so that digests can be compared between runs.
 */
export function setSealKey(key: string): void {
  sealKey = key;
}

/** The key that hosts put before secret content when they hash it (32 hex digits). */
export function currentSealKey(): string {
  return sealKey;
}

/** The digest that represents secret content outside its file: `sealed:` and the SHA-256 of key and content. */
export function seal(content: Uint8Array): string {
  return sealPrefix + createHash("sha256").update(sealKey).update(content).digest("hex");
}
