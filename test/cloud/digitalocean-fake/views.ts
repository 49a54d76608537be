import { type Account, type FakeDroplet, type FakeFirewall, type FakeVolume, images, regions } from "./account.ts";

const regionView = (slug: string): object => ({ ...regions.find((one) => one.slug === slug), sizes: [] });

/** A droplet as in models/droplet.yml. */
export function dropletView(account: Account, one: FakeDroplet): object {
  const network = (type: string, ip_address: string): object => ({ ip_address, netmask: "255.255.240.0", type });
  const isUp = one.status !== "new";
  return {
    id: one.id,
    name: one.name,
    locked: one.status === "new",
    status: one.status,
    created_at: "2026-11-28T00:00:00Z",
    features: ["droplet_agent", "private_networking"],
    backup_ids: [],
    snapshot_ids: [],
    image: images.find(({ slug }) => slug === one.image) ?? { id: Number(one.image), slug: null },
    volume_ids: account.volumes.filter(({ droplet }) => droplet === one.id).map(({ id }) => id),
    size_slug: one.size,
    networks: {
      v4: isUp ? [network("private", `10.135.0.${one.id % 250}`), network("public", one.address)] : [],
      v6: [],
    },
    region: regionView(one.region),
    tags: [...one.tags],
    vpc_uuid: one.vpc,
  };
}

/** A volume as in models/volume_full.yml. */
export function volumeView(one: FakeVolume): object {
  return {
    id: one.id,
    name: one.name,
    region: regionView(one.region),
    droplet_ids: one.droplet === undefined ? [] : [one.droplet],
    description: "",
    size_gigabytes: one.size,
    created_at: "2026-11-28T00:00:00Z",
    filesystem_type: "",
    filesystem_label: "",
    tags: [...one.tags],
  };
}

/** A firewall as in models/firewall.yml. */
export function firewallView(account: Account, one: FakeFirewall): object {
  const droplets = account.droplets.filter(({ tags }) => one.tags.some((tag) => tags.has(tag)));
  const isPending = one.settles > 0 && droplets.length > 0;
  return {
    id: one.id,
    name: one.name,
    status: isPending || droplets.length === 0 ? "waiting" : "succeeded",
    inbound_rules: one.inbound,
    outbound_rules: one.outbound,
    created_at: "2026-11-28T00:00:00Z",
    droplet_ids: one.droplets,
    tags: one.tags,
    pending_changes: isPending
      ? droplets.map(({ id }) => ({ droplet_id: id, removing: false, status: "waiting" }))
      : [],
  };
}
