/** Everything that the fake offers its subscription. Tests remove entries to see what furrow reports. */
export class Offers {
  locations: { readonly name: string; readonly zones: boolean }[] = [
    { name: "westeurope", zones: true },
    { name: "westus", zones: false },
  ];
  /** The state of each feature and service. */
  readonly features: Record<string, string> = { UseStandardSecurityType: "Registered" };
  readonly services: Record<string, string> = { "Microsoft.Compute": "Registered", "Microsoft.Network": "Registered" };
  /** The processor limits: one for each family, and `cores` for all. */
  readonly limits: Record<string, number> = { cores: 100, standardDSv5Family: 100, standardDv2Family: 10 };
  /** Locks at all levels; undefined if the account may not read them. */
  locks: { readonly id: string; readonly properties: { readonly level: string } }[] | undefined = [];
  /** The permissions of the login; undefined if it cannot query them. */
  permissions: readonly { readonly actions: string[]; readonly notActions: string[] }[] | undefined = [
    { actions: ["*"], notActions: ["Microsoft.Authorization/*/Write"] },
  ];
  readonly sizes: FakeSize[] = [
    { name: "Standard_D8s_v5", family: "standardDSv5Family", vcpus: 8 },
    { name: "Standard_D16s_v5", family: "standardDSv5Family", vcpus: 16 },
    { name: "Standard_D32s_v5", family: "standardDSv5Family", vcpus: 32 },
    { name: "Standard_D64s_v5", family: "standardDSv5Family", vcpus: 64 },
    { name: "Standard_D16s_v6", family: "standardDSv6Family", vcpus: 16, controllers: "NVMe" },
    { name: "Standard_B4ms", family: "standardBSFamily", vcpus: 4 },
    { name: "Standard_D2_v2", family: "standardDv2Family", vcpus: 2, premium: false, generations: "V1", disks: 1 },
    { name: "Standard_D16ps_v5", family: "standardDPSv5Family", vcpus: 16, architecture: "Arm64" },
  ];
  readonly images: Record<string, { generation: "V1" | "V2"; architecture: "x64" | "Arm64"; plan?: boolean }> = {
    "Debian:debian-12:12-gen2:0.20260101.1": { generation: "V2", architecture: "x64" },
    "Debian:debian-12:12:0.20260101.1": { generation: "V1", architecture: "x64" },
    "seller:soap:gold:1.0.0": { generation: "V2", architecture: "x64", plan: true },
  };

  /** The name of an image with its version: `latest` is the newest. */
  imageNamed(publisher: string, offer: string, sku: string, version: string): string | undefined {
    const names = Object.keys(this.images).filter((name) => name.startsWith(`${publisher}:${offer}:${sku}:`));
    if (version === "latest") return names.toSorted().at(-1);
    return names.find((name) => name.endsWith(`:${version}`));
  }
}

/** A machine size that the fake offers in westeurope. */
export interface FakeSize {
  readonly name: string;
  readonly family: string;
  readonly vcpus: number;
  readonly premium?: boolean;
  readonly generations?: string;
  readonly architecture?: string;
  readonly controllers?: string;
  readonly disks?: number;
  /** As in ResourceSkuRestrictions: for the whole location, or for zones. */
  restrictions?: readonly { readonly type: "Location" | "Zone"; readonly zones?: readonly string[] }[];
}

/** A machine size as in ResourceSku. */
export function skuView(size: FakeSize): object {
  const {
    name,
    family,
    vcpus,
    premium = true,
    generations = "V1,V2",
    architecture = "x64",
    controllers = "SCSI",
  } = size;
  const capabilities = {
    vCPUs: String(vcpus),
    MemoryGB: String(vcpus * 4),
    MaxDataDiskCount: String(size.disks ?? 16),
    HyperVGenerations: generations,
    PremiumIO: premium ? "True" : "False",
    CpuArchitectureType: architecture,
    DiskControllerTypes: controllers,
  };
  return {
    resourceType: "virtualMachines",
    name,
    tier: "Standard",
    family,
    locations: ["westeurope"],
    locationInfo: [{ location: "westeurope", zones: ["3", "1", "2"], zoneDetails: [] }],
    capabilities: Object.entries(capabilities).map(([key, value]) => ({ name: key, value })),
    restrictions: (size.restrictions ?? []).map(({ type, zones }) => ({
      type,
      values: ["westeurope"],
      restrictionInfo: { locations: ["westeurope"], ...(zones && { zones }) },
      reasonCode: "NotAvailableForSubscription",
    })),
  };
}
