import type {
  DigitalOceanDroplet,
  DigitalOceanFirewall,
  DigitalOceanImage,
  DigitalOceanRegion,
  DigitalOceanSize,
  DigitalOceanSshKey,
  DigitalOceanVolume,
  NameSet,
} from "../../facts/cloud/digitalocean/index.ts";

/** Data from the API, with the fields that furrow uses. A missing field has its default value. */
export type Raw = Readonly<Record<string, unknown>>;

/** A text field, or a number as text; empty if the API omits it. */
export function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** A set of names, sorted. */
export function setOf(names: readonly string[]): NameSet {
  return Object.fromEntries(names.toSorted().map((name) => [name, true as const]));
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : Number(value ?? 0);
}

/** A list of strings; empty if the API omits it or sends null. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(textOf) : [];
}

function partOf(value: unknown): Raw {
  return (value ?? {}) as Raw;
}

/** A droplet's IPv4 addresses: the public one, and the one in its VPC network. */
export function addressesOf(raw: Raw): Pick<DigitalOceanDroplet, "address" | "privateAddress"> {
  const { v4 } = partOf(raw["networks"]);
  const networks = (Array.isArray(v4) ? v4 : []) as readonly Raw[];
  const first = (type: string): string => textOf(networks.find((one) => one["type"] === type)?.["ip_address"]);
  return { address: first("public"), privateAddress: first("private") };
}

/** Converts a droplet from the API to furrow's type, with the names of its volumes. */
export function dropletOf(raw: Raw, volumes: readonly string[]): DigitalOceanDroplet {
  const image = partOf(raw["image"]);
  return {
    id: textOf(raw["id"]),
    status: textOf(raw["status"]),
    region: textOf(partOf(raw["region"])["slug"]),
    size: textOf(raw["size_slug"]),
    image: textOf(image["slug"]) || textOf(image["id"]),
    vpc: textOf(raw["vpc_uuid"]),
    ...addressesOf(raw),
    volumes: setOf(volumes),
    tags: setOf(textsOf(raw["tags"])),
  };
}

/** Converts a volume from the API to furrow's type, with the names of the droplets that it is attached to. */
export function volumeOf(raw: Raw, droplets: readonly string[]): DigitalOceanVolume {
  return {
    id: textOf(raw["id"]),
    sizeGb: numberOf(raw["size_gigabytes"]),
    filesystem: textOf(raw["filesystem_type"]),
    droplets: droplets.toSorted(),
    tags: setOf(textsOf(raw["tags"])),
  };
}

/** A public key without its comment. */
export function bareKey(key: string): string {
  return key.trim().split(/\s+/).slice(0, 2).join(" ");
}

/** Converts an SSH key from the API to furrow's type. */
export function sshKeyOf(raw: Raw): DigitalOceanSshKey {
  return { id: textOf(raw["id"]), publicKey: bareKey(textOf(raw["public_key"])) };
}

/** Converts a firewall from the API to furrow's type. */
export function firewallOf(raw: Raw): DigitalOceanFirewall {
  return {
    id: textOf(raw["id"]),
    status: firewallStatusOf(raw),
    inbound: linesOf(raw["inbound_rules"], "sources"),
    outbound: linesOf(raw["outbound_rules"], "destinations"),
    tags: textsOf(raw["tags"]).toSorted(),
    droplets: textsOf(raw["droplet_ids"]).toSorted(),
  };
}

/** The status of a firewall. If no changes are pending, all of them have been applied, whatever the status is. */
function firewallStatusOf(raw: Raw): string {
  const pending = raw["pending_changes"];
  const status = textOf(raw["status"]);
  return status === "waiting" && Array.isArray(pending) && pending.length === 0 ? "succeeded" : status;
}

/** One line for each combination of protocol, port range, and address or other peer. */
function linesOf(rules: unknown, side: "sources" | "destinations"): string[] {
  const lines = ((Array.isArray(rules) ? rules : []) as readonly Raw[]).flatMap((rule) => {
    const protocol = textOf(rule["protocol"]);
    const ports = textOf(rule["ports"]);
    const isAll = protocol === "icmp" || ports === "" || ports === "0" || ports === "all";
    const ends = Object.entries(partOf(rule[side])).flatMap(([sort, values]) =>
      textsOf(values).map((value) => (sort === "addresses" ? value : `${sort}:${value}`)),
    );
    return ends.map((end) => `${protocol}${isAll ? "" : `:${ports}`} ${end}`);
  });
  return [...new Set(lines)].toSorted();
}

/** Converts lines of a firewall to the API's rules, with one rule for each protocol and range of ports. */
export function rulesOf(lines: readonly string[], side: "sources" | "destinations"): object[] {
  const rules = new Map<string, string[]>();
  for (const line of lines) {
    const [traffic = "", end = ""] = line.split(" ");
    rules.set(traffic, [...(rules.get(traffic) ?? []), end]);
  }
  return [...rules].map(([traffic, addresses]) => {
    const [protocol = "", ports = "0"] = traffic.split(":");
    return { protocol, ports, [side]: { addresses } };
  });
}

/** Converts a size from the API to furrow's type. */
export function sizeOf(raw: Raw): DigitalOceanSize {
  return {
    vcpus: numberOf(raw["vcpus"]),
    memoryMb: numberOf(raw["memory"]),
    diskGb: numberOf(raw["disk"]),
    regions: textsOf(raw["regions"]).toSorted(),
    available: raw["available"] === true,
  };
}

/** Converts a region from the API to furrow's type. */
export function regionOf(raw: Raw): DigitalOceanRegion {
  return { available: raw["available"] === true, features: textsOf(raw["features"]).toSorted() };
}

/** Converts an image from the API to furrow's type. */
export function imageOf(raw: Raw): DigitalOceanImage {
  return {
    minDiskGb: numberOf(raw["min_disk_size"]),
    regions: textsOf(raw["regions"]).toSorted(),
    status: textOf(raw["status"]),
  };
}
