import { refuse, type Refusal } from "../../src/authoring.ts";
import { carriersOf, mayCutOff } from "./carriers.ts";
import { foreignAt, type NetworkState } from "./network-state.ts";
import { networkdPath } from "./renderers/networkd.ts";
import { type Params, portsOf, type Renderer, touchedBy } from "./params.ts";

/** The tool that configures the host's network, or a refusal if furrow cannot determine it. */
export function rendererOf(p: Params, { renderers }: NetworkState): Renderer | Refusal {
  const [only, ...more] = renderers as readonly Renderer[];
  if (p.renderer !== undefined && renderers.includes(p.renderer)) return p.renderer;
  const inUse = renderers.join(", ");
  if (p.renderer !== undefined) {
    return refuse({
      code: "renderer-not-in-use",
      message: `${p.renderer} does not configure this host's network`,
      current: inUse === "" ? "none that furrow supports" : inUse,
      expected: p.renderer,
      hint: renderers.includes("netplan")
        ? "Leave renderer out: netplan writes the files of networkd and NetworkManager itself"
        : "Start it and move the host's network to it first, or leave renderer out",
    });
  }
  if (only === undefined) {
    return refuse({
      code: "no-renderer",
      message: "no tool that furrow supports configures this host's network",
      current:
        "systemd-networkd, NetworkManager and wicked are not running, netplan has no files, and ifupdown has no interface",
      hint: "Move the host's network to one of them first",
    });
  }
  if (more.length === 0) return only;
  return refuse({
    code: "several-renderers",
    message: "several tools configure this host's network, so furrow does not choose one",
    current: inUse,
    expected: "one",
    hint: `Name the tool that configures ${p.name}: renderer: "${only}"`,
  });
}

/** Explains why the host's network cannot be brought into the desired state; undefined if it can. */
export function obstacleOf(p: Params, renderer: Renderer, state: NetworkState): Refusal | undefined {
  return (
    missingLink(p, state) ??
    wrongSort(p, state) ??
    portInUse(p, state) ??
    tooLarge(p, state) ??
    addressInUse(p, state) ??
    withoutAddress(p, state) ??
    otherAddress(p, state) ??
    noResolver(p, renderer, state) ??
    definedElsewhere(p, renderer, state) ??
    noRevert(p, state)
  );
}

function missingLink(p: Params, { links }: NetworkState): Refusal | undefined {
  const needed = p.kind === "physical" ? [p.name] : p.kind === "vlan" ? [p.parent] : portsOf(p);
  const missing = needed.find((name) => links[name] === undefined);
  if (missing === undefined) return undefined;
  return refuse({
    code: "no-interface",
    message: `the host has no network interface ${missing}`,
    current: Object.keys(links)
      .filter((name) => name !== "lo")
      .join(", "),
    hint: "Correct the name, or put the task that creates the interface before this one",
    missing: `networkState:host`,
  });
}

const made = ["bridge", "bond", "vlan"];

function wrongSort(p: Params, { links }: NetworkState): Refusal | undefined {
  const kind = links[p.name]?.kind;
  if (p.kind === "physical" ? made.includes(kind ?? "") : kind !== undefined && !made.includes(kind)) {
    return refuse({
      code: "other-kind",
      message: `${p.name} already exists and is of a different kind`,
      current: kind ?? "",
      expected: p.kind,
      hint: "Choose another name, or correct kind",
    });
  }
  const port = portsOf(p).find((name) => made.includes(links[name]?.kind ?? ""));
  if (port === undefined) return undefined;
  return refuse({
    code: "port-kind",
    message: `${port} cannot become a port of ${p.name} through this task`,
    current: links[port]?.kind ?? "",
    expected: "a physical or virtual network card",
    hint: "Leave out this port: bridges over bonds and VLANs are not supported yet",
  });
}

function portInUse(p: Params, { links }: NetworkState): Refusal | undefined {
  const inUse = touchedBy(p).find((name) => ![undefined, "", p.name].includes(links[name]?.master));
  if (inUse === undefined) return undefined;
  return refuse({
    code: "port-in-use",
    message: `${inUse} is a port of another interface`,
    current: links[inUse]?.master ?? "",
    expected: inUse === p.name ? "not a port" : `not a port, or a port of ${p.name}`,
    hint: "Remove it from the other interface first",
  });
}

function tooLarge(p: Params, { links }: NetworkState): Refusal | undefined {
  if (p.mtu === undefined) return undefined;
  const limits = [
    ...(p.kind === "physical" ? [p.name] : portsOf(p)).map((name) => ({ name, limit: links[name]?.maxMtu ?? 0 })),
    ...(p.kind === "vlan" ? [{ name: p.parent, limit: links[p.parent]?.mtu ?? 0 }] : []),
  ];
  const { mtu } = p;
  const exceeded = limits.find(({ limit }) => limit > 0 && mtu > limit);
  if (exceeded === undefined) return undefined;
  return refuse({
    code: "mtu-too-large",
    message: `${exceeded.name} cannot carry packets of ${mtu} bytes`,
    current: `at most ${exceeded.limit} bytes`,
    expected: `${mtu} bytes`,
    hint: `Set mtu to at most ${exceeded.limit}${p.kind === "vlan" ? `, or raise that of ${p.parent} before this task` : ""}`,
  });
}

