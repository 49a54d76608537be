import { ipv4Number } from "../../src/facts/catalogue.ts";
import { params as dhcpServerParams } from "../../tasks/dhcp-server/params.ts";
import { isInside, subnetAround } from "../cluster/ipv4.ts";
import { releaseOf } from "../cluster/releases.ts";
import { problemsOfConfig } from "../harvester-config/config-schema.ts";
import { dhcpParams } from "./dhcp.ts";
import { rackConfig } from "./node-config.ts";
import { type Rack, rackFields } from "./rack-fields.ts";

export type { Rack, RackNode } from "./rack-fields.ts";

interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The vars of the playbooks for machines that boot from the network. */
export const rackSchema = rackFields.superRefine((rack, context) => {
  // Mistakes in the fields themselves have already been reported.
  if (context.issues.length > 0) return;
  const places = [...problemsOfAddresses(rack), ...problemsOfNodes(rack)];
  // The other rules would only report the same mistakes again.
  const problems = places.length > 0 ? places : [...problemsOfPools(rack), ...problemsOfConfigs(rack)];
  for (const { path, message } of problems) context.addIssue({ code: "custom", path: [...path], message });
});

function problemsOfAddresses(rack: Rack): Problem[] {
  const [start = "", prefix = ""] = rack.network.split("/");
  const subnet = subnetAround(start, Number(prefix));
  const inside = (address: string): boolean =>
    isInside(address, subnet) && ![subnet.first, subnet.last].includes(ipv4Number(address) ?? -1);
  const seen = new Map<string, string>();
  const all = [
    { path: ["server"], owner: "the server", address: rack.server },
    { path: ["router"], owner: "the router", address: rack.router },
    { path: ["vip"], owner: "the cluster", address: rack.vip },
    ...rack.nodes.map(({ name, address }, at) => ({ path: ["nodes", at, "address"], owner: name, address })),
  ];
  return all.flatMap(({ path, owner, address }): Problem[] => {
    if (!inside(address)) return [{ path, message: `an address in ${rack.network} that a host can have` }];
    const other = seen.get(address);
    seen.set(address, owner);
    // The server may be the rack's router too.
    if (other === undefined || (other === "the server" && owner === "the router")) return [];
    return [{ path, message: `an address other than that of ${other}` }];
  });
}

function problemsOfNodes(rack: Rack): Problem[] {
  const { firmware } = releaseOf(rack.version);
  return [
    ...rack.nodes.flatMap((node, at): Problem[] => [
      ...(firmware.includes(node.firmware)
        ? []
        : [
            {
              path: ["nodes", at, "firmware"],
              message: `${firmware.join(" or ")}, because the installer of Harvester ${rack.version} stops on any other firmware`,
            },
          ]),
      ...(["name", "mac"] as const)
        .filter((key) => rack.nodes.findIndex((other) => other[key] === node[key]) !== at)
        .map((key) => ({ path: ["nodes", at, key], message: `a ${key} that is unique in the rack` })),
    ]),
    ...rack.reinstall.flatMap((name, at) =>
      rack.nodes.some((node) => node.name === name) ? [] : [{ path: ["reinstall", at], message: "the name of a node" }],
    ),
    ...(rack.artifacts !== undefined && rack.mirror !== undefined
      ? [{ path: ["mirror"], message: "either a mirror or `artifacts`" }]
      : []),
  ];
}

/**
 * Finds pools that contain an address of the rack, and other mistakes that only the DHCP server's own rules can find.
 */
function problemsOfPools(rack: Rack): Problem[] {
  const { error } = dhcpServerParams.safeParse(dhcpParams(rack, "card"));
  return (error?.issues ?? []).map(({ path, message }) => {
    const [first, at, ...rest] = path.map((part) => (typeof part === "symbol" ? String(part) : part));
    if (at === 0 && rest[0] === "reservations") return { path: ["nodes", ...rest.slice(1)], message };
    const isVlan = first === "subnets" && typeof at === "number" && at > 0;
    return isVlan
      ? { path: ["vmNetworks", at - 1, ...(rest[0] === "pools" ? rest.slice(2) : rest)], message }
      : { path: ["network"], message };
  });
}

function problemsOfConfigs(rack: Rack): Problem[] {
  const seen = new Set<string>();
  return rack.nodes.flatMap((node) =>
    problemsOfConfig(rackConfig(rack, node, false)).flatMap(({ path, expected }): Problem[] => {
      if (seen.has(path)) return [];
      seen.add(path);
      return [
        path === "os.dns_nameservers"
          ? { path: ["dns"], message: expected }
          : { path: ["config", path], message: expected },
      ];
    }),
  );
}
