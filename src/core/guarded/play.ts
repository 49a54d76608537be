import type { z } from "zod";
import type { HostFacts, PlayHost } from "../authoring/playbook.ts";
import { readerPosition } from "../authoring/position.ts";
import { refuseAsText } from "./as-text.ts";
import { guarded, type Owner, unknownName } from "./guarded.ts";
import { layoutOfNames, layoutOfSchema, type NameTree } from "./layout.ts";

const noVars = layoutOfNames({});
const varsOwner: Owner = { path: "vars", declaredIn: "the vars of the playbook: z.object({ … })" };

/** The vars of a host, guarded by the playbook's schema. A playbook without a schema has no vars. */
export function guardVars(schema: z.ZodType | undefined, vars: unknown): unknown {
  return guarded(vars, schema === undefined ? noVars : layoutOfSchema(schema), varsOwner);
}

const factNames: NameTree<Omit<HostFacts, "addresses">> & { readonly addresses: true } = {
  hostname: true,
  os: { id: true, version: true, like: true },
  architecture: true,
  kernel: true,
  processors: true,
  memoryBytes: true,
  kvm: true,
  addresses: true,
};
const factsLayout = layoutOfNames(factNames);
const factsOwner: Owner = { path: "facts" };

/** A host's facts, guarded. The keys of `addresses` are interface names, so any name is allowed as a key. */
export function guardFacts(facts: HostFacts): HostFacts {
  return guarded(facts, factsLayout, factsOwner);
}

/** Refuses to use `facts` as a string, whether or not they have been read. */
export const factsAsText = refuseAsText(factsOwner.path, "Write one of them, such as facts.kernel");

/**
 * Throws FurrowError E_PLAYBOOK if user code reads a fact that does not exist. `trap`: the proxy trap that the read
 * called.
 */
export function refuseUnknownFact(name: string, trap: (...input: never[]) => unknown): void {
  if (Object.hasOwn(factNames, name)) return;
  const source = readerPosition(trap);
  if (source !== undefined) throw unknownName(name, Object.keys(factNames), factsOwner, source);
}

const hostLayout = layoutOfNames({
  name: true,
  address: true,
  user: true,
  ssh: true,
  groups: true,
  index: true,
} satisfies NameTree<PlayHost>);

const hostOwner: Owner = {
  path: "host",
  elsewhere: { vars: "Write vars instead of host.vars: tasks: ({ vars }) => [ … ]" },
};

/** A play's host, guarded. */
export function guardHost(host: PlayHost): PlayHost {
  return guarded(host, hostLayout, hostOwner);
}

/** The argument of a play's `tasks` function or of `confirm`, guarded: `({ var })` is an error, not undefined. */
export function guardContext<T extends object>(context: T): T {
  return guarded(context, layoutOfNames(Object.fromEntries(Object.keys(context).map((name) => [name, true]))), {
    path: "the argument of this function",
    // Its parts have guards of their own.
    keepsUnknown: true,
  });
}
