import { absent, libvirtDomain, peek, refuse, task, z } from "../../src/authoring.ts";

const params = z.strictObject({
  nodes: z
    .array(z.strictObject({ name: z.string(), mac: z.string() }))
    .describe("The nodes, each with the MAC address that it must have"),
});

/**
 * Refuses to change the MAC address of an existing node. A new MAC address would also change the node's IP address,
 * which must never change in Harvester (Harvester docs, "Network topology").
 */
export const sameMachines = task({
  name: "sameMachines",
  summary: "Refuse to change the MAC addresses of existing nodes",
  params,
  examples: [],
  title: () => "existing nodes keep their MAC addresses",
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
        message: `${name} exists with the MAC address ${first}; with a different one it would lose its address in the cluster`,
        current: first,
        expected: mac,
        hint: `Adopt it: adopted: [{ mac: "${first}", address: "…" }], with its address from virsh domifaddr ${name}`,
      });
    }
    return {};
  })
  .steps(() => []);
