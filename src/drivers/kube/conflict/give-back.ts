import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { isRecord } from "../../../core/facts/symbols.ts";
import { type KubeOwner, ownsField } from "../../../facts/controller/kube-owners.ts";
import { parsed } from "../../kubernetes-exchange.ts";
import type { Cluster } from "../cluster.ts";
import { failureOf } from "../failures.ts";

/** A field whose earlier owners get it back. */
export interface GivenBack {
  readonly path: string;
  readonly field: readonly string[];
  readonly owners: readonly KubeOwner[];
}

/** The name under which the server records furrow's patches: it comes from furrow's User-Agent header. */
const furrow = "furrow";

/** The maximum number of times that the object is read again because others changed it at the same time. */
const mostConflicts = 20;

// The entries are sent back as they are, so nothing is left out or added here.
const entry = z.looseObject({ manager: z.string().optional(), operation: z.string(), apiVersion: z.string() });
type Entry = z.output<typeof entry>;

const live = z.looseObject({
  metadata: z.looseObject({ resourceVersion: z.string(), managedFields: z.array(entry).default([]) }),
});

/**
 * In the object's list of owners, moves a field from furrow's entry to the entries of the field's earlier owners. Does
 * nothing if furrow does not own the field. Throws FurrowError E_DRIVER if the server does not answer or refuses.
 */
export async function giveBack(
  cluster: Cluster,
  { path, field, owners }: GivenBack,
  signal: AbortSignal,
): Promise<void> {
  const doing = `give ${field.join(".")} back to ${owners.map(({ manager }) => manager).join(", ")}`;
  for (let conflicts = 0; ; conflicts += 1) {
    const answer = await cluster.ask({ path }, doing);
    const read = live.safeParse(answer.status === 200 ? parsed(answer.body) : undefined);
    if (!read.success) throw failureOf(doing, cluster.server, answer);
    const { resourceVersion, managedFields } = read.data.metadata;
    const moved = withOwners(managedFields, field, owners);
    if (moved === undefined) return;
    const body = { metadata: { resourceVersion, managedFields: moved } };
    const sent = await cluster.ask({ method: "PATCH", path, body }, doing);
    if (sent.status === 200) return;
    if (sent.status !== 409 || conflicts >= mostConflicts) throw failureOf(doing, cluster.server, sent);
    await pause(20 + Math.random() * 60, undefined, { signal });
  }
}

/** The entries after the field has changed owners; undefined if furrow does not own it. */
function withOwners(
  entries: readonly Entry[],
  field: readonly string[],
  owners: readonly KubeOwner[],
): readonly Entry[] | undefined {
  const isOurs = (one: Entry): boolean =>
    isMain(one) && one.manager === furrow && one.operation === "Update" && ownsField(one["fieldsV1"], field);
  const earlier = owners.filter(({ manager, operation }) => manager !== furrow || operation !== "Update");
  if (earlier.length === 0 || !entries.some(isOurs)) return undefined;
  const kept = entries.flatMap((one): Entry[] => {
    const left = isOurs(one) ? withoutField(one["fieldsV1"], field) : one["fieldsV1"];
    if (isRecord(left) && Object.keys(left).length === 0) return [];
    return [{ ...one, fieldsV1: earlier.some((owner) => isEntryOf(one, owner)) ? withField(left, field) : left }];
  });
  const lacking = earlier.filter((owner) => !kept.some((one) => isEntryOf(one, owner)));
  return [...kept, ...lacking.map((owner) => ({ ...owner, fieldsType: "FieldsV1", fieldsV1: withField({}, field) }))];
}

const isMain = ({ subresource = "" }: Entry): boolean => subresource === "";

function isEntryOf(one: Entry, { manager, operation, apiVersion }: KubeOwner): boolean {
  return isMain(one) && one.manager === manager && one.operation === operation && one.apiVersion === apiVersion;
}

type Set = Readonly<Record<string, unknown>>;

function withField(set: unknown, [first, ...rest]: readonly string[]): Set {
  const own = isRecord(set) ? set : {};
  return first === undefined ? own : { ...own, [`f:${first}`]: withField(own[`f:${first}`], rest) };
}

function withoutField(set: unknown, [first, ...rest]: readonly string[]): Set {
  const { [`f:${first}`]: below, ...others } = isRecord(set) ? set : {};
  const left = rest.length === 0 ? {} : withoutField(below, rest);
  return Object.keys(left).length === 0 ? others : { ...others, [`f:${first}`]: left };
}
