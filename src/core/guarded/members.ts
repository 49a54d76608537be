import { neverText } from "./as-text.ts";
import { closest } from "../closest.ts";
import { FurrowError } from "../errors.ts";
import { readerPosition } from "../authoring/position.ts";

/** Describes how to guard the members of an object that a playbook keeps in a variable: a task, a role, an output. */
export interface MemberGuard {
  /** The name of the object in messages: `a task`. */
  readonly noun: string;
  /** Names that may be read even if the object lacks them. */
  readonly optional: readonly string[];
  /** The hint for an unknown name without a similar one; begins with a verb. */
  readonly hint: (name: string) => string;
  /** The hint if the object is used as a string; undefined if the object itself refuses that. */
  readonly asText?: string;
}

/**
 * A prototype for guarded objects: if user code reads an unknown name, the prototype throws FurrowError E_PLAYBOOK.
 * JavaScript would return undefined, so `when: conf.chnged` would mean no condition. `names`: the names that the
 * message suggests.
 */
export function guardedPrototype(names: readonly string[], { noun, optional, hint, asText }: MemberGuard): object {
  const known = new Set([...names, ...optional, "then", "toJSON"]);
  const get = (target: object, key: string | symbol, receiver: unknown): unknown => {
    if (typeof key === "symbol" || known.has(key) || key in target) return Reflect.get(target, key, receiver);
    const source = readerPosition(get);
    if (source === undefined) return undefined;
    const near = closest(key, names);
    throw new FurrowError("E_PLAYBOOK", {
      what: `${noun} has no "${key}"`,
      where: { source },
      expected: `one of ${names.join(", ")}`,
      hint: near === undefined ? hint(key) : `Write "${near}" instead of "${key}"`,
    });
  };
  return new Proxy(asText === undefined ? {} : neverText({}, noun, asText), { get });
}
