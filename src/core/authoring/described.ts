import { redact } from "../secrets/redact.ts";
import { Secret } from "../secrets/secret.ts";
import { Ref } from "./ref.ts";

/** The maximum number of characters of a value that are shown. */
const most = 80;

/**
 * A short description, without secrets, of any value that a user wrote in the wrong place: `a list of 2`, `"80%"`, `a
 * function`.
 */
export function described(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (value instanceof Secret) return "a secret";
  if (value instanceof Ref) return "a task's output";
  if (value instanceof Promise) return "a promise";
  if (typeof value === "function")
    return "card" in value ? "a task module without a call" : isAsync(value) ? "an async function" : "a function";
  if (typeof value === "string") return shortText(redact(value));
  if (typeof value !== "object") return `${value as number | boolean | bigint}`;
  if (Array.isArray(value)) return describedList(value);
  if ("node" in value && "source" in value) return value.node === "task" ? "a task" : "a block or a role";
  return `an object with ${Object.keys(value).slice(0, 5).join(", ") || "nothing in it"}`;
}

function shortText(text: string): string {
  return JSON.stringify(text.length > most ? `${text.slice(0, most)}…` : text);
}

/** True for a function declared with `async`. */
export function isAsync(value: unknown): boolean {
  return Object.prototype.toString.call(value) === "[object AsyncFunction]";
}

function describedList(list: readonly unknown[]): string {
  const isShort = list.every((item) => typeof item === "string" || typeof item === "number");
  const text = isShort ? redact(JSON.stringify(list)) : "";
  return isShort && text.length <= most ? text : `a list of ${list.length}`;
}
