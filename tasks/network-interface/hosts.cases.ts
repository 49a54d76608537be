import { absent, contentHash } from "../../src/authoring.ts";
import { withoutStanzas } from "./interfaces-file.ts";
import type { Link, NetworkState } from "./network-state.ts";
import { params, type Params, touchedBy } from "./params.ts";
import { possiblePaths, tools } from "./renderers/tools.ts";

const owned = { owner: "root", group: "root" };
const folder = { ...owned, type: "directory", mode: "0755" };

/** An interface that is up and has one address. */
export const port: Link = {
  kind: "physical",
  up: true,
  mtu: 1500,
  maxMtu: 9000,
  master: "",
  parent: "",
  vlan: 0,
  mode: "",
  addresses: ["192.0.2.10/24"],
  routes: { "default via 192.0.2.1": true },
};
/** An interface without addresses. */
export const bare: Link = { ...port, addresses: [], routes: {} };
/** A host with two interfaces; eth0 carries the connection. */
export const network: NetworkState = {
  renderers: ["networkd"],
  resolvers: [],
  systemd: true,
  armed: false,
  connection: "eth0",
  address: "192.0.2.10",
  defaults: ["eth0"],
  links: { lo: { ...bare, mtu: 65_536, maxMtu: 0 }, eth0: port, eth1: bare },
  foreign: {},
};
/** The same host with a bridge in place of eth0. */
export const bridged: NetworkState = {
  ...network,
  connection: "br0",
  defaults: ["br0"],
  links: { ...network.links, eth0: { ...bare, master: "br0" }, br0: { ...port, kind: "bridge", maxMtu: 65_535 } },
};
/** The text of /etc/network/interfaces on a Debian host. */
export const interfaces = `# The loopback network interface
auto lo
iface lo inet loopback

source /etc/network/interfaces.d/*

auto eth0
iface eth0 inet static
    address 192.0.2.10/24
    gateway 192.0.2.1
`;

/** The state of a host before the task has run there; `over`: values that replace those of `network`. */
export function before(given: object, over: Partial<NetworkState> = {}): Record<string, unknown> {
  const p = parsed(given);
  const paths = possiblePaths(p);
  return {
    network: { ...network, ...over },
    files: paths.map(() => absent),
    folders: [...new Set(paths.map((path) => path.slice(0, path.lastIndexOf("/"))))].map(() => folder),
    interfaces: { ...folder, type: "file", mode: "0644", text: interfaces },
    interfacesFolder: folder,
    ...(p.kind === "vlan" && { parentFile: { ...folder, type: "file", mode: "0644" } }),
  };
}

/** The state of a host on which the task has run. */
export function after(given: object, state: NetworkState): Record<string, unknown> {
  const p = parsed(given);
  const [renderer = "networkd"] = state.renderers as readonly NonNullable<Params["renderer"]>[];
  const own = new Map(tools[renderer].files(p, state.links).map((one) => [one.path, one]));
  const now = before(given, state);
  return {
    ...now,
    files: possiblePaths(p).map((path): unknown => {
      const one = own.get(path);
      return one === undefined ? absent : { ...owned, type: "file", mode: one.mode, sha256: contentHash(one.text) };
    }),
    interfaces: { ...folder, type: "file", mode: "0644", text: withoutStanzas(interfaces, touchedBy(p)) },
  };
}

function parsed(given: object): Params {
  return params.parse(given);
}
