import {
  absent,
  file,
  knownAfterApply,
  mayRefuse,
  onlyRead,
  peek,
  Refusal,
  type Step,
  task,
} from "../../src/authoring.ts";
import { undoSteps } from "../../src/facts/catalogue.ts";
import { checkCode, isOtherSort } from "./check-code.ts";
import { notAFolder, notEditable } from "./file-refusals.ts";
import { interfacesPath, withoutStanzas } from "./interfaces-file.ts";
import { foreignAt, type Link, networkState, type NetworkState } from "./network-state.ts";
import { params, type Params, portsOf, touchedBy } from "./params.ts";
import { obstacleOf, parentUnknown, rendererOf } from "./refusals.ts";
import { networkdPath } from "./renderers/networkd.ts";
import { clearForeign } from "./renderers/netplan.ts";
import type { OwnFile } from "./renderers/tool.ts";
import { possiblePaths, tools } from "./renderers/tools.ts";

/** Configures a network interface, now and at every boot; a change that cuts the connection is reverted. */
export const networkInterface = task({
  name: "networkInterface",
  summary:
    "Configure a network interface, bridge, bond or VLAN with its addresses and routes, and revert a change that cuts the connection",
  params,
  examples: [
    { name: "eth1", addresses: ["192.0.2.10/24"], mtu: 9000 },
    { name: "br0", kind: "bridge", ports: ["eth0"], addresses: ["192.0.2.10/24"], gateway: "192.0.2.1" },
    { name: "bond0", kind: "bond", ports: ["eth1", "eth2"], mode: "802.3ad", dhcp: true },
    { name: "storage", kind: "vlan", parent: "eth1", id: 60, addresses: ["198.51.100.10/24"] },
  ],
  title: (p) => `networkInterface ${p.name}`,
  disturbs: () => ["networkState:host", "file:/etc/netplan/**", "file:/etc/resolv.conf", "file:/run/**", "port:**"],
  mayProvide: () => ["networkState:host"],
})
  .facts((p) => ({
    network: mayRefuse(networkState()),
    files: possiblePaths(p).map((path) => file(path, ["sha256"])),
    folders: foldersOf(p).map((path) => file(path)),
    interfaces: file(interfacesPath, ["text"]),
    interfacesFolder: onlyRead(file(folderOf(interfacesPath))),
    ...(p.kind === "vlan" && { parentFile: mayRefuse(onlyRead(file(networkdPath(p.parent)))) }),
  }))
  .want((p, now) => {
    const { network } = now;
    const renderer = rendererOf(p, network);
    if (renderer instanceof Refusal) return renderer;
    const obstacle = obstacleOf(p, renderer, network);
    if (obstacle) return obstacle;
    if (renderer === "networkd" && p.kind === "vlan" && now.parentFile === absent)
      return parentUnknown(p.name, p.parent);
    const files = new Map(tools[renderer].files(p, network.links).map((one) => [one.path, one]));
    const folders = new Set([...files.keys()].map(folderOf));
    const unusable =
      (renderer === "ifupdown"
        ? (notAFolder(folderOf(interfacesPath), now.interfacesFolder) ?? notEditable(now.interfaces))
        : undefined) ??
      foldersOf(p)
        .map((path, at) => (folders.has(path) ? notAFolder(path, now.folders[at]) : undefined))
        .find((refusal) => refusal !== undefined);
    if (unusable) return unusable;
    return {
      network: {
        armed: false,
        links: wantedLinks(p),
        ...(renderer === "netplan" && {
          foreign: Object.fromEntries(clearable(p, network).map((name) => [name, absent])),
        }),
      },
      files: possiblePaths(p).map((path) => {
        const own = files.get(path);
        return own && { type: "file" as const, text: own.text, mode: own.mode };
      }),
      folders: foldersOf(p).map((path) => (folders.has(path) ? { type: "directory" as const } : undefined)),
      ...(renderer === "ifupdown" && {
        interfaces: { type: "file" as const, text: withoutStanzas(textOf(now.interfaces), touchedBy(p)) },
      }),
    };
  })
  .steps((p, { change, now }) => {
    const renderer = rendererOf(p, now.network);
    if (renderer instanceof Refusal) return [];
    const tool = tools[renderer];
    const files = tool.files(p, now.network.links);
    const foreign = renderer === "netplan" ? clearable(p, now.network) : [];
    const paths = possiblePaths(p);
    const write = [
      foreign.length > 0 && {
        step: "run" as const,
        label: `remove ${foreign.join(" and ")} from other netplan files`,
        argv: ["sh", "-c", clearForeign(foreign)],
      },
      ...foldersOf(p).map((path, at) => change.folders?.[at] && folder(path)),
      ...files.map((one) => change.files?.[paths.indexOf(one.path)] && save(one)),
      change.interfaces &&
        save({ path: interfacesPath, text: withoutStanzas(textOf(now.interfaces), touchedBy(p)), mode: "0644" }),
    ];
    const apply = tool.apply(p, isOtherSort(p, now.network));
    const check = checkCode(p);
    if (!now.network.systemd) return [...write, changeNow(p, apply, check)];
    const { arm, confirm } = undoSteps({
      name: "network",
      withinSeconds: p.confirmSeconds,
      paths: [tool.saves],
      links: touchedBy(p),
      apply,
      check,
      live: tool.revert(p),
      boot: tool.boot,
    });
    return [arm, ...write, confirm];
  })
  .notes((p, { network }) => {
    const renderers = peek(network, "renderers");
    if (renderers === knownAfterApply || renderers === undefined) return [];
    return rendererOf(p, network) === "wicked"
      ? ["the files for wicked are based on its manual pages, and have not been tested on a host"]
      : [];
  });

