import { peek, refuse, task, z } from "../../src/authoring.ts";
import { libvirtOverview } from "../../src/facts/catalogue.ts";
import { counted } from "../cluster/count.ts";

const params = z.strictObject({
  prefix: z.string().describe("Nodes are named PREFIX-1, PREFIX-2, …"),
  nodes: z.int().describe("Requested number of nodes"),
});

/**
 * Refuses a cluster with fewer nodes than the host has: if a node were simply dropped, its vote in etcd would be
 * missing.
 */
export const noSurplus = task({
  name: "noSurplus",
  summary: "Refuse to leave out nodes that the host still has",
  params,
  examples: [],
  title: ({ nodes }) => `the host has no surplus nodes (at most ${nodes})`,
})
  .facts(() => ({ libvirt: libvirtOverview() }))
  .want((p, now) => {
    const libvirt = peek(now, "libvirt");
    const names = typeof libvirt === "object" && "domains" in libvirt ? Object.keys(libvirt.domains) : [];
    const first = `${p.prefix}-1`;
    if (!names.includes(first) && names.some((name) => new RegExp(`^${p.prefix}-\\d+$`).test(name))) {
      return refuse({
        code: "first-node-gone",
        message: `${first} no longer exists, but other nodes do: installed as the first node, it would create a second cluster`,
        hint: "Run the playbook harvester-replace-node with node=1, which makes it join",
      });
    }
    const surplus = names.filter((name) => Number(new RegExp(`^${p.prefix}-(\\d+)$`).exec(name)?.[1] ?? 0) > p.nodes);
    if (surplus.length === 0) return {};
    return refuse({
      code: "nodes-left",
      message: `the host has ${surplus.toSorted().join(" and ")}, but the cluster must have only ${p.nodes}`,
      current: counted(p.nodes + surplus.length, "node"),
      expected: counted(p.nodes, "node"),
      hint: "Remove them with the playbook harvester-remove-node, or set nodes to the current number",
    });
  })
  .steps(() => []);
