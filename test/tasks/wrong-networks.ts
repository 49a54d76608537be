import type { NetworkHost } from "./network-lab.ts";

/** A wrong configuration, and how its run ends: `refused` before anything changes, or `reverted` by the host. */
interface Wrong {
  readonly what: string;
  readonly end: "refused" | "reverted";
  readonly paramsOf: (host: NetworkHost) => object;
}

const own = { name: "host0", confirmSeconds: 10 };
const over = { name: "br0", kind: "bridge", ports: ["host0"], confirmSeconds: 10 };

/**
 * Params that make the host unreachable at its address, because they give it a network that does not include the
 * controller.
 */
export const deaf = ({ address }: NetworkHost): object => ({ ...own, addresses: [`${address}/29`] });

/** Wrong configurations of a lab host whose interface host0 carries the connection. */
export const wrong: readonly Wrong[] = [
  {
    what: "a gateway that does not exist",
    end: "reverted",
    paramsOf: ({ address, prefix }) => ({ ...own, addresses: [`${address}/24`], gateway: `${prefix}.250` }),
  },
  {
    what: "a prefix that is too long",
    end: "reverted",
    paramsOf: deaf,
  },
  {
    what: "a prefix that is too short, and a gateway in it that does not exist",
    end: "reverted",
    paramsOf: ({ address }) => ({ ...own, addresses: [`${address}/16`], gateway: "10.77.254.1" }),
  },
  { what: "another network", end: "refused", paramsOf: () => ({ ...own, addresses: ["10.99.0.11/24"] }) },
  {
    what: "a mistyped address",
    end: "refused",
    paramsOf: ({ prefix }) => ({ ...own, addresses: [`${prefix}.111/24`] }),
  },
  {
    what: "the address of another host",
    end: "refused",
    paramsOf: ({ peer, gateway }) => ({ ...own, addresses: [`${peer}/24`], gateway }),
  },
  { what: "DHCP where no server answers", end: "reverted", paramsOf: () => ({ ...own, dhcp: true }) },
  { what: "IPv6 only", end: "refused", paramsOf: () => ({ ...own, addresses: ["2001:db8::11/64"] }) },
  {
    what: "a route to the controller through a router that does not exist",
    end: "reverted",
    paramsOf: ({ address, gateway, prefix }) => ({
      ...own,
      addresses: [`${address}/24`],
      routes: [{ to: `${gateway}/32`, via: `${prefix}.250` }],
    }),
  },
  {
    what: "a second interface whose network contains the controller",
    end: "reverted",
    paramsOf: ({ prefix }) => ({ name: "br9", kind: "bridge", addresses: [`${prefix}.5/29`], confirmSeconds: 10 }),
  },
  {
    // Unless networkd has a file for host0, it would not create the VLAN, so the task refuses.
    what: "a VLAN that no switch port has",
    end: "reverted",
    paramsOf: ({ renderer, address, prefix }) =>
      renderer === "networkd"
        ? { ...over, name: "br7", addresses: [`${address}/24`], gateway: `${prefix}.249` }
        : {
            name: "host0.99",
            kind: "vlan",
            parent: "host0",
            id: 99,
            confirmSeconds: 10,
            addresses: ["10.98.0.2/24"],
            gateway: "10.98.0.1",
          },
  },
  {
    what: "a bond with a gateway that does not exist",
    end: "reverted",
    paramsOf: ({ address, prefix }) => ({
      name: "bond0",
      kind: "bond",
      ports: ["host0"],
      addresses: [`${address}/24`],
      gateway: `${prefix}.250`,
      confirmSeconds: 10,
    }),
  },
  {
    what: "a bridge with a mistyped address",
    end: "refused",
    paramsOf: ({ prefix, gateway }) => ({ ...over, addresses: [`${prefix}.111/24`], gateway }),
  },
  {
    what: "a bridge with a gateway that does not exist",
    end: "reverted",
    paramsOf: ({ address, prefix }) => ({ ...over, addresses: [`${address}/24`], gateway: `${prefix}.250` }),
  },
  { what: "a bridge with DHCP where no server answers", end: "reverted", paramsOf: () => ({ ...over, dhcp: true }) },
  {
    what: "a bridge whose network does not contain the controller",
    end: "reverted",
    paramsOf: ({ address }) => ({ ...over, addresses: [`${address}/29`] }),
  },
  { what: "a bridge without the address of its port", end: "refused", paramsOf: () => over },
  {
    what: "a port that does not exist",
    end: "refused",
    paramsOf: ({ address }) => ({ ...over, ports: ["hots0"], addresses: [`${address}/24`] }),
  },
  {
    what: "an interface that does not exist",
    end: "refused",
    paramsOf: ({ address }) => ({ name: "hots0", addresses: [`${address}/24`] }),
  },
  {
    what: "an address that the parent interface already has",
    end: "refused",
    paramsOf: ({ address }) => ({
      name: "host0.5",
      kind: "vlan",
      parent: "host0",
      id: 5,
      addresses: [`${address}/24`],
    }),
  },
  {
    what: "a tool other than the host's",
    end: "refused",
    paramsOf: ({ address }) => ({ ...own, addresses: [`${address}/24`], renderer: "wicked" }),
  },
];
