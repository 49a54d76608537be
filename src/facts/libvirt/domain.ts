import { merge } from "../../core/facts/compare.ts";
import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, type Kind, type Lines } from "../../core/facts/kind.ts";
import { type Absent, absent, isRecord, type KnownAfterApply, knownAfterApply } from "../../core/facts/symbols.ts";
import { type DomainConfig, domainConfig } from "./domain-config.ts";
import { domainXml } from "./domain-xml.ts";
import { refuseName } from "./names.ts";
import { runsByPid, virshScript } from "./script.ts";
import { attribute, child, childrenOf, parseXml, type Xml } from "./xml.ts";

/** A libvirt virtual machine: its configuration for the next start, and its live configuration. */
export interface LibvirtDomain extends DomainConfig {
  readonly uuid: string;
  /** The state as virsh prints it: `running`, `paused`, `in shutdown`, `shut off`, `crashed`, `pmsuspended`. */
  readonly state: string;
  /** The reason for the state: `booted`, `I/O error`. */
  readonly reason: string;
  readonly autostart: boolean;
  /** False if the domain disappears when it stops. */
  readonly persistent: boolean;
  /** True if the next start resumes a saved memory image instead of booting. */
  readonly saved: boolean;
  /**
   * The names of the domain's checkpoints, on which incremental backups are based. libvirt refuses to undefine a
   * domain that has any.
   */
  readonly checkpoints: readonly string[];
  /** True if libvirt deletes the state of a virtual TPM when it undefines the domain (libvirt: formatdomain). */
  readonly losesTpm: boolean;
  /** The versioned machine type: `pc-q35-7.2`. */
  readonly machineType: string;
  /** The configuration that the domain is running with; absent if the domain is not running. */
  readonly live: DomainConfig | Absent;
  /** The whole inactive XML without secrets, on one line. */
  readonly xml: string;
}

/** Asks about a virtual machine by its name. Absent if libvirt is not installed. */
export function libvirtDomain(name: string): HostFact<Absent | LibvirtDomain> {
  refuseName(name, "a virtual machine");
  return ask(libvirtDomainKind, name);
}

/** True for a state in which a domain has a process, which means all states except `shut off` and `crashed`. */
export function isActiveState(state: string): boolean {
  return state !== "shut off" && state !== "crashed";
}

/**
 * True for a domain that is off, but whose memory is saved (`virsh managedsave`): its next start resumes everything
 * that ran in it, and until then nothing in it has been shut down.
 */
export function isSaved({ state, saved }: { readonly state: string; readonly saved?: boolean }): boolean {
  return saved === true && !isActiveState(state);
}

/**
 * Prints the checkpoints of the domains. They are read from libvirt's own files, because a libvirt release that does
 * not support checkpoints would reject the whole virsh call. Slashes separate the names, because a name cannot contain
 * a slash; a folder that cannot be read counts as a checkpoint.
 */
const checkpointsFromFiles = `for x; do n=\${x%%:*} c= d=/var/lib/libvirt/qemu/checkpoint/\${x#*:}
if [ -d "$d" ] && [ ! -r "$d" ]; then c=/unreadable; fi
for f in "$d"/*.xml; do if [ -e "$f" ]; then f=\${f##*/}; c="$c/\${f%.xml}"; fi; done
if [ -n "$c" ]; then echo "$n checkpoints=\${c#/}"; fi
done`;

