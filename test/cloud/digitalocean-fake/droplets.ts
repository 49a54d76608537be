import type { z } from "zod";
import { type Account, images, regions, sizes } from "./account.ts";
import { unprocessable } from "./refusal.ts";
import { type Answer, one, type Settings } from "./answers.ts";
import type { dropletAction, newDroplet } from "./schemas.ts";
import { dropletView } from "./views.ts";

/** Counts one query for each droplet; a droplet reaches its next state after enough queries. */
export function tickDroplets(account: Account): void {
  for (const droplet of account.droplets) {
    droplet.settles -= 1;
    if (droplet.settles <= 0 && droplet.next !== "") droplet.status = droplet.next;
  }
  const gone = account.droplets.findIndex(({ status }) => status === "gone");
  if (gone >= 0) account.droplets.splice(gone, 1);
}

/** POST /v2/droplets */
export function createDroplet(account: Account, settings: Settings, body: z.output<typeof newDroplet>): Answer {
  const { name, region: slug, size: sizeSlug, image: imageSlug, tags = [], ssh_keys = [], volumes = [] } = body;
  if (account.droplets.length >= account.limit) {
    throw unprocessable("creating this/these droplet(s) will exceed your droplet limit");
  }
  const region = regions.find((one) => one.slug === slug);
  if (region?.available !== true) throw unprocessable("Region is not available");
  const size = sizes.find((one) => one.slug === sizeSlug);
  if (!size?.available || !(size.regions as readonly string[]).includes(slug)) {
    throw unprocessable("Size is not available in this region.");
  }
  const image = images.find(({ id, slug: own }) => id === imageSlug || own === imageSlug);
  if (image === undefined || image.min_disk_size > size.disk) throw unprocessable("You specified an invalid image");
  const unknown = ssh_keys.find((id) => !account.keys.some((key) => String(key.id) === String(id)));
  if (unknown !== undefined) {
    throw unprocessable(`${unknown} are invalid key identifiers for Droplet creation.`);
  }
  const attached = volumes.map((id) => one(account.volumes, id));
  if (attached.some((volume) => volume.region !== slug || volume.droplet !== undefined)) {
    throw unprocessable("volume is in another region or attached to a Droplet");
  }
  const number = account.number();
  const droplet = {
    id: number,
    name,
    region: slug,
    size: sizeSlug,
    image: image.slug,
    vpc: body.vpc_uuid ?? "760e09ef-dc84-11e8-981e-3cfdfeaae000",
    tags: new Set(tags),
    keys: ssh_keys.map(Number),
    address: settings.addressOf(number % 200),
    status: "new",
    settles: 3,
    next: "active",
  };
  for (const tag of tags) account.tags.add(tag);
  account.droplets.push(droplet);
  for (const volume of attached) volume.droplet = number;
  const links = {
    actions: [{ id: account.number(), rel: "create", href: "https://api.digitalocean.com/v2/actions/1" }],
  };
  return [202, { droplet: dropletView(account, droplet), links }];
}

/** DELETE /v2/droplets/ID */
export function deleteDroplet(account: Account, id: string): Answer {
  const droplet = one(account.droplets, id);
  Object.assign(droplet, { settles: 2, next: "gone" });
  return [204];
}

/** POST /v2/droplets/ID/actions */
export function dropletAct(account: Account, id: string, body: z.output<typeof dropletAction>): Answer {
  const droplet = one(account.droplets, id);
  if (droplet.status !== "off") throw unprocessable("Droplet must be off");
  if (body.type === "resize") {
    if (!sizes.some(({ slug }) => slug === body.size)) throw unprocessable("You specified an invalid size");
    droplet.size = body.size;
  } else Object.assign(droplet, { settles: 2, next: "active" });
  return [201, { action: { id: account.number(), status: "in-progress", type: body.type } }];
}
