import { absent, libvirtDomain, peek, refuse, task, z } from "../../src/authoring.ts";

const params = z.strictObject({
  nodes: z
    .array(z.strictObject({ name: z.string(), mac: z.string() }))
    .describe("The nodes, and the MAC address that each shall have"),
});

/**
 * Refuses to give a node that is there another MAC address. With it would come another IP address, and the address of a
 * node of Harvester must never change (Harvester docs, "Network topology").
 */
export const sameMachines = task({
  name: "sameMachines",
  summary: "Refuse to give nodes that are there other MAC addresses",
  params,
  examples: [],
  title: () => "nodes that are there keep their MAC addresses",
})
  .facts((p) => ({ domains: p.nodes.map(({ name }) => libvirtDomain(name)) }))
  .want((p, now) => {
    for (const [at, { name, mac }] of p.nodes.entries()) {
      const domain = peek(now.domains, at);
      if (typeof domain !== "object" || !("interfaces" in domain)) continue;
      const [first, ...others] = Object.entries(domain.interfaces).flatMap(([own, nic]) => (nic === absent ? [] : own));
      if (first === undefined || first === mac || others.includes(mac)) continue;
      return refuse({
        code: "other-mac",
        message: `${name} is there with the MAC address ${first}; with another one it would lose the address that its cluster knows it by`,
        current: first,
        expected: mac,
        hint: `Adopt it: adopted: [{ mac: "${first}", address: "…" }], its address as virsh domifaddr ${name} shows it`,
      });
    }
    return {};
  })
  .steps(() => []);
