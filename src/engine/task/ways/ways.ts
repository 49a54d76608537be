import { askStages, type Bound } from "../../../core/authoring/evaluate.ts";
import {
  type Fact,
  type FactPattern,
  factId,
  isControllerFact,
  listFacts,
  namesFact,
} from "../../../core/facts/fact.ts";
import { isRan } from "../../../core/facts/ran.ts";
import { isRecord } from "../../../core/facts/symbols.ts";
import type { Ways } from "../../../core/host/play-undo.ts";
import { type Step, touchedPaths } from "../../../core/host/step.ts";
import type { PlannedTask } from "../../plan/plan.ts";

/** Files on which a login depends, and how the running system picks up restored ones. */
interface Way {
  readonly paths: readonly FactPattern[];
  readonly units?: readonly string[];
  readonly commands?: readonly string[];
  readonly isNetwork?: boolean;
}

const sshd = ["ssh.socket", "sshd.socket", "ssh.service", "sshd.service"];

/** The files that are needed to log in or to become root. */
const waysIn: readonly Way[] = [
  {
    paths: [
      "/etc/ssh/**",
      "!/etc/ssh/ssh_config",
      "!/etc/ssh/ssh_config.d/**",
      "!/etc/ssh/ssh_known_hosts",
      "/etc/default/ssh",
      "/etc/sysconfig/sshd",
    ],
    units: sshd,
  },
  { paths: ["/root/.ssh/authorized_keys*", "/root/.ssh/environment", "/root/.ssh/rc"] },
  { paths: ["/etc/hosts.allow", "/etc/hosts.deny", "/etc/nologin", "/etc/shells"] },
  { paths: ["/etc/passwd", "/etc/shadow", "/etc/group", "/etc/gshadow", "/etc/environment"] },
  {
    paths: [
      "/etc/sudoers",
      "/etc/sudoers.d/**",
      "/etc/sudo.conf",
      "/etc/doas.conf",
      "/etc/pam.conf",
      "/etc/pam.d/**",
      "/etc/security/**",
    ],
  },
  { paths: ["/etc/nsswitch.conf"] },
  { paths: ["/etc/sssd/**"], units: ["sssd.service"] },
  {
    paths: ["/etc/systemd/network/**", "/etc/systemd/networkd.conf", "/etc/systemd/networkd.conf.d/**"],
    units: ["systemd-networkd.service"],
    isNetwork: true,
  },
  { paths: ["/etc/wireguard/**"], isNetwork: true },
  { paths: ["/etc/netplan/**"], commands: ["netplan apply"], isNetwork: true },
  { paths: ["/etc/network/**", "/etc/default/networking"], units: ["networking.service"], isNetwork: true },
  {
    paths: ["/etc/NetworkManager/**", "/etc/sysconfig/network-scripts/**", "/etc/sysconfig/network"],
    units: ["NetworkManager.service"],
    isNetwork: true,
  },
  { paths: ["/etc/sysconfig/network/**"], units: ["wicked.service"], isNetwork: true },
  { paths: ["/etc/nftables.conf", "/etc/sysconfig/nftables.conf"], units: ["nftables.service"] },
  { paths: ["/etc/nftables.d/**", "/etc/nftables/**"] },
  { paths: ["iptables", "ip6tables"].flatMap((name) => [`/etc/sysconfig/${name}`, `/etc/sysconfig/${name}-config`]) },
  { paths: ["/etc/firewalld/**", "/etc/sysconfig/firewalld"], commands: ["firewall-cmd --reload"] },
];

/**
 * Firewalls whose rules survive a restore of their files: if the restored files turn the firewall off, its commands
 * leave the rules in the kernel.
 */
const notUndone: readonly { readonly name: string; readonly facts: readonly FactPattern[] }[] = [
  {
    name: "ufw",
    facts: ["/etc/ufw/**", "/etc/default/ufw", "unit:ufw.service"],
  },
  {
    name: "netfilter-persistent",
    facts: ["/etc/iptables/**", "unit:netfilter-persistent.service", "unit:iptables-persistent.service"],
  },
];

/**
 * Keys in homes that their users own. These keys are not saved: a user could replace the folder with a link, and root
 * would restore and remove files behind the link.
 */
