import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { refuseUnknownFact } from "../../core/guarded/play.ts";
import type { HostFacts } from "../../core/authoring/playbook.ts";

/** The question for a play's `facts`: the kind `host` with its only key. */
export const hostFactsQuestion: HostFact<HostFacts> = { kind: "host", key: "self", facets: [] };

/** Thrown if a play's `tasks` function uses facts that have not been read yet. */
export class NeedsFacts extends Error {}

/** A placeholder for facts: using any of them throws NeedsFacts. */
export const unreadFacts: HostFacts = new Proxy({} as HostFacts, { get: lookAt });

function lookAt(_target: HostFacts, key: string | symbol): never {
  if (typeof key === "symbol") throw new FurrowError("E_PLAYBOOK", { what: "facts cannot be listed" });
  refuseUnknownFact(key, lookAt);
  throw new NeedsFacts(
    `facts.${key} was first used inside a function, after the play listed its tasks: write const ${key} = facts.${key} before that function`,
  );
}
