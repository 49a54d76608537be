import { createHash } from "node:crypto";
import { FurrowError } from "../../core/errors.ts";
import type { RunEvent } from "../../core/events.ts";
import { toJson } from "../json.ts";

/** An event that may be the same for several hosts. */
export type Foldable = Extract<
  RunEvent,
  { type: "taskFinished" | "taskRetry" | "hostStopped" | "rescued" | "warning" }
> & { readonly host: string };

/** The placeholder for the host name in texts that differ only in that name. */
export const ownName = "<host>";

/** Placeholders in texts that are only compared: the user's text could contain `<host>` itself. */
const [comparedName, comparedAddress] = ["\0host\0", "\0address\0"];

/** Replaces the host name in text, for display, with `ownName` wherever the name is a whole word. */
export function withoutName(text: string, host: string): string {
  return replaceName(text, host, ownName);
}

/** The text with a placeholder for the host name, to find texts that differ only in that name. Not for display. */
export function nameless(text: string, host: string): string {
  return replaceName(text, host, comparedName);
}

function replaceName(text: string, host: string, placeholder: string): string {
  if (!text.includes(host)) return text;
  const quoted = host.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  return text.replaceAll(new RegExp(String.raw`(?<!\w)${quoted}(?!\w)`, "g"), placeholder);
}

/**
 * Returns keys for grouping: events with a common key are shown together for all their hosts. A key covers everything
 * except durations and the host and cause of an error. For events that are shown immediately, the first key ignores the
 * host's own name; the second does not, because that name may also be a word in the text.
 */
export function likenesses(event: Foldable, isLoud: boolean): readonly string[] {
  const { host, type, ...rest } = event;
  const {
    durationMs: _durationMs,
    task,
    error,
    ...told
  } = rest as Partial<Extract<RunEvent, { type: "taskFinished" }>>;
  const whole = JSON.stringify([
    type,
    task && [task.path, task.title, task.on, task.source],
    toJson(told),
    error && errorText(error),
  ]);
  return (isLoud ? namelessAndWhole(whole, host) : [whole]).map((key) =>
    key.length < 200 ? key : createHash("sha256").update(key).digest("base64"),
  );
}

/** A string without the host's name, and the whole text if that differs. */
export function namelessAndWhole(text: string, host: string): readonly string[] {
  return [...new Set([nameless(text, host), text])];
}

/** Connection errors: their text contains the host's address, which is ignored. */
const ofConnections = new Set(["E_UNREACHABLE", "E_AUTH", "E_HOST_KEY"]);
const addresses = /(?<![\d.])\d{1,3}(\.\d{1,3}){3}(?![\d.])|(?<![\w:])[\da-f]{0,4}(:[\da-f]{0,4}){2,7}(?![\w:])/gi;

/** Returns keys for an error: the same error on different hosts has a common key. */
export function errorLikenesses(error: FurrowError, host: string): readonly string[] {
  return namelessAndWhole(errorText(error), host);
}

/**
 * Returns the error to show for several hosts: if their errors differ, the first host's name and address become
 * placeholders.
 */
export function sharedError(errors: readonly { readonly host: string; readonly error: FurrowError }[]): FurrowError {
  const [first] = errors;
  if (first === undefined) throw new RangeError("no errors");
  const { code, failure } = first.error;
  const { what, current, expected, hint, details } = failure;
  const texts = ({ error: { failure: own } }: { readonly error: FurrowError }): string =>
    JSON.stringify([own.what, own.current, own.expected, own.hint, own.details]);
  if (errors.every((one) => texts(one) === texts(first))) return first.error;
  const shared = (text: string): string => withoutAddresses(withoutName(text, first.host), code, "<address>");
  return new FurrowError(code, {
    ...failure,
    what: shared(what),
    ...(current !== undefined && { current: shared(current) }),
    ...(expected !== undefined && { expected: shared(expected) }),
    ...(hint !== undefined && { hint: shared(hint) }),
    ...(details && { details: details.map(shared) }),
  });
}

/** What failed, with placeholders for the host's name and address. */
export function sharedWhat({ host, error }: { readonly host: string; readonly error: FurrowError }): string {
  return withoutAddresses(withoutName(error.failure.what, host), error.code, "<address>");
}

function withoutAddresses(text: string, code: string, placeholder: string): string {
  return ofConnections.has(code) ? text.replaceAll(addresses, placeholder) : text;
}

function errorText({ code, failure }: FurrowError): string {
  const { where, cause: _cause, ...rest } = failure;
  const text = JSON.stringify([code, where?.task, where?.source, rest]);
  return withoutAddresses(text, code, comparedAddress);
}

/** A collection of values with several keys each. Any of its keys finds a value. */
export class Grouped<V> {
  readonly #byKey = new Map<string, V>();

  /** The value that was added with one of these keys. */
  find(keys: readonly string[]): V | undefined {
    return this.#byKey.get(keys.find((key) => this.#byKey.has(key)) ?? "");
  }

  /** Adds keys to a value; a key that is already in use keeps its value. */
  add(keys: readonly string[], value: V): void {
    for (const key of keys) if (!this.#byKey.has(key)) this.#byKey.set(key, value);
  }

  clear(): void {
    this.#byKey.clear();
  }
}