function addressInUse(p: Params, { links }: NetworkState): Refusal | undefined {
  const others = Object.entries(links).filter(([name]) => !touchedBy(p).includes(name));
  const plain = (text: string): string => text.split("/")[0] ?? "";
  for (const [name, link] of others) {
    const same = p.addresses.find((address) => link.addresses.some((other) => plain(other) === plain(address)));
    if (same === undefined) continue;
    return refuse({
      code: "address-in-use",
      message: `the host has the address ${plain(same)} on another interface`,
      current: name,
      expected: p.name,
      hint: `Give ${p.name} another address, or first remove this one from ${name}`,
    });
  }
  return undefined;
}

/** If the interface that carries the connection loses its address, the connection is lost. */
function withoutAddress(p: Params, state: NetworkState): Refusal | undefined {
  if (p.dhcp || p.addresses.length > 0) return undefined;
  const carriers = carriersOf(state);
  const carrier = touchedBy(p).find(
    (name) => carriers?.has(name) === true && (state.links[name]?.addresses.length ?? 0) > 0,
  );
  if (carrier === undefined) return undefined;
  return refuse({
    code: "no-address",
    message: `${carrier} carries the connection or the default route, and would lose its addresses`,
    current: state.links[carrier]?.addresses.join(", ") ?? "",
    expected: `an address for ${p.name}`,
    hint: `Give ${p.name} the addresses of ${carrier}, or set dhcp: true`,
  });
}

/**
 * The new connection that confirms the change goes to the same address as this one. Addresses that a router announces
 * or that another program has set may stay, so only an IPv4 address, or one that this task would remove, is certainly
 * lost.
 */
function otherAddress(p: Params, { address, connection, links }: NetworkState): Refusal | undefined {
  if (p.dhcp || p.addresses.length === 0 || address === "" || connection === undefined) return undefined;
  if (!touchedBy(p).includes(connection)) return undefined;
  const plain = (text: string): string => text.split("/")[0] ?? "";
  const own = links[connection]?.addresses ?? [];
  if (p.addresses.some((text) => plain(text) === address)) return undefined;
  if (address.includes(":") && !own.some((text) => plain(text) === address)) return undefined;
  if (connection === p.name && own.toSorted().join(" ") === p.addresses.toSorted().join(" ")) return undefined;
  return refuse({
    code: "other-address",
    message: `the connection goes to ${address}, which no interface of the host would have after the change, so furrow could not confirm it`,
    current: `${address} on ${connection}`,
    expected: `${address} among the addresses of ${p.name}`,
    hint: `Give ${p.name} the address ${address} too; remove it in a later run, in which the inventory connects to the new address`,
  });
}

function noResolver(p: Params, renderer: Renderer, { resolvers }: NetworkState): Refusal | undefined {
  if (p.nameservers.length === 0 || renderer === "NetworkManager") return undefined;
  const needed = renderer === "ifupdown" ? "resolvconf" : "resolved";
  if (renderer !== "wicked" && resolvers.includes(needed)) return undefined;
  return refuse({
    code: "no-resolver",
    message: `nothing on this host would use the nameservers configured in ${renderer}`,
    current: resolvers.join(", ") || "neither systemd-resolved nor resolvconf",
    expected: needed,
    hint:
      renderer === "ifupdown"
        ? 'Put package({ name: "resolvconf" }) before this task, or keep /etc/resolv.conf with file() and leave nameservers out'
        : "Install and start systemd-resolved before this task, or keep /etc/resolv.conf with file() and leave nameservers out",
  });
}

/** netplan merges lists from several files, and ifupdown would run the stanzas of several files. */
function definedElsewhere(p: Params, renderer: Renderer, state: NetworkState): Refusal | undefined {
  const said =
    foreignAt(state, "*") ??
    (renderer === "ifupdown"
      ? touchedBy(p)
          .map((name) => foreignAt(state, name))
          .find(Boolean)
      : undefined);
  const own = renderer === "netplan" && p.kind !== "physical" ? foreignAt(state, p.name) : undefined;
  const found = said ?? own;
  if (found === undefined) return undefined;
  return refuse({
    code: "defined-elsewhere",
    message: `another file defines ${p.name} or its ports, in a form that furrow cannot edit`,
    current: found,
    hint: "Remove the definition from that file, and rerun",
  });
}

/** Without systemd, nothing on the host would revert a change that cuts the connection. */
function noRevert(p: Params, state: NetworkState): Refusal | undefined {
  if (state.systemd || !mayCutOff(p, state)) return undefined;
  return refuse({
    code: "no-revert",
    message: `the change to ${p.name} may cut the connection, and this host could not revert it by itself`,
    current: "systemd is not running",
    expected: "systemd, whose timers revert what furrow does not confirm",
    hint: "Make this change at the host's console",
  });
}

/** networkd creates a VLAN only if the file of its parent interface names the VLAN. */
export function parentUnknown(name: string, parent: string): Refusal {
  return refuse({
    code: "parent-not-configured",
    message: `networkd creates ${name} only if the file of ${parent} names it, and furrow did not write that file`,
    current: `no ${networkdPath(parent)}`,
    hint: `Put networkInterface({ name: "${parent}", … }) before this task`,
    missing: `file:${networkdPath(parent)}`,
  });
}
