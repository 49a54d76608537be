/** A droplet of the fake. */
export interface FakeDroplet {
  readonly id: number;
  readonly name: string;
  readonly region: string;
  size: string;
  readonly image: string;
  readonly vpc: string;
  readonly tags: Set<string>;
  readonly keys: readonly number[];
  readonly address: string;
  status: string;
  /** The number of queries after which the droplet reaches its next state. */
  settles: number;
  /** The droplet's next state. */
  next: string;
}

/** A volume of the fake. */
export interface FakeVolume {
  readonly id: string;
  readonly name: string;
  readonly region: string;
  readonly tags: Set<string>;
  size: number;
  droplet: number | undefined;
  /** The number of queries until the volume is detached, once its droplet has been deleted. */
  lag: number;
}

/** An SSH key of the fake. */
export interface FakeKey {
  readonly id: number;
  readonly name: string;
  readonly publicKey: string;
}

/** A firewall of the fake. */
export interface FakeFirewall {
  readonly id: string;
  name: string;
  inbound: readonly object[];
  outbound: readonly object[];
  tags: readonly string[];
  droplets: readonly number[];
  settles: number;
}

/** Everything in the account, and its limits. */
export class Account {
  readonly droplets: FakeDroplet[] = [];
  readonly volumes: FakeVolume[] = [];
  readonly keys: FakeKey[] = [];
  readonly firewalls: FakeFirewall[] = [];
  readonly tags = new Set<string>();
  limit = 10;
  status = "active";
  statusMessage = "";
  #last = 1000;

  /** The next resource number. */
  number(): number {
    this.#last += 1;
    return this.#last;
  }

  /** The next resource UUID. */
  uuid(): string {
    return `506f78a4-e098-41e5-ad9f-${String(this.number()).padStart(12, "0")}`;
  }

  /** The names of the existing resources, by type. */
  things(): Record<string, string[]> {
    const names = (list: readonly { readonly name: string }[]): string[] => list.map(({ name }) => name);
    const all = {
      droplets: names(this.droplets),
      volumes: names(this.volumes),
      keys: names(this.keys),
      firewalls: names(this.firewalls),
    };
    return Object.fromEntries(Object.entries(all).filter(([, list]) => list.length > 0));
  }
}

/** The sizes that the fake offers, as in GET /v2/sizes. */
export const sizes = [
  { slug: "s-1vcpu-1gb", memory: 1024, vcpus: 1, disk: 25, available: true, regions: ["ams3", "fra1"] },
  { slug: "g-8vcpu-32gb", memory: 32_768, vcpus: 8, disk: 100, available: true, regions: ["ams3", "fra1"] },
  { slug: "g-16vcpu-64gb", memory: 65_536, vcpus: 16, disk: 200, available: true, regions: ["ams3", "fra1"] },
  { slug: "g-32vcpu-128gb", memory: 131_072, vcpus: 32, disk: 400, available: true, regions: ["ams3"] },
  { slug: "g-60vcpu-240gb", memory: 245_760, vcpus: 60, disk: 750, available: false, regions: [] },
] as const;

/** The regions of the fake, as in GET /v2/regions. */
export const regions = [
  { slug: "ams3", name: "Amsterdam 3", available: true, features: ["backups", "ipv6", "metadata", "storage"] },
  { slug: "fra1", name: "Frankfurt 1", available: true, features: ["backups", "ipv6", "metadata", "storage"] },
  { slug: "nyc2", name: "New York 2", available: false, features: ["backups", "ipv6"] },
] as const;

/** The images of the fake, as in GET /v2/images. */
export const images = [
  { id: 154_706_022, slug: "debian-12-x64", min_disk_size: 10, status: "available", regions: ["ams3", "fra1"] },
  { id: 154_706_023, slug: "huge-x64", min_disk_size: 500, status: "available", regions: ["ams3", "fra1"] },
] as const;
