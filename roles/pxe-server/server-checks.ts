import type { HostFacts, Node } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { bootFamily } from "./families.ts";
import type { Rack } from "./rack-fields.ts";

/** Checks, before anything is changed, that the host can serve the rack. */
export function serverChecks(rack: Rack, facts: HostFacts, card: string | undefined): Node {
  const all = Object.values(facts.addresses).flat();
  const prefix = rack.network.split("/")[1] ?? "";
  const own = all.find((one) => one.startsWith(`${rack.server}/`));
  return t.assert(
    {
      that: [
        {
          check: bootFamily(facts) !== undefined,
          message: `the role does not know the packages of ${facts.os.id} ${facts.os.version}`,
          hint: "Use a host with Debian, SUSE or Red Hat, or one of their derivatives",
        },
        {
          check: card !== undefined,
          message: `the host does not have the address ${rack.server}; it has ${all.join(", ") || "none"}`,
          hint: "Set the var `server` to the host's address in the rack's subnet, or give the host this address",
        },
        {
          check: own === undefined || own.endsWith(`/${prefix}`),
          message: `the host has ${own ?? ""}, but the var \`network\` has /${prefix}`,
          hint: "Correct the var `network`, or the host's prefix length",
        },
        ...rack.vmNetworks.map((vlan) => ({
          check: facts.addresses[vlan.interface] !== undefined,
          message: `the host has no address on ${vlan.interface}, so it cannot serve ${vlan.network}`,
          hint: "Give the interface an address in the VLAN first, for example with the host's network configuration",
        })),
      ],
    },
    { name: `the host can serve ${rack.network}` },
  );
}
