import { createHash } from "node:crypto";
import type { FurrowError } from "../../core/errors.ts";
import type { RunEvent } from "../../core/events.ts";
import { toJson } from "../json.ts";

/** An event that may be the same for several hosts. */
export type Foldable = Extract<
  RunEvent,
  { type: "taskFinished" | "taskRetry" | "hostStopped" | "rescued" | "warning" }
> & { readonly host: string };

/** The placeholder for the host name in texts that differ only in that name. */
export const ownName = "<host>";

/** Replaces the host name in a text with `ownName` wherever the name is a whole word. */
export function withoutName(text: string, host: string): string {
  if (!text.includes(host)) return text;
  const quoted = host.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  return text.replaceAll(new RegExp(String.raw`(?<!\w)${quoted}(?!\w)`, "g"), ownName);
}

/**
 * Makes a key for grouping: events with equal keys are shown together for all their hosts. The key covers everything
 * except durations and the host and cause of an error. For loud events, which are shown immediately, the host's own
 * name is ignored.
 */
export function likeness(event: Foldable, isLoud: boolean): string {
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
    error && errorLikeness(error, host),
  ]);
  const key = isLoud ? withoutName(whole, host) : whole;
  return key.length < 200 ? key : createHash("sha256").update(key).digest("base64");
}

/** Connection errors: their text contains the host's address, which is ignored. */
const ofConnections = new Set(["E_UNREACHABLE", "E_AUTH", "E_HOST_KEY"]);
const addresses = /(?<![\d.])\d{1,3}(\.\d{1,3}){3}(?![\d.])|(?<![\w:])[\da-f]{0,4}(:[\da-f]{0,4}){2,7}(?![\w:])/gi;

/** Makes a key that is equal for the same error on different hosts. */
export function errorLikeness(error: FurrowError, host: string): string {
  const { where, cause: _cause, ...rest } = error.failure;
  const text = withoutName(JSON.stringify([error.code, where?.task, where?.source, rest]), host);
  return ofConnections.has(error.code) ? text.replaceAll(addresses, "<address>") : text;
}