const othersKeys: readonly FactPattern[] = ["/**/.ssh/authorized_keys*", "!/root/.ssh/authorized_keys*"];

/** Units that carry or filter the connection. The units' own files and drop-ins count too. */
const units: readonly FactPattern[] = [
  ...new Set(waysIn.flatMap((way) => way.units ?? [])),
  ...["firewalld", "ip6tables", "iptables", "network", "nftables", "wickedd"].map((name) => `${name}.service`),
  "systemd-networkd.socket",
  "tailscaled.service",
  "wg-quick@*.service",
];

/** The units among these that configure the host's addresses and routes. */
const networkUnits: readonly FactPattern[] = [
  ...waysIn.flatMap((way) => (way.isNetwork === true ? (way.units ?? []) : [])),
  "network.service",
  "systemd-networkd.socket",
  "tailscaled.service",
  "wg-quick@*.service",
  "wickedd.service",
];

const unitFacts = units.map((name) => `unit:${name}`);
/** Templates of units that carry the connection: systemd starts one instance for each connection. */
const templates = ["ssh@.service", "sshd@.service"];
const unitPaths = [...units, ...templates]
  .flatMap((name) =>
    ["etc", "run"].flatMap((top) => [`${top}/systemd/system/${name}`, `${top}/systemd/system/${name}.d/**`]),
  )
  .map((path) => `/${path}`);
const refusedFacts = notUndone.flatMap(({ facts }) => facts);
const riskyPaths = [...refusedFacts, ...waysIn.flatMap(({ paths }) => paths), ...unitPaths];
/**
 * The folders above these files. If such a folder is missing or has a different owner or mode, the files have no
 * effect.
 */
const riskyFolders: ReadonlySet<string> = new Set(
  riskyPaths.filter((path) => path.startsWith("/") && !path.startsWith("/**")).flatMap(foldersAbove),
);
const riskyFacts = [...refusedFacts, ...unitFacts, "sysctl:net/**", "nftTable:**", "firewalld:**"];

/**
 * What a task is about to change that may cut the connection or lock everybody out; undefined if nothing.
 * The result contains all of the task's files. A task with its own undo needs no other.
 */
export function waysOf(facts: readonly Bound[], steps: readonly Step[]): Ways | undefined {
  if (steps.some(({ step }) => step === "confirm") || facts.some(({ id }) => id === "networkState:host"))
    return undefined;
  const changing = facts.filter(({ fact, match }) => match !== "same" && !isRan(fact) && !isControllerFact(fact));
  const folders = new Set(steps.flatMap((step) => (isFolderStep(step) ? [step.path] : [])));
  for (const { fact, wanted } of changing) if (isFolder(wanted)) folders.add(pathOf(fact) ?? "");
  const attributes = changing
    .filter(({ now, wanted }) => isFolder(now) && isFolder(wanted))
    .flatMap(({ fact }) => pathOf(fact) ?? [])
    .filter((path) => riskyFolders.has(path) || isWay(path));
  const removed = steps.flatMap((step) => (step.step === "remove" && step.recursive ? [step.path] : []));
  const lostWays = waysIn.filter((way) => way.paths.some((path) => removed.some((one) => path.startsWith(`${one}/`))));
  const named = changing.flatMap(({ fact }) => pathOf(fact) ?? []);
  const paths = [...new Set([...named, ...steps.flatMap((step) => touchedPaths(step) ?? [])])].filter(
    (path) => !folders.has(path),
  );
  const ids = changing.map(({ id }) => id);
  const isRisky = paths.some(isWay) || ids.some((id) => namesFact(riskyFacts, id)) || lostWays.length > 0;
  if (!isRisky && attributes.length === 0) return undefined;
  const used = waysIn.filter((way) => lostWays.includes(way) || paths.some((path) => isNamed(way.paths, path)));
  const hasFirewalld = ids.some((id) => id.startsWith("firewalld:"));
  const usedUnits = [
    ...new Set([
      ...used.flatMap((way) => way.units ?? []),
      ...paths.flatMap(unitOfFile),
      ...ids.filter((id) => namesFact(unitFacts, id)).map(keyOf),
    ]),
  ];
  return {
    paths: outermost([...paths, ...(hasFirewalld ? ["/etc/firewalld"] : [])]),
    folders: attributes,
    isNetwork: used.some((way) => way.isNetwork) || usedUnits.some((name) => namesFact(networkUnits, name)),
    units: usedUnits,
    sysctls: ids.filter((id) => id.startsWith("sysctl:")).map(keyOf),
    tables: ids.filter((id) => id.startsWith("nftTable:")).map(keyOf),
    commands: [
      ...new Set([...used.flatMap((way) => way.commands ?? []), ...(hasFirewalld ? ["firewall-cmd --reload"] : [])]),
    ],
  };
}

