import { merge } from "../../core/facts/compare.ts";
import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, type Kind, type Lines } from "../../core/facts/kind.ts";
import { type Absent, absent, isRecord, type KnownAfterApply, knownAfterApply } from "../../core/facts/symbols.ts";
import { type NetConfig, netConfig } from "./net-config.ts";
import { refuseName } from "./names.ts";
import { netXml } from "./net-xml.ts";
import { virshScript } from "./script.ts";
import { attribute, child, parseXml } from "./xml.ts";

/** A libvirt virtual network: its configuration for the next start, and its live configuration. */
export interface LibvirtNet extends NetConfig {
  readonly uuid: string;
  /** The MAC address of the network's bridge. */
  readonly mac: string;
  readonly active: boolean;
  readonly autostart: boolean;
  /** False if the network disappears when it stops. */
  readonly persistent: boolean;
  /** The configuration that the network is running with; absent if the network is not running. */
  readonly live: NetConfig | Absent;
  /** The interfaces on the network's bridge, except guests' interfaces, which libvirt names vnet0 and so on. */
  readonly ports: readonly string[];
  /** The whole inactive XML, on one line. */
  readonly xml: string;
}

/** Asks about a virtual network by its name. Absent if libvirt is not installed. */
export function libvirtNet(name: string): HostFact<Absent | LibvirtNet> {
  refuseName(name, "a network");
  return ask(libvirtNetKind, name);
}

/** Virtual networks, all read with two virsh calls. */
export const libvirtNetKind: Kind<Absent | LibvirtNet> = defineKind<Absent | LibvirtNet>({
  name: "libvirtNet",
  summary: "A libvirt network: bridge, addresses, DHCP and its reservations, state and autostart",
  facets: {},
  volatile: ["ports"],
  read: (questions) =>
    virshScript(questions, {
      list: "net-list --all --name",
      sections: [
        { name: "info", command: "net-info $k" },
        { name: "inactive", command: "net-dumpxml --inactive $k" },
        { name: "live", command: "net-dumpxml $k" },
      ],
      facts: `if ($1 == "Active" || $1 == "Autostart" || $1 == "Persistent") print n " " tolower($1) "=" $2
if ($1 == "Active" && $2 != "yes") idle[n] = 1
if ($1 == "Bridge") print n " bridge=" $2`,
      fromFiles: `d=/etc/libvirt/qemu/networks
if [ -f "$d/$k.xml" ]; then
printf '@furrow %s info\\nActive: %s\\nAutostart: %s\\nPersistent: yes\\n@furrow %s inactive\\n' "$n" "$(yes -f "/run/libvirt/network/$k.xml")" "$(yes -e "$d/autostart/$k.xml")" "$n"
sed '/^<!--/,/-->$/d' "$d/$k.xml"
else printf '@furrow %s state\\nabsent\\n' "$n"; fi`,
      more: `printf '%s\\n' "$o" | while read -r n l; do
case $l in bridge=*) p=; for i in "/sys/class/net/\${l#bridge=}/brif/"*; do
case $i in */vnet[0-9]*|*/\\*) ;; *) p="$p \${i##*/}";; esac
done
[ -n "$p" ] && echo "$n ports=\${p# }";; esac
done`,
    }),
  parse(lines, question) {
    if (lines["state"] === "absent") return absent;
    const { inactive, live } = lines;
    if (inactive === undefined) {
      throw new FurrowError("E_FACT", {
        what: `the network ${question.key} could not be read: virsh returned no data`,
      });
    }
    const network = parseXml(inactive, `network ${question.key}`);
    const active = lines["active"] === "yes";
    return {
      ...netConfig(network),
      uuid: child(network, "uuid")?.text ?? "",
      mac: attribute(child(network, "mac"), "address"),
      active,
      autostart: lines["autostart"] === "yes",
      persistent: lines["persistent"] === "yes",
      live: active && live !== undefined ? netConfig(parseXml(live, `network ${question.key}`)) : absent,
      ports: (lines["ports"] ?? "").split(" ").filter(Boolean),
      xml: inactive,
    };
  },
  print(value, question): Lines {
    if (value === absent) return { state: "absent" };
    const yes = (flag: boolean): string => (flag ? "yes" : "no");
    return {
      active: yes(value.active),
      autostart: yes(value.autostart),
      bridge: value.bridge,
      inactive: value.xml,
      ...(value.live !== absent && { live: netXml(undefined, question.key, value.live) }),
      persistent: yes(value.persistent),
      ...(value.ports.length > 0 && { ports: value.ports.join(" ") }),
    };
  },
  predict,
});

const emptyConfig: NetConfig = {
  bridge: knownAfterApply as never,
  forward: { mode: "isolated", interface: "" },
  address: "",
  domain: "",
  tftpRoot: "",
  dhcp: { ranges: [], lease: "", hosts: {}, bootFile: "", bootServer: "" },
  dnsmasqOptions: [],
};

function predict(before: Absent | LibvirtNet | KnownAfterApply, wanted: unknown): Absent | LibvirtNet {
  if (!isRecord(wanted)) return wanted as Absent;
  const unknown = knownAfterApply as never;
  const fresh = {
    uuid: unknown,
    mac: unknown,
    active: false,
    autostart: false,
    persistent: true,
    live: absent,
    ports: [],
  };
  const base = isRecord(before) ? before : before === absent ? { ...emptyConfig, ...fresh } : unknownNet();
  const { live, ...merged } = merge(base, wanted) as LibvirtNet;
  return {
    ...withoutAbsentHosts(merged),
    live: !merged.active || typeof live === "symbol" ? absent : withoutAbsentHosts(live),
    xml: unknown,
  };
}

function unknownNet(): LibvirtNet {
  const keys = [...Object.keys(emptyConfig), "uuid", "mac", "active", "autostart", "persistent", "live", "ports"];
  return Object.fromEntries(keys.map((key) => [key, knownAfterApply])) as never;
}

/**
 * Drops the reservations that are `absent`: a want marks a reservation for removal with `absent`, whereas a value
 * simply does not list it.
 */
function withoutAbsentHosts<C extends Partial<NetConfig>>(config: C): C {
  const { dhcp } = config;
  if (!isRecord(dhcp) || !isRecord(dhcp.hosts)) return config;
  const hosts = Object.entries(dhcp.hosts).filter((entry) => entry[1] !== absent);
  return { ...config, dhcp: { ...dhcp, hosts: Object.fromEntries(hosts.toSorted(([a], [b]) => (a < b ? -1 : 1))) } };
}
