import type {
  GceAddress,
  GceDisk,
  GceDiskType,
  GceFirewall,
  GceImage,
  GceInstance,
  GceMachineType,
  GceNetwork,
  GceSubnetwork,
} from "../../facts/cloud/gce/index.ts";

/** Data from the API, with the fields that furrow uses. A missing field has its default value. */
type Raw<T extends string> = { readonly [K in T]?: unknown };

/** The last part of a URL. The API refers to resources by their URLs. */
export function shortName(url: unknown): string {
  return typeof url === "string" ? url.slice(url.lastIndexOf("/") + 1) : "";
}

/** Converts a VPC network from the API to furrow's type. */
export function networkOf(raw: Raw<"autoCreateSubnetworks" | "mtu" | "description" | "id">): GceNetwork {
  return {
    ...identityOf(raw),
    autoSubnets: raw.autoCreateSubnetworks === true,
    mtu: number(raw.mtu, 1460),
    description: textOf(raw.description),
  };
}

/** Converts a subnetwork from the API to furrow's type. */
export function subnetworkOf(
  raw: Raw<"network" | "ipCidrRange" | "privateIpGoogleAccess" | "description" | "id">,
): GceSubnetwork {
  return {
    ...identityOf(raw),
    network: shortName(raw.network),
    cidr: textOf(raw.ipCidrRange),
    privateGoogleAccess: raw.privateIpGoogleAccess === true,
    description: textOf(raw.description),
  };
}

/** Converts a firewall rule from the API to furrow's type. */
export function firewallOf(
  raw: Raw<
    "network" | "direction" | "allowed" | "sourceRanges" | "targetTags" | "priority" | "disabled" | "description" | "id"
  >,
): GceFirewall {
  const allow = (list(raw.allowed) as readonly { IPProtocol?: string; ports?: string[] | null }[]).flatMap(
    ({ IPProtocol = "", ports }) =>
      ports && ports.length > 0 ? ports.map((port) => `${IPProtocol}:${port}`) : [IPProtocol],
  );
  return {
    ...identityOf(raw),
    network: shortName(raw.network),
    direction: textOf(raw.direction) || "INGRESS",
    allow: allow.toSorted(),
    sourceRanges: (list(raw.sourceRanges) as readonly string[]).toSorted(),
    targetTags: (list(raw.targetTags) as readonly string[]).toSorted(),
    priority: number(raw.priority, 1000),
    disabled: raw.disabled === true,
    description: textOf(raw.description),
  };
}

/** Converts a disk from the API to furrow's type. */
export function diskOf(
  raw: Raw<
    | "sizeGb"
    | "type"
    | "provisionedIops"
    | "provisionedThroughput"
    | "status"
    | "labels"
    | "labelFingerprint"
    | "users"
    | "diskEncryptionKey"
    | "description"
    | "id"
  >,
): GceDisk {
  return {
    ...identityOf(raw),
    sizeGb: number(raw.sizeGb, 0),
    type: shortName(raw.type),
    iops: number(raw.provisionedIops, 0),
    throughput: number(raw.provisionedThroughput, 0),
    status: textOf(raw.status),
    labels: map(raw.labels),
    labelFingerprint: textOf(raw.labelFingerprint),
    users: (list(raw.users) as readonly string[]).map(shortName).toSorted(),
    // The API adds the version of the key that it has used.
    kmsKey: textOf((raw.diskEncryptionKey as { kmsKeyName?: unknown } | null)?.kmsKeyName).replace(
      /\/cryptoKeyVersions\/.*$/,
      "",
    ),
    description: textOf(raw.description),
  };
}

/** Converts a disk type from the API to furrow's type. */
export function diskTypeOf(raw: Raw<"name" | "validDiskSize">): GceDiskType {
  return { name: textOf(raw.name), validSizes: textOf(raw.validDiskSize) };
}

/** Converts an address from the API to furrow's type. */
export function addressOf(raw: Raw<"address" | "status" | "users" | "description" | "id">): GceAddress {
  return {
    ...identityOf(raw),
    address: textOf(raw.address),
    status: textOf(raw.status),
    users: (list(raw.users) as readonly string[]).map(shortName).toSorted(),
    description: textOf(raw.description),
  };
}

/** Converts a machine type from the API to furrow's type. */
export function machineTypeOf(raw: Raw<"name" | "guestCpus" | "memoryMb" | "architecture">): GceMachineType {
  return {
    name: textOf(raw.name),
    cpus: number(raw.guestCpus, 0),
    memoryMb: number(raw.memoryMb, 0),
    architecture: textOf(raw.architecture),
  };
}

