import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/fact.ts";
import { refuseUnknownFact } from "../../core/guarded/play.ts";
import type { HostFacts } from "../../core/playbook.ts";

/** The fact that a play's `facts` are: the kind `host` with its one key. */
export const hostFactsQuestion: HostFact<HostFacts> = { kind: "host", key: "self", facets: [] };

/** Thrown by a play's body when it looks at facts that were not read yet. */
export class NeedsFacts extends Error {}

/** Facts that, when looked at, say that they must be read first. */
export const unreadFacts: HostFacts = new Proxy({} as HostFacts, { get: lookAt });

function lookAt(_target: HostFacts, key: string | symbol): never {
  if (typeof key === "symbol") throw new FurrowError("E_PLAYBOOK", { what: "facts cannot be listed" });
  refuseUnknownFact(key, lookAt);
  throw new NeedsFacts(
    `facts.${key} was not read while the play listed its tasks: write const ${key} = facts.${key} there, before the function`,
  );
}
