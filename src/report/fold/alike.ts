import { createHash } from "node:crypto";
import type { FurrowError } from "../../core/errors.ts";
import type { RunEvent } from "../../core/events.ts";
import { toJson } from "../json.ts";

/** An event that hosts may have in common. */
export type Foldable = Extract<
  RunEvent,
  { type: "taskFinished" | "taskRetry" | "hostStopped" | "rescued" | "warning" }
> & { readonly host: string };

/** Stands for a host's own name where that is all that differs. */
export const ownName = "<host>";

/** A text with the host's name taken out wherever it stands as a word. */
export function withoutName(text: string, host: string): string {
  if (!text.includes(host)) return text;
  const quoted = host.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  return text.replaceAll(new RegExp(String.raw`(?<!\w)${quoted}(?!\w)`, "g"), ownName);
}

/**
 * What hosts must have in common to be told of together: everything but the time it took and where an error stood. Of what is
 * told at once a host's own name makes no difference.
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

/** Errors of connections: the address in them is the host's own. */
const ofConnections = new Set(["E_UNREACHABLE", "E_AUTH", "E_HOST_KEY"]);
const addresses = /(?<![\d.])\d{1,3}(\.\d{1,3}){3}(?![\d.])|(?<![\w:])[\da-f]{0,4}(:[\da-f]{0,4}){2,7}(?![\w:])/gi;

/** What two errors have in common where the one is the other on another host. */
export function errorLikeness(error: FurrowError, host: string): string {
  const { where, cause: _cause, ...rest } = error.failure;
  const text = withoutName(JSON.stringify([error.code, where?.task, where?.source, rest]), host);
  return ofConnections.has(error.code) ? text.replaceAll(addresses, "<address>") : text;
}