/** Virtual machines, all read with two virsh calls. */
export const libvirtDomainKind: Kind<Absent | LibvirtDomain> = defineKind<Absent | LibvirtDomain>({
  name: "libvirtDomain",
  summary: "A libvirt virtual machine: hardware, disks, interfaces, state and autostart",
  facets: {},
  volatile: ["reason"],
  read: (questions) =>
    virshScript(questions, {
      list: "list --all --name",
      sections: [
        { name: "info", command: "dominfo $k" },
        { name: "reason", command: "domstate --reason $k" },
        { name: "inactive", command: "dumpxml --inactive $k" },
        { name: "live", command: "dumpxml $k" },
      ],
      facts: `if ($1 == "State") { v = $0; sub(/^State +/, "", v); sub(/ +$/, "", v); print n " state=" v; if (v == "shut off" || v == "crashed") idle[n] = 1 }
if ($1 == "Autostart") print n " autostart=" ($2 == "enable" ? "yes" : "no")
if ($1 == "Persistent") print n " persistent=" $2
if ($1 == "Managed") print n " saved=" $3`,
      fromFiles: `d=/etc/libvirt/qemu
if [ -f "$d/$k.xml" ]; then
s='shut off'; ${runsByPid("k")} && s=running
printf '@furrow %s info\\nState: %s\\nAutostart: %s\\nPersistent: yes\\nManaged save: %s\\n@furrow %s inactive\\n' "$n" "$s" "$([ -e "$d/autostart/$k.xml" ] && echo enable || echo disable)" "$(yes -e "/var/lib/libvirt/qemu/save/$k.save")" "$n"
sed '/^<!--/,/-->$/d' "$d/$k.xml"
else printf '@furrow %s state\\nabsent\\n' "$n"; fi`,
      more: checkpointsFromFiles,
    }),
  parse(lines, question) {
    const { state = "", inactive, live } = lines;
    if (state === "absent") return absent;
    if (inactive === undefined) {
      throw new FurrowError("E_FACT", { what: `the domain ${question.key} could not be read: virsh returned no data` });
    }
    const domain = parseXml(inactive, `domain ${question.key}`);
    return {
      ...domainConfig(domain),
      uuid: child(domain, "uuid")?.text ?? "",
      // Some drivers report `idle` for a guest that is waiting for work.
      state: state === "idle" ? "running" : state,
      reason: /\(([^)]*)\)/.exec(lines["reason"] ?? "")?.[1] ?? "",
      autostart: lines["autostart"] === "yes",
      persistent: lines["persistent"] === "yes",
      saved: lines["saved"] === "yes",
      checkpoints: lines["checkpoints"]?.split("/") ?? [],
      losesTpm: losesTpm(domain),
      machineType: attribute(child(domain, "os", "type"), "machine"),
      live: live === undefined ? absent : domainConfig(parseXml(live, `domain ${question.key}`)),
      xml: inactive,
    };
  },
  print(value, question): Lines {
    if (value === absent) return { state: "absent" };
    const yes = (flag: boolean): string => (flag ? "yes" : "no");
    return {
      autostart: yes(value.autostart),
      ...(value.checkpoints.length > 0 && { checkpoints: value.checkpoints.join("/") }),
      inactive: value.xml,
      ...(value.live !== absent && { live: domainXml(undefined, question.key, value.live) }),
      persistent: yes(value.persistent),
      ...(value.reason !== "" && { reason: `${value.state} (${value.reason})` }),
      saved: yes(value.saved),
      state: value.state,
    };
  },
  predict,
});

function losesTpm(domain: Xml): boolean {
  const backends = childrenOf(child(domain, "devices"), "tpm").map((tpm) => child(tpm, "backend"));
  return backends.some(
    (backend) => attribute(backend, "type") === "emulator" && attribute(backend, "persistent_state") !== "yes",
  );
}

const unknown = knownAfterApply as never;
const configKeys: readonly (keyof DomainConfig)[] = [
  "type",
  "memoryMiB",
  "vcpus",
  "cpu",
  "machine",
  "firmware",
  "boot",
  "onReboot",
  "onCrash",
  "disks",
  "interfaces",
  "serial",
  "serialLog",
  "vnc",
];

function predict(before: Absent | LibvirtDomain | KnownAfterApply, wanted: unknown): Absent | LibvirtDomain {
  if (!isRecord(wanted)) return wanted as Absent;
  const keys = [
    ...configKeys,
    "uuid",
    "state",
    "reason",
    "autostart",
    "persistent",
    "saved",
    "checkpoints",
    "losesTpm",
    "machineType",
    "live",
  ];
  const nothing = Object.fromEntries(keys.map((key) => [key, unknown])) as unknown as LibvirtDomain;
  const fresh = {
    state: "shut off",
    autostart: false,
    persistent: true,
    saved: false,
    checkpoints: [],
    losesTpm: false,
    live: absent,
  } as const;
  const base = typeof before === "object" ? before : before === absent ? { ...nothing, ...fresh } : nothing;
  const merged = merge(base, wanted) as LibvirtDomain;
  const config = { ...merged, disks: present(merged.disks), interfaces: present(merged.interfaces) };
  // Starting the domain consumes its saved memory image.
  const started = typeof merged.state === "string" && isActiveState(merged.state) && { saved: false };
  return { ...config, ...started, live: liveAfter(base, config), reason: unknown, xml: unknown };
}

/**
 * The live configuration after a change: a start loads the configuration; a running domain keeps its live
 * configuration.
 */
function liveAfter(before: LibvirtDomain, after: LibvirtDomain): DomainConfig | Absent {
  if (typeof after.state === "string" && !isActiveState(after.state)) return absent;
  if (typeof before.state !== "string") return unknown;
  if (isActiveState(before.state)) return before.live;
  return Object.fromEntries(configKeys.map((key) => [key, after[key]])) as unknown as DomainConfig;
}

function present<V>(things: Readonly<Record<string, V | Absent>>): Readonly<Record<string, V | Absent>> {
  // A part may be unknown, or missing from a state that a test describes.
  if (!isRecord(things)) return things;
  const there = Object.entries(things).filter((entry) => entry[1] !== absent);
  return Object.fromEntries(there.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
