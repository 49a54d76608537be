import { absent, refuse, task, z } from "../../src/authoring.ts";
import { digitalOcean } from "../../src/facts/catalogue.ts";
import { common, foreign, lacking, notInPlace, resourceName, setOf, tagsWith } from "../digital-ocean-droplet/own.ts";

const params = z
  .strictObject({
    name: resourceName().describe("Name of the volume; the guest sees it at /dev/disk/by-id/scsi-0DO_Volume_NAME"),
    region: common
      .region()
      .optional()
      .describe(
        "Region; droplets in other regions cannot use the volume; required unless state is absent. With state absent and no region, the owner's volume is deleted in any region",
      ),
    sizeGb: z
      .int("a number of GiB")
      .min(1, "at least 1 GiB")
      .max(16_384, "at most 16384 GiB")
      .optional()
      .describe("Size in GiB; required unless state is absent; can grow but never shrink"),
    tags: common.tags(),
    owner: common.owner(),
    token: common.token(),
    state: z
      .enum(["present", "absent"])
      .default("present")
      .describe("Whether the volume exists; absent deletes it with its data"),
  })
  .refine((p) => p.state === "absent" || p.sizeGb !== undefined, {
    message: "a number of GiB, unless the state is absent",
    path: ["sizeGb"],
  })
  .refine((p) => p.state === "absent" || p.region !== undefined, {
    message: "a region, unless the state is absent",
    path: ["region"],
  });

/** Manages or deletes a block storage volume at DigitalOcean. A new volume is empty. */
export const digitalOceanVolume = task({
  name: "digitalOceanVolume",
  summary: "Create or grow a block storage volume at DigitalOcean, or delete it",
  params,
  service: "digitalOcean",
  examples: [
    { name: "harvester-data-1", region: "fra1", sizeGb: 350 },
    { name: "harvester-data-1", region: "fra1", state: "absent" },
  ],
  title: (p) => `digitalOceanVolume ${p.name}`,
  disturbs: () => [digitalOcean.all],
})
  .facts(({ name, region, token, ...p }) => {
    const owner = region === undefined ? p.owner : undefined;
    return { volume: digitalOcean.volume({ name, region, owner, token }) };
  })
  .facts((p, { volume }) => ({
    droplets: volume === absent ? [] : volume.droplets.map((name) => digitalOcean.droplet({ name, token: p.token })),
    regions:
      volume === absent && p.region !== undefined && p.state === "present"
        ? [digitalOcean.region({ name: p.region, token: p.token })]
        : [],
  }))
  .want((p, { volume, regions, droplets }) => {
    const refusal = foreign("volume", p, volume);
    if (refusal !== undefined) return refusal;
    if (p.state === "absent") {
      if (volume === absent || droplets.every((one) => one === absent)) return { volume: absent };
      return refuse({
        code: "volume-in-use",
        message: `the volume ${p.name} is attached to the droplet ${volume.droplets.join(", ")}`,
        hint: "Remove the droplet first, or detach the volume",
      });
    }
    const { sizeGb = 0, region = "" } = p;
    const [place] = regions;
    if (place !== undefined && (place === absent || !place.features.includes("storage"))) {
      return refuse({
        code: "no-region",
        message: place === absent ? `there is no region ${region}` : `the region ${region} has no volumes`,
        hint: "Choose another region: doctl compute region list",
      });
    }
    if (volume !== absent && volume.sizeGb > sizeGb) {
      return notInPlace(`the volume ${p.name}`, "size in GiB", String(volume.sizeGb), String(sizeGb), "its data");
    }
    const fresh = volume === absent && { filesystem: "", droplets: [] };
    return { volume: { sizeGb, tags: setOf(tagsWith(p.owner, p.tags)), ...fresh } };
  })
  .steps((p, { change, now: { volume } }) => {
    if (change.volume === undefined) return [];
    const { name, region = "", owner, token, sizeGb = 0 } = p;
    if (p.state === "absent") {
      const gone = { name, region: p.region, owner, token };
      return [digitalOcean.call({ act: "deleteVolume", ...gone }, `delete the volume ${name}`)];
    }
    const place = { name, region, owner, token };
    const tags = tagsWith(owner, p.tags);
    if (volume === absent) {
      return [digitalOcean.call({ act: "createVolume", ...place, sizeGb, tags }, `create the volume ${name}`)];
    }
    const missing = lacking(tags, volume.tags);
    return [
      volume.sizeGb < sizeGb &&
        digitalOcean.call({ act: "growVolume", ...place, sizeGb }, `grow the volume ${name} to ${sizeGb} GiB`),
      missing.length > 0 && digitalOcean.call({ act: "tagVolume", ...place, tags: missing }, `tag the volume ${name}`),
    ];
  })
  .outputs((p) => ({ name: p.name, path: `/dev/disk/by-id/scsi-0DO_Volume_${p.name}` }));
