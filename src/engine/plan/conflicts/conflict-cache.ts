import { createHash } from "node:crypto";
import type { TaskCall } from "../../../core/authoring/call.ts";
import { isNamedTask } from "../../../core/facts/symbols.ts";
import type { PlannedTask } from "../plan.ts";

/** Hashes of task lists that were checked and have no conflict. The hosts in a play usually have the same list. */
const checkedLists = new Set<string>();

const numbers = new WeakMap<object, number>();
let last = 0;

/** Runs `check`, which throws if these tasks conflict, unless an equal list has passed already. */
export function checkOnce(tasks: readonly PlannedTask[], check: () => void): void {
  const id = hashOf(tasks);
  if (id !== undefined && checkedLists.has(id)) return;
  check();
  if (id !== undefined) checkedLists.add(id);
}

/** Returns the stored result for an equal task on any host; otherwise calls `find` and stores its result in `found`. */
export function findOnce<T>(found: Map<string, T>, task: PlannedTask, find: () => T): T {
  const id = hashOf([task]);
  const known = id === undefined ? undefined : found.get(id);
  if (known !== undefined) return known;
  const result = find();
  if (id !== undefined) found.set(id, result);
  return result;
}

function hashOf(tasks: readonly PlannedTask[]): string | undefined {
  const text = textOf(tasks);
  return text === undefined ? undefined : createHash("sha256").update(text).digest("base64");
}

/**
 * A key that is the same for two lists of tasks if they want the same state on every host. Undefined if params are not
 * plain data.
 */
function textOf(tasks: readonly PlannedTask[]): string | undefined {
  const targets = new Map<string, number>();
  try {
    return JSON.stringify(
      tasks.map(({ target, call, parsed }) => {
        if (!targets.has(target)) targets.set(target, targets.size);
        const params = "params" in parsed ? parsed.params : undefined;
        return [numberOf(call.module), targets.get(target), params, call.options.temporary === true];
      }),
      plainly,
    );
  } catch {
    return undefined;
  }
}

/** A number for each module object, because two modules may have the same name. */
function numberOf(module: object): number {
  const number = numbers.get(module) ?? (last += 1);
  numbers.set(module, number);
  return number;
}

function plainly(_key: string, part: unknown): unknown {
  if (typeof part === "symbol") return `\u0000${part.description ?? ""}`;
  if (typeof part === "function") throw new TypeError("a function cannot be written as text");
  if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
  if (isNamedTask(part)) {
    const { module, input } = part as TaskCall;
    return [numberOf(module), input];
  }
  const prototype: unknown = Object.getPrototypeOf(part);
  if (prototype === Object.prototype || prototype === null) return part;
  throw new TypeError("an instance of a class cannot be written as text");
}
