import { absent, libvirtNet as libvirtNetFact, peek, type Refusal, refuse, task } from "../../src/authoring.ts";
import {
  type LibvirtNet,
  libvirtObstacle,
  type LibvirtOverview,
  libvirtOverview,
  libvirtUnits,
  unitsInDoubt,
  virshProgram,
  livePaths,
  usersOfNet,
} from "../../src/facts/catalogue.ts";
import { params, type NetParams } from "./params.ts";
import { stepsOf, virsh } from "./steps.ts";
import { collision, needsRestart, wantedConfig } from "./wanted.ts";

/** Keeps a libvirt network defined, running, and set to start when the host boots. */
export const libvirtNet = task({
  name: "libvirtNet",
  summary: "Keep a libvirt network as described; guests that run on it are never cut off",
  params,
  examples: [
    {
      name: "vlan1",
      bridge: "virbr1",
      address: "192.168.122.1",
      dhcp: {
        ranges: [{ start: "192.168.122.200", end: "192.168.122.250" }],
        hosts: [{ mac: "52:54:00:00:00:01", ip: "192.168.122.11", name: "node-1" }],
        reserved: ["192.168.122.120"],
        bootFile: "http://192.168.122.1/default.ipxe",
      },
    },
    { name: "storage", bridge: "virbr2", forward: "isolated", address: "10.9.0.1", prefix: 24 },
    { name: "default", state: "absent" },
  ],
  title: (p) => `libvirtNet ${p.name}`,
})
  .facts((p) => ({ net: libvirtNetFact(p.name), libvirt: libvirtOverview(), virsh: virshProgram() }))
  .facts((_, { libvirt }) => ({ units: libvirt.daemon === "down" ? libvirtUnits() : [] }))
  .facts((_, { units }) => unitsInDoubt(units))
  .want((p, now) => {
    const { net, libvirt } = now;
    if (p.state === "absent" && net === absent) return {};
    const obstacle = libvirtObstacle({ virsh: peek(now, "virsh"), libvirt, units: now.units });
    if (obstacle) return obstacle;
    if (p.state === "absent") {
      return refuseToCut(p, now, "removed") ?? { net: absent, libvirt: { networks: { [p.name]: absent } } };
    }
    const taken = collision(p, libvirt, net);
    if (taken) return taken;
    const active = p.state === "active";
    const cut = active ? refuseToMove(p, now) : refuseToCut(p, now, "stopped");
    if (cut) return cut;
    const config = wantedConfig(p, net === absent ? undefined : net);
    return {
      net: { ...config, persistent: true, autostart: p.autostart, active, live: active ? wantedLive(p, now) : absent },
      libvirt: {
        networks: {
          [p.name]: { bridge: p.bridge, subnets: subnetsWith(p, now), active, autostart: p.autostart },
        },
      },
    };
  })
  .steps((p, { change, now }) => {
    if (p.state === "absent") {
      return now.net === absent
        ? []
        : [now.net.active && virsh("net-destroy", p.name), now.net.persistent && virsh("net-undefine", p.name)];
    }
    return stepsOf(p, now.net, change.net, usersOf(p, now).length > 0);
  })
  .notes((p, now) => {
    const { net } = now;
    if (p.state === "absent" || net === absent || net.live === absent) return [];
    const parts = livePaths(net.live, wantedConfig(p, net.live));
    const users = usersOf(p, now);
    return parts.length === 0
      ? []
      : [
          `needs a restart for ${parts.join(", ")}${users.length === 0 ? "" : `, once ${users.join(", ")} no longer uses it`}`,
        ];
  });

interface Seen {
  readonly net: LibvirtNet | typeof absent;
  readonly libvirt: LibvirtOverview;
}

/** Lists what uses the network: guests by name, and interfaces on its bridge that do not belong to a guest. */
function usersOf(p: NetParams, { net, libvirt }: Seen): readonly string[] {
  if (net === absent || !net.active) return [];
  const bridges = [net.bridge, ...(net.live === absent ? [] : [net.live.bridge])];
  const domains = usersOfNet(libvirt, p.name, bridges);
  return domains.length > 0 ? domains : net.ports;
}

function refuseToCut(p: NetParams, now: Seen, verb: string): Refusal | undefined {
  const users = usersOf(p, now);
  if (users.length === 0) return undefined;
  return refuse({
    code: "network-in-use",
    message: `network ${p.name} cannot be ${verb}, because guests run on it`,
    current: users.join(", "),
    expected: "nothing on its bridge",
    hint: "Shut the guests down first",
  });
}

/**
 * Refuses to change the address or the bridge of a network in use: its guests keep the old ones, so they would lose the
 * network at its next start.
 */
function refuseToMove(p: Exclude<NetParams, { state: "absent" }>, now: Seen): Refusal | undefined {
  const { net } = now;
  const wanted = `${p.address}/${p.prefix}`;
  if (net === absent || (net.address === wanted && net.bridge === p.bridge)) return undefined;
  return refuseToCut(p, now, `moved to ${wanted} on ${p.bridge}`);
}

/**
 * Returns the desired state of the running network. This is usually the whole wanted configuration. If the network is
 * in use and a part needs a restart, it is only the parts that can change while the network is running. Undefined if
 * even the addresses differ.
 */
function wantedLive(p: Exclude<NetParams, { state: "absent" }>, now: Seen): object | undefined {
  const { net } = now;
  const live = net === absent ? absent : net.live;
  const config = wantedConfig(p, live === absent ? undefined : live);
  if (live === absent || usersOf(p, now).length === 0)
    return net !== absent && net.active && live === absent ? undefined : config;
  const parts = needsRestart(live, config);
  if (parts.length === 0) return config;
  const { ranges, hosts } = config.dhcp ?? {};
  return parts.includes("address") ? undefined : { dhcp: { ranges, hosts } };
}

/** Returns the subnets that the network must have: the described subnet, and the other subnets that it already has. */
function subnetsWith(p: Exclude<NetParams, { state: "absent" }>, { net, libvirt }: Seen): readonly string[] {
  const claims = libvirt.networks[p.name];
  const others = claims === undefined || claims === absent || net === absent ? [] : claims.subnets;
  const own = net === absent ? "" : net.address;
  return [...others.filter((subnet) => subnet !== own), `${p.address}/${p.prefix}`].toSorted();
}
