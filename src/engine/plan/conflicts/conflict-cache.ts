import { createHash } from "node:crypto";
import type { TaskCall } from "../../../core/call.ts";
import { isNamedTask } from "../../../core/symbols.ts";
import type { PlannedTask } from "../plan.ts";

/** Lists of tasks that are known to hold no conflict, by what they say; a play's hosts mostly get the same list. */
const agreed = new Set<string>();

const numbers = new WeakMap<object, number>();
let last = 0;

/** Runs `check`, which throws where these tasks are in conflict, unless the same tasks have passed it before. */
export function unlessAgreed(tasks: readonly PlannedTask[], check: () => void): void {
  const text = textOf(tasks);
  const id = text === undefined ? undefined : createHash("sha256").update(text).digest("base64");
  if (id !== undefined && agreed.has(id)) return;
  check();
  if (id !== undefined) agreed.add(id);
}

/** The same text for lists that want the same, whatever their host; undefined where params are more than plain data. */
function textOf(tasks: readonly PlannedTask[]): string | undefined {
  const targets = new Map<string, number>();
  try {
    return JSON.stringify(
      tasks.map(({ target, call, parsed }) => {
        if (!targets.has(target)) targets.set(target, targets.size);
        return [numberOf(call.module), targets.get(target), "params" in parsed ? parsed.params : undefined];
      }),
      plainly,
    );
  } catch {
    return undefined;
  }
}

/** Modules by identity: two may share a name. */
function numberOf(module: object): number {
  const number = numbers.get(module) ?? (last += 1);
  numbers.set(module, number);
  return number;
}

function plainly(_key: string, part: unknown): unknown {
  if (typeof part === "symbol") return `\u0000${part.description ?? ""}`;
  if (typeof part === "function") throw new TypeError("a function has no text");
  if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
  if (isNamedTask(part)) {
    const { module, input } = part as TaskCall;
    return [numberOf(module), input];
  }
  const prototype: unknown = Object.getPrototypeOf(part);
  if (prototype === Object.prototype || prototype === null) return part;
  throw new TypeError("an object of a class has no text");
}