/**
 * The paths, without those below another listed path, because that path is saved with everything below it. This
 * shortens the list, whose length the host limits.
 */
function outermost(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return paths.filter((path) => !foldersAbove(path).some((folder) => folder !== path && all.has(folder)));
}

/** The firewall that a task is about to change, if the host could not undo that; otherwise undefined. */
export function notUndoneBy(facts: readonly Bound[], { paths }: Ways): string | undefined {
  const ids = facts.filter(({ match }) => match !== "same").map(({ id }) => id);
  return notUndone.find((one) => [...paths.filter((path) => path !== ""), ...ids].some((id) => isNamed(one.facts, id)))
    ?.name;
}

/** True if a task is about to change the keys of a user in a home that the user owns. */
export function changesOthersKeys(facts: readonly Bound[], steps: readonly Step[]): boolean {
  const changing = facts.filter(({ match }) => match !== "same").flatMap(({ fact }) => pathOf(fact) ?? []);
  return [...changing, ...steps.flatMap((step) => touchedPaths(step) ?? [])].some((path) => isNamed(othersKeys, path));
}

/**
 * True if, according to its params, a task may change something that {@link waysOf} would name. Also true if the params
 * are not known yet.
 */
export function mayChangeWays(planned: PlannedTask): boolean {
  if (!("params" in planned.parsed)) return true;
  try {
    const stage = askStages(planned.call.module, planned.parsed.params).next();
    return listFacts(stage.value).some(({ fact }) => !isRan(fact) && fact.onlyRead !== true && isWayFact(fact));
  } catch {
    // The task itself reports this when it runs.
    return true;
  }
}

function isWayFact(fact: Fact): boolean {
  if (isControllerFact(fact)) return false;
  const path = pathOf(fact);
  return path === undefined ? namesFact(riskyFacts, factId(fact)) : isWay(path) || riskyFolders.has(path);
}

function isWay(path: string): boolean {
  return isNamed(riskyPaths, path);
}

/** True for a path that the patterns match, and for a folder that contains such paths. */
function isNamed(patterns: readonly FactPattern[], path: string): boolean {
  return namesFact(patterns, path) || patterns.includes(`${path}/**`);
}

function pathOf(fact: Fact): string | undefined {
  return !isControllerFact(fact) && (fact.kind === "file" || fact.kind === "tree") ? fact.key : undefined;
}

function isFolder(value: unknown): boolean {
  return isRecord(value) && value["type"] === "directory";
}

/** The folders above a path or the part of a pattern that has no wildcard: `/etc/ssh`, `/etc` and `/`. */
function foldersAbove(pattern: FactPattern): string[] {
  const parts = pattern.split("/").slice(1, -1);
  const first = parts.findIndex((part) => part.includes("*"));
  const plain = first < 0 ? parts : parts.slice(0, first);
  return ["/", ...plain.map((_, index) => `/${plain.slice(0, index + 1).join("/")}`)];
}

function isFolderStep(step: Step): step is Extract<Step, { path: string }> {
  return step.step === "makeDirectory" || (step.step === "setAttributes" && step.directory === true);
}

/** The unit that a file defines or adds to: `/etc/systemd/system/ssh.service.d/port.conf`. */
function unitOfFile(path: string): string[] {
  const name = /^\/(?:etc|run)\/systemd\/system\/([^/]+?\.(?:service|socket))(?:\.d\/.*)?$/.exec(path)?.[1];
  return name !== undefined && namesFact(units, name) ? [name] : [];
}

function keyOf(id: string): string {
  return id.slice(id.indexOf(":") + 1);
}
