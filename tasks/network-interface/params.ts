import { z } from "../../src/authoring.ts";
import { addressOf, cidrOf, cidrText, isIn, isReserved, networkText, plainText } from "./addresses.ts";

const link = (): z.ZodType<string, string> =>
  z
    .string({ error: 'the name of a network interface, like "eth0"' })
    .regex(
      /^[A-Za-z0-9][\w.-]{0,14}$/,
      'the name of a network interface, like "eth0": at most 15 letters, digits, "_", "-", "."',
    );

const cidr = (example: string): z.ZodType<string, string> =>
  z
    .string({ error: `an address with its prefix length, like "${example}"` })
    .refine((text) => cidrOf(text) !== undefined, `an address with its prefix length, like "${example}"`);

const address = (example: string): z.ZodType<string, string> =>
  z
    .string({ error: `an IP address, like "${example}"` })
    .refine((text) => addressOf(text) !== undefined, `an IP address, like "${example}"`)
    .transform(plainText);

const common = {
  name: link().describe("Name of the interface: `eth0`, `br0`"),
  addresses: z
    .array(
      cidr("192.0.2.10/24")
        .refine((text) => {
          const found = cidrOf(text);
          return found === undefined || !isReserved(found);
        }, "an address of a host: this is the network's own address or its broadcast address")
        .transform(cidrText),
    )
    .default([])
    .describe("Static addresses, IPv4 and IPv6, each with its prefix length; all others are removed"),
  dhcp: z.boolean({ error: "true or false" }).default(false).describe("Get an IPv4 address by DHCP"),
  gateway: address("192.0.2.1")
    .optional()
    .describe("Router of the default route. The change is confirmed only if the router answers on the link"),
  routes: z
    .array(
      z.strictObject({
        to: cidr("198.51.100.0/24")
          .refine((text) => cidrOf(text)?.prefix !== 0, "a network: use gateway for the default route")
          .transform(networkText)
          .describe("Destination network"),
        via: address("192.0.2.2").describe("Router, on a network of this interface"),
      }),
    )
    .default([])
    .describe("Other static routes"),
  nameservers: z
    .array(address("192.0.2.53"))
    .default([])
    .describe("DNS servers; the host needs NetworkManager, systemd-resolved or resolvconf for them"),
  mtu: z
    .int({ error: "a number of bytes, like 9000" })
    .min(576, "at least 576 bytes, which every IPv4 host must accept")
    .max(65_535, "at most 65535 bytes")
    .optional()
    .describe("Size of the largest packet in bytes; unchanged if not given"),
  renderer: z
    .enum(["networkd", "NetworkManager", "netplan", "ifupdown", "wicked"], {
      error: '"networkd", "NetworkManager", "netplan", "ifupdown" or "wicked"',
    })
    .optional()
    .describe(
      "Tool that configures this host's network; default: the only one in use; if there are several, the task is refused",
    ),
  confirmSeconds: z
    .int({ error: "a whole number of seconds" })
    .min(10, "at least 10 seconds")
    .max(3600, "at most an hour")
    .default(60)
    .describe(
      "For an interface that carries the connection or the default route: seconds after which the host reverts the change, unless furrow has confirmed it over a new connection",
    ),
};

const ports = z
  .array(link(), { error: 'a list of interfaces, like ["eth0"]' })
  .describe("Interfaces that become ports of the bridge or bond; their own addresses and routes are removed");

/** The bond modes that Linux supports (bonding.rst in the kernel's documentation). */
export const bondModes = [
  "balance-rr",
  "active-backup",
  "balance-xor",
  "broadcast",
  "802.3ad",
  "balance-tlb",
  "balance-alb",
] as const;

/** Params of `networkInterface`. */
export const params = z
  .union([
    z.strictObject({
      ...common,
      kind: z.literal("physical").default("physical").describe("An existing interface"),
    }),
    z.strictObject({
      ...common,
      kind: z.literal("bridge").describe("A bridge, which is created"),
      ports: ports.default([]),
    }),
    z.strictObject({
      ...common,
      kind: z.literal("bond").describe("Several interfaces combined into one"),
      ports: ports.min(1, "at least one interface"),
      mode: z
        .enum(bondModes, { error: bondModes.map((mode) => `"${mode}"`).join(", ") })
        .default("active-backup")
        .describe(
          "Bond mode; all but active-backup, balance-tlb and balance-alb need a matching configuration on the switch",
        ),
    }),
    z.strictObject({
      ...common,
      kind: z.literal("vlan").describe("A VLAN on top of another interface"),
      parent: link().describe("Interface that carries the tagged packets"),
      id: z
        .int({ error: "a VLAN id, 1 to 4094" })
        .min(1, "a VLAN id, 1 to 4094")
        .max(4094, "a VLAN id, 1 to 4094")
        .describe("VLAN id"),
    }),
  ])
  .superRefine((p, context) => {
    for (const { path, message } of problemsOf(p)) context.addIssue({ code: "custom", path: [path], message });
  });

/** Parsed params of `networkInterface`. */
export type Params = z.output<typeof params>;

/** The names of a host's network configuration tools. */
export type Renderer = NonNullable<Params["renderer"]>;

/** The interfaces that become ports; none for other kinds. */
export function portsOf(p: Params): readonly string[] {
  return p.kind === "bridge" || p.kind === "bond" ? p.ports : [];
}

/** All interfaces that the task configures. */
export function touchedBy(p: Params): readonly string[] {
  return [p.name, ...portsOf(p)];
}

function problemsOf(p: Params): { readonly path: string; readonly message: string }[] {
  const problems: { path: string; message: string }[] = [];
  const say = (path: string, message: string): void => void problems.push({ path, message });
  const own = p.addresses.map((text) => text.split("/")[0]);
  if (new Set(p.addresses).size < p.addresses.length) say("addresses", "each address once");
  const vias = [
    ...(p.gateway === undefined ? [] : [{ path: "gateway", via: p.gateway }]),
    ...p.routes.map(({ via }) => ({ path: "routes", via })),
  ];
  for (const { path, via } of vias) {
    if (own.includes(via)) say(path, `a router that is not the interface itself: ${via} is one of its addresses`);
    else if (!isReachable(p, via)) {
      say(
        path,
        p.addresses.length === 0
          ? `no router, or an address for ${p.name} in the network of ${via}`
          : `a router in a network of the interface: ${via} is in none of ${p.addresses.join(", ")}`,
      );
    }
  }
  if (new Set(p.routes.map(({ to }) => to)).size < p.routes.length) say("routes", "each network once");
  const isSix = p.addresses.some((text) => text.includes(":"));
  if (isSix && p.mtu !== undefined && p.mtu < 1280) say("mtu", "at least 1280 bytes, which IPv6 needs");
  if (portsOf(p).includes(p.name)) say("ports", `interfaces other than ${p.name} itself`);
  if (new Set(portsOf(p)).size < portsOf(p).length) say("ports", "each interface once");
  if (p.kind === "vlan" && p.parent === p.name) say("parent", `an interface other than ${p.name} itself`);
  return problems;
}

/** The network that DHCP assigns is not known in advance; an IPv6 router may have a link-local address. */
function isReachable(p: Params, via: string): boolean {
  if (p.dhcp && !via.includes(":")) return true;
  return /^fe[89ab][0-9a-f]:/.test(via) || p.addresses.some((network) => isIn(via, network));
}