/** Converts an image from the API to furrow's type. */
export function imageOf(raw: Raw<"selfLink" | "diskSizeGb">): GceImage {
  return { link: textOf(raw.selfLink).replace(/^.*?(?=projects\/)/, ""), sizeGb: number(raw.diskSizeGb, 0) };
}

/** An instance from the API, with the fields that furrow uses. */
export type RawInstance = Raw<
  | "name"
  | "zone"
  | "status"
  | "machineType"
  | "advancedMachineFeatures"
  | "scheduling"
  | "networkInterfaces"
  | "tags"
  | "labels"
  | "labelFingerprint"
  | "metadata"
  | "disks"
  | "hostname"
  | "serviceAccounts"
  | "deletionProtection"
  | "description"
  | "id"
>;

interface Interface {
  network?: unknown;
  subnetwork?: unknown;
  networkIP?: unknown;
  accessConfigs?: { natIP?: unknown }[];
}

/** The network and the addresses of an instance's first interface. */
export function addressesOf(
  raw: RawInstance,
): Pick<GceInstance, "network" | "subnetwork" | "internalAddress" | "address" | "external"> {
  const [first = {}] = list(raw.networkInterfaces) as readonly Interface[];
  const configs = list(first.accessConfigs) as readonly { natIP?: unknown }[];
  return {
    network: shortName(first.network),
    subnetwork: shortName(first.subnetwork),
    internalAddress: textOf(first.networkIP),
    address: configs.map(({ natIP }) => textOf(natIP)).find(Boolean) ?? "",
    external: configs.length > 0,
  };
}

/** Converts an instance from the API to furrow's type, with the host keys that its guest has reported. */
export function instanceOf(raw: RawInstance, hostKeys: readonly string[]): GceInstance {
  const metadata = (raw.metadata ?? {}) as { items?: { key?: string; value?: string }[]; fingerprint?: string };
  const tags = (raw.tags ?? {}) as { items?: string[]; fingerprint?: string };
  const [account = {}] = list(raw.serviceAccounts) as readonly { email?: unknown; scopes?: unknown }[];
  const disks = list(raw.disks) as readonly {
    deviceName?: string;
    source?: string;
    boot?: boolean;
    autoDelete?: boolean;
  }[];
  return {
    ...identityOf(raw),
    status: textOf(raw.status),
    machineType: shortName(raw.machineType),
    nested:
      (raw.advancedMachineFeatures as { enableNestedVirtualization?: boolean } | null)?.enableNestedVirtualization ===
      true,
    spot: (raw.scheduling as { provisioningModel?: string } | null)?.provisioningModel === "SPOT",
    ...addressesOf(raw),
    hostname: textOf(raw.hostname),
    serviceAccount: textOf(account.email),
    scopes: (list(account.scopes) as readonly string[]).toSorted(),
    deletionProtection: raw.deletionProtection === true,
    tags: (list(tags.items) as readonly string[]).toSorted(),
    tagsFingerprint: textOf(tags.fingerprint),
    labels: map(raw.labels),
    labelFingerprint: textOf(raw.labelFingerprint),
    metadata: Object.fromEntries(
      (list(metadata.items) as readonly { key?: string; value?: string }[]).map(({ key = "", value = "" }) => [
        key,
        value,
      ]),
    ),
    metadataFingerprint: textOf(metadata.fingerprint),
    disks: Object.fromEntries(
      disks.map(({ deviceName = "", source, boot, autoDelete }) => [
        deviceName,
        { disk: shortName(source), boot: boot === true, autoDelete: autoDelete === true },
      ]),
    ),
    hostKeys,
    verified: hostKeys.length > 0,
    description: textOf(raw.description),
  };
}

/**
 * The host keys in the guest attributes below `hostkeys/`, where the name is the key type and the value is the key
 * (https://cloud.google.com/compute/docs/metadata/manage-guest-attributes).
 */
export function hostKeysOf(raw: Raw<"queryValue">): string[] {
  const items = list((raw.queryValue as { items?: unknown } | null)?.items) as readonly {
    key?: string;
    value?: string;
  }[];
  return items.map(({ key = "", value = "" }) => `${key} ${value.trim()}`).toSorted();
}

/** The number of a resource, which the API sends as text. */
export function identityOf(raw: { readonly id?: unknown }): { readonly id?: string } {
  return typeof raw.id === "string" || typeof raw.id === "number" ? { id: String(raw.id) } : {};
}

/** A text field; empty if the API omits it. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A number field, or `otherwise` if the API omits it. The API sends 64-bit numbers as text. */
function number(value: unknown, otherwise: number): number {
  return value === undefined || value === null || value === "" ? otherwise : Number(value);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function map(value: unknown): Record<string, string> {
  const entries = Object.entries((value ?? {}) as Record<string, string>);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
