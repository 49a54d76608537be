import { absent, file, peek, refuse, task, z } from "../../src/authoring.ts";
import { libvirtOverview } from "../../src/facts/catalogue.ts";
import { fingerprintPath } from "../cluster/places.ts";
import { listingHint } from "../cluster/unlisted.ts";

const params = z.strictObject({
  prefix: z.string().describe("Nodes are named PREFIX-1, PREFIX-2, …"),
  names: z.array(z.string()).min(1).describe("Names of the cluster's nodes, without removed ones"),
  removed: z.boolean().default(false).describe("Whether the vars say that nodes were removed"),
});

/**
 * Refuses a cluster with fewer nodes than the host has: if a node were simply dropped, its vote in etcd would be
 * missing. Also refuses vars that list removed nodes if the host has no cluster: a new cluster must have all its nodes.
 */
export const noSurplus = task({
  name: "noSurplus",
  summary: "Refuse to leave out nodes that the host still has",
  params,
  examples: [],
  title: ({ names }) => `the host has no nodes besides ${names.join(", ")}`,
})
  .facts((p) => ({
    libvirt: libvirtOverview(),
    records: p.removed ? p.names.map((name) => file(fingerprintPath(name))) : [],
  }))
  .want((p, now) => {
    const libvirt = peek(now, "libvirt");
    const names = typeof libvirt === "object" && "domains" in libvirt ? Object.keys(libvirt.domains) : [];
    const first = `${p.prefix}-1`;
    const nodes = names.filter((name) => new RegExp(`^${p.prefix}-\\d+$`).test(name));
    if (p.removed && nodes.length === 0 && now.records.every((record) => record === absent)) {
      return refuse({
        code: "nothing-removed",
        message: `removedNodes lists nodes, but this host has no cluster ${p.prefix} from which they could have been removed`,
        hint: "Empty removedNodes to deploy a new cluster",
      });
    }
    if (p.names.includes(first) && !names.includes(first) && nodes.length > 0) {
      return refuse({
        code: "first-node-gone",
        message: `${first} no longer exists, but other nodes do: installed as the first node, it would create a second cluster`,
        hint: "Run the harvester-replace-node playbook with node=1, which makes the new node join",
      });
    }
    const surplus = nodes.filter((name) => !p.names.includes(name));
    if (surplus.length === 0) return {};
    return refuse({
      code: "nodes-left",
      message: `the host has ${surplus.toSorted().join(" and ")}, but the vars list only ${p.names.join(", ")}`,
      current: nodes.toSorted().join(", "),
      expected: p.names.join(", "),
      hint: listingHint,
    });
  })
  .steps(() => []);
