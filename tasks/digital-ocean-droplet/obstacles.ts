import { absent, type Absent, refuse, type Refusal } from "../../src/authoring.ts";
import type {
  DigitalOceanDroplet,
  DigitalOceanImage,
  DigitalOceanRegion,
  DigitalOceanSize,
  DigitalOceanSshKey,
  DigitalOceanVolume,
} from "../../src/facts/catalogue.ts";
import { foreign, notInPlace } from "./own.ts";
import type { Params } from "./params.ts";

/** The existing resources that a droplet is created from. */
export interface Parts {
  readonly sizes: readonly (DigitalOceanSize | Absent)[];
  readonly regions: readonly (DigitalOceanRegion | Absent)[];
  readonly images: readonly (DigitalOceanImage | Absent)[];
  readonly keys: readonly (DigitalOceanSshKey | Absent)[];
  readonly volumes: readonly (DigitalOceanVolume | Absent)[];
}

/** Explains why a droplet cannot be created; undefined if it can be. */
export function obstacleToNew(p: Params, parts: Parts): Refusal | undefined {
  const { region: slug = "" } = p;
  const [region = absent] = parts.regions;
  if (region === absent || !region.available) {
    return refuse({
      code: "no-region",
      message:
        region === absent ? `there is no region ${slug}` : `the region ${slug} accepts no new droplets at the moment`,
      hint: "Choose another region: doctl compute region list",
    });
  }
  return obstacleOfSize(p, parts.sizes[0]) ?? obstacleOfImage(p, parts) ?? obstacleOfKeys(p, parts.keys);
}

function obstacleOfSize(
  { size: slug = "", region = "" }: Params,
  size: DigitalOceanSize | Absent | undefined,
): Refusal | undefined {
  const hint = "Choose another size or region: doctl compute size list";
  if (size === undefined || size === absent) {
    return refuse({ code: "no-size", message: `there is no size ${slug}`, hint });
  }
  if (size.available && size.regions.includes(region)) return undefined;
  return refuse({
    code: "no-size",
    message: `the region ${region} does not currently offer the size ${slug} to this account`,
    expected:
      size.regions.length === 0 ? "a size that at least one region offers" : `one of ${size.regions.join(", ")}`,
    hint,
  });
}

function obstacleOfImage({ image: slug = "", region = "", size: sizeSlug = "" }: Params, parts: Parts) {
  const [image = absent] = parts.images;
  const [size = absent] = parts.sizes;
  const hint = "Choose another image: doctl compute image list-distribution --public";
  if (image === absent) return refuse({ code: "no-image", message: `there is no image ${slug}`, hint });
  if (!image.regions.includes(region) || image.status === "retired" || image.status === "deleted") {
    const where = image.regions.includes(region) ? `is ${image.status}` : `is not available in ${region}`;
    return refuse({ code: "no-image", message: `the image ${slug} ${where}`, hint });
  }
  if (size === absent || size.diskGb >= image.minDiskGb) return undefined;
  return refuse({
    code: "disk-size",
    message: `the image ${slug} needs a disk of ${image.minDiskGb} GB, but the size ${sizeSlug} has ${size.diskGb} GB`,
    hint: "Choose a larger size",
  });
}

function obstacleOfKeys({ publicKeys }: Params, keys: Parts["keys"]): Refusal | undefined {
  const at = keys.indexOf(absent);
  if (at < 0) return undefined;
  return refuse({
    code: "no-ssh-key",
    message: `the public key ${(publicKeys[at] ?? "").slice(0, 40)}… is not registered with DigitalOcean`,
    hint: "Register it first with digitalOceanSshKey",
  });
}

/** Explains why one of the volumes cannot be attached; undefined if all can be. */
export function obstacleOfVolumes(p: Params, volumes: Parts["volumes"]): Refusal | undefined {
  for (const [at, name] of p.volumes.entries()) {
    const volume = volumes[at] ?? absent;
    if (volume === absent) {
      return refuse({
        code: "no-volume",
        message: `there is no volume ${name} in ${p.region ?? ""}`,
        hint: "Correct the name, or create the volume first with digitalOceanVolume",
      });
    }
    const refusal = foreign("volume", { name, owner: p.owner }, volume);
    if (refusal !== undefined) return refusal;
    const others = volume.droplets.filter((one) => one !== p.name);
    if (others.length === 0) continue;
    return refuse({
      code: "volume-in-use",
      message: `the volume ${name} is attached to the droplet ${others.join(", ")}`,
      hint: "Detach it first, or choose another volume",
    });
  }
  return undefined;
}

/** Explains why an existing droplet cannot be brought into the desired state; undefined if it can be. */
export function obstacleToChange(p: Params, now: DigitalOceanDroplet, sizes: Parts["sizes"]): Refusal | undefined {
  const thing = `the droplet ${p.name}`;
  const lost = "its disk";
  if (now.region !== p.region) return notInPlace(thing, "region", now.region, p.region ?? "", lost);
  if (p.vpc !== undefined && now.vpc !== p.vpc) return notInPlace(thing, "vpc", now.vpc, p.vpc, lost);
  if (now.size === p.size) return undefined;
  if (now.status !== "off") {
    return refuse({
      code: "needs-stop",
      message: `${thing} has the size ${now.size} and is running: it must be off before it can change to ${p.size ?? ""}`,
      hint: "Shut it down first, then rerun: the run resizes and starts it",
    });
  }
  return obstacleOfSize(p, sizes[0]);
}

/**
 * Refuses to delete a droplet in a region other than the given one. The droplet's volumes are in the droplet's region,
 * and would be left behind.
 */
export function elsewhere({ name, region }: Params, now: DigitalOceanDroplet | Absent): Refusal | undefined {
  if (now === absent || region === undefined || now.region === region) return undefined;
  return refuse({
    code: "other-region",
    message: `the droplet ${name} is in ${now.region}, not in ${region}`,
    hint: `Set region to ${now.region} to delete this droplet and its volumes, or leave region out`,
  });
}
