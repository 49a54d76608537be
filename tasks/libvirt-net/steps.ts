import { absent, type Change, type Step, type StepList } from "../../src/authoring.ts";
import {
  dhcpHostElement,
  dhcpRangeElement,
  libvirtConnection,
  type LibvirtNet,
  type NetConfig,
  netXml,
} from "../../src/facts/catalogue.ts";
import type { DefinedNet } from "./params.ts";
import { needsRestart, wantedConfig } from "./wanted.ts";

/** Returns a step that calls virsh once. */
export function virsh(...words: readonly string[]): Extract<Step, { readonly step: "run" }> {
  return { step: "run", label: `virsh ${words.join(" ")}`, argv: ["virsh", "-q", "-c", libvirtConnection, ...words] };
}

type Found = LibvirtNet | typeof absent;

/**
 * Returns the steps that create or change a network. `stays` is true if the network is in use and must not be stopped.
 */
export function stepsOf(p: DefinedNet, now: Found, change: Change | undefined, stays: boolean): StepList {
  const paths = change?.paths ?? [];
  const touched = (part: string): boolean => paths.some((path) => path === part || path.startsWith(`${part}.`));
  const isNew = now === absent;
  const defines =
    isNew ||
    change === undefined ||
    paths.some((path) => !["active", "autostart"].includes(path) && !path.startsWith("live"));
  return [
    defines && {
      step: "run",
      label: `define network ${p.name}`,
      argv: ["virsh", "-q", "-c", libvirtConnection, "net-define", "/dev/stdin"],
      stdin: netXml(isNew ? undefined : now.xml, p.name, wantedConfig(p, isNew ? undefined : now)),
    },
    (isNew ? p.autostart : touched("autostart")) &&
      virsh("net-autostart", p.name, ...(p.autostart ? [] : ["--disable"])),
    liveSteps(p, now, touched("live"), stays),
  ];
}

function liveSteps(p: DefinedNet, now: Found, differs: boolean, stays: boolean): StepList {
  const live = now === absent ? absent : now.live;
  const runs = now !== absent && now.active;
  if (p.state === "inactive") return [runs && virsh("net-destroy", p.name)];
  if (!runs) return [virsh("net-start", p.name)];
  if (!differs) return [];
  const restarts = live === absent || needsRestart(live, wantedConfig(p, live)).length > 0;
  if (restarts && !stays) return [virsh("net-destroy", p.name), virsh("net-start", p.name)];
  return live === absent ? [] : leaseSteps(p, live);
}

/** Returns the changes that a running network accepts: ranges and reservations. Removals come first. */
function leaseSteps(p: DefinedNet, live: NetConfig): Step[] {
  const { ranges = live.dhcp.ranges, hosts = {}, lease = live.dhcp.lease } = wantedConfig(p, live).dhcp ?? {};
  const update = (verb: string, section: string, about: string, xml: string): Step => ({
    ...virsh("net-update", p.name, verb, section, xml, "--live"),
    label: `virsh net-update ${p.name} ${verb} ${section} ${about}`,
  });
  const differs = Object.entries(hosts).filter(([mac, want]) => !same(live.dhcp.hosts[mac], want));
  const without = live.dhcp.ranges
    .filter((range) => !ranges.includes(range))
    .map((range) => update("delete", "ip-dhcp-range", range, dhcpRangeElement(range, live.dhcp.lease)));
  return [
    ...differs.flatMap(([mac]) => {
      const old = live.dhcp.hosts[mac];
      return old === undefined || old === absent
        ? []
        : [update("delete", "ip-dhcp-host", mac, dhcpHostElement(mac, old))];
    }),
    ...(ranges.length > 0 ? without : []),
    ...ranges
      .filter((range) => !live.dhcp.ranges.includes(range))
      .map((range) => update("add-last", "ip-dhcp-range", range, dhcpRangeElement(range, lease))),
    ...differs.flatMap(([mac, want]) =>
      want === absent ? [] : [update("add-last", "ip-dhcp-host", mac, dhcpHostElement(mac, want))],
    ),
    // libvirt (9.0) forgets a network's boot file if the network has neither a range nor a reservation, even for a
    // moment.
    ...(ranges.length > 0 ? [] : without),
  ];
}

type Kept = NetConfig["dhcp"]["hosts"][string] | undefined;

function same(a: Kept, b: Kept): boolean {
  if (a === undefined || a === absent || b === undefined || b === absent) return a === b;
  return a.ip === b.ip && a.name === b.name;
}
