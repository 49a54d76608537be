import { file, libvirtDomain, operator, port, Refusal, refuse, task, z } from "../../src/authoring.ts";
import { fileText } from "../../src/facts/catalogue.ts";
import { maintenanceMarker, snapshotRecord } from "../cluster/places.ts";
import { supervisorPort } from "../identity/served.ts";
import { type Domain, hasBegun, isOn, tooLate } from "./snapshot-needed.ts";
import { isFresh, recordIn, type SnapshotRecord, recordText, snapshotName, snapshotNotes } from "./snapshot-record.ts";

const params = z.strictObject({
  nodes: z
    .array(z.strictObject({ name: z.string(), address: z.string() }))
    .min(1)
    .describe("All nodes; the first that is up and runs RKE2's server takes the snapshot"),
  bridge: z.string().describe("Bridge of the nodes' network"),
});

type Params = z.output<typeof params>;
const sshPort = 22;

/** The node that takes the snapshot, and the snapshot's name; both are empty if none is taken. */
type SnapshotPlan = Pick<SnapshotRecord, "name" | "node">;

/**
 * Decides whether this run takes an etcd snapshot and on which node, and records its name before it is taken, so a
 * rerun finds the snapshot of a killed run. Takes none if a shutdown has begun and a node is already off. Refuses if no
 * management node can be reached: only those run RKE2's supervisor, which takes the snapshots.
 */
export const snapshotPlanned = task({
  name: "snapshotPlanned",
  summary: "Choose the management node that takes an etcd snapshot before a shutdown, and record its name",
  params,
  examples: [],
  title: () => "etcd snapshot before the shutdown",
})
  .facts((p) => ({
    domains: p.nodes.map(({ name }) => libvirtDomain(name)),
    marker: file(maintenanceMarker, ["text"]),
    record: file(snapshotRecord, ["text"]),
    operator: operator(),
  }))
  .facts((p, now) => {
    const asked =
      tooLate(now.domains, now.marker) === undefined ? p.nodes.filter((_, at) => isOn(now.domains[at])) : [];
    return {
      logins: asked.map(({ address }) => port(address, sshPort, p.bridge)),
      servers: asked.map(({ address }) => port(address, supervisorPort, p.bridge)),
    };
  })
  .want((p, now) => {
    if (tooLate(now.domains, now.marker) !== undefined) return {};
    const plan = planOf(p, now);
    return plan instanceof Refusal ? plan : { record: { type: "file" as const, text: recordText(plan) } };
  })
  .steps((_p, { change, want }) => {
    const text = fileText(want.record);
    return [change.record && text !== undefined && { step: "writeFile", path: snapshotRecord, text, mode: "0644" }];
  })
  .outputs((p, now): SnapshotPlan => {
    const plan = tooLate(now.domains, now.marker) === undefined ? planOf(p, now) : undefined;
    return plan === undefined || plan instanceof Refusal ? { name: "", node: "" } : plan;
  })
  .notes((_p, now) => {
    const why = tooLate(now.domains, now.marker);
    if (why === undefined) return [];
    const record = recordIn(fileText(now.record));
    return record !== undefined && hasBegun(now.marker) ? snapshotNotes(record) : [why];
  });

interface Asked {
  readonly domains: readonly Domain[];
  readonly record: unknown;
  readonly operator: { readonly since: string };
  readonly logins: readonly { readonly open: boolean }[];
  readonly servers: readonly { readonly open: boolean }[];
}

function planOf(p: Params, now: Asked): SnapshotRecord | Refusal {
  const on = p.nodes.filter((_, at) => isOn(now.domains[at]));
  const able = on.filter((_, at) => now.logins[at]?.open === true && now.servers[at]?.open === true);
  const { since } = now.operator;
  const found = recordIn(fileText(now.record));
  const kept = found !== undefined && isFresh(found, since) ? found : undefined;
  // The snapshot of a killed run is on the node where that run took it.
  const node = able.find(({ name }) => name === kept?.node) ?? able[0];
  if (node === undefined) return noNode(p, now);
  return { name: kept?.name ?? snapshotName(since), node: node.name, since: kept?.since ?? since };
}

function noNode({ nodes }: Params, { domains, logins, servers }: Asked): Refusal {
  const on = nodes.filter((_, at) => isOn(domains[at]));
  const why = ({ name }: Params["nodes"][number]): string => {
    const at = on.findIndex((one) => one.name === name);
    if (at < 0) return `${name}: off`;
    if (logins[at]?.open !== true) return `${name}: no logins (port ${sshPort})`;
    return servers[at]?.open === true ? `${name}: up` : `${name}: RKE2 does not answer (port ${supervisorPort})`;
  };
  return refuse({
    code: "no-management-node",
    message: "no management node can take an etcd snapshot",
    current: nodes.map(why).join("; "),
    expected: `a node that is up and accepts connections on ports ${sshPort} and ${supervisorPort}`,
    hint: "Start rke2-server on a management node; or, to shut down without a snapshot, add --var skipSnapshot=true",
  });
}