/** The interfaces with address settings in other netplan files, which this task takes over. */
function clearable(p: Params, state: NetworkState): string[] {
  return [...(p.kind === "physical" ? [p.name] : []), ...portsOf(p)].filter(
    (name) => foreignAt(state, name) !== undefined,
  );
}

function wantedLinks(p: Params): Record<string, Partial<Link>> {
  const routes = [...(p.gateway === undefined ? [] : [{ to: "default", via: p.gateway }]), ...p.routes];
  return {
    [p.name]: {
      up: true,
      ...(p.kind !== "physical" && { kind: p.kind }),
      ...(p.mtu !== undefined && { mtu: p.mtu }),
      ...(p.kind === "bond" && { mode: p.mode }),
      ...(p.kind === "vlan" && { parent: p.parent, vlan: p.id }),
      ...(!p.dhcp && { addresses: p.addresses.toSorted() }),
      ...(routes.length > 0 && {
        routes: Object.fromEntries(routes.map(({ to, via }) => [`${to} via ${via}`, true as const])),
      }),
    },
    ...Object.fromEntries(
      portsOf(p).map((port) => [
        port,
        { master: p.name, up: true, addresses: [], ...(p.mtu !== undefined && { mtu: p.mtu }) },
      ]),
    ),
  };
}

function foldersOf(p: Params): readonly string[] {
  return [...new Set(possiblePaths(p).map(folderOf))];
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

function textOf(value: typeof absent | { readonly text?: string | undefined }): string {
  return value === absent ? "" : (value.text ?? "");
}

function folder(path: string): Step {
  return { step: "makeDirectory", path, parents: true, mode: "0755" };
}

function save({ path, text, mode }: OwnFile): Step {
  return { step: "writeFile", path, text, mode };
}

/**
 * Returns the step that changes an interface without an undo: for interfaces that do not carry the connection, on a
 * host without systemd.
 */
function changeNow(p: Params, apply: string, check: string): Step {
  const script = `sh -c "$1" || exit
tries=0
until sh -c "$2"; do
tries=$((tries + 1)); [ $tries -lt 20 ] || exit 1; sleep 1
done`;
  return { step: "run", label: `configure ${p.name}`, argv: ["sh", "-c", script, "sh", apply, check] };
}
