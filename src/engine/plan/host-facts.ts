import type { HostFact } from "../../core/facts/fact.ts";
import { factsAsText, refuseUnknownFact } from "../../core/guarded/play.ts";
import type { HostFacts } from "../../core/authoring/playbook.ts";

/** The question for a play's `facts`: the kind `host` with its only key. */
export const hostFactsQuestion: HostFact<HostFacts> = { kind: "host", key: "self", facets: [] };

/** Thrown if a play's `tasks` function uses facts that have not been read yet. */
export class NeedsFacts extends Error {}

/** Printing an object calls its member with this name. This also applies to a proxy, whose traps are not called. */
const inspect = Symbol.for("nodejs.util.inspect.custom");

/**
 * A placeholder for facts: reading, listing or changing any of them throws NeedsFacts, so that the function is called
 * again with the facts.
 */
export const unreadFacts: HostFacts = new Proxy({ [inspect]: () => listAll() } as unknown as HostFacts, {
  get: lookAt,
  has: listAll,
  ownKeys: listAll,
  getOwnPropertyDescriptor: listAll,
  // Once the facts have been read, these operations are refused.
  set: listAll,
  defineProperty: listAll,
  deleteProperty: listAll,
});

function lookAt(_target: HostFacts, key: string | symbol): unknown {
  if (key === Symbol.toPrimitive) return factsAsText;
  if (typeof key === "symbol") return undefined;
  // `await` and JSON.stringify look for these names on every object. JSON.stringify then lists the object's properties.
  if (key === "then" || key === "toJSON") return undefined;
  refuseUnknownFact(key, lookAt);
  throw new NeedsFacts(
    `facts.${key} was first used inside a function, after the play listed its tasks: write const ${key} = facts.${key} before that function`,
  );
}

function listAll(): never {
  throw new NeedsFacts(
    "the facts were first listed inside a function, after the play listed its tasks: write const all = { ...facts } before that function",
  );
}
