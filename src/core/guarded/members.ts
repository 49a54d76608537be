import { closest } from "../closest.ts";
import { FurrowError } from "../errors.ts";
import { readerPosition } from "../position.ts";

/** What guards the names of things that a playbook keeps in variables: a task, a role, an output. */
export interface MemberGuard {
  /** `a task`. */
  readonly noun: string;
  /** Names that may be read where the thing does not have them. */
  readonly optional: readonly string[];
  /** What to do about a name that is near to none; begins with a verb. */
  readonly hint: (name: string) => string;
}

/**
 * A prototype for such things: user code that reads a name which nothing has gets FurrowError E_PLAYBOOK, where JavaScript
 * would give undefined, and `when: conf.chnged` would mean no condition. `names`: those that a message proposes.
 */
export function guardedPrototype(names: readonly string[], { noun, optional, hint }: MemberGuard): object {
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
  return new Proxy({}, { get });
}
