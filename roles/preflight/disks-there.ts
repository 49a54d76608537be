import { absent, absolutePath, blockDevice, disks, refuse, seconds, task, z } from "../../src/authoring.ts";
import { diskList, size } from "../../tasks/disk/names.ts";
import { minimumDiskBytes } from "../data-disks/image-room.ts";

const params = z.strictObject({
  devices: z
    .array(z.strictObject({ path: absolutePath(), imageGiB: z.number() }))
    .describe("Disks on the host, by path, each with the size of the disk image that it must hold"),
  deadlineSeconds: seconds().describe("Seconds to wait for the disks to appear"),
});

/** A name that Linux assigns to disks in the order in which it finds them. */
const kernelName = /^\/dev\/(?:(?:sd|vd|xvd|hd)[a-z]+|nvme\d+n\d+)$/;

/**
 * Waits for a cluster's disks, because a cloud may attach them some time after boot, and refuses disks that are too
 * small for a node's image. Does not touch any of them.
 */
export const disksThere = task({
  name: "disksThere",
  summary: "Wait until a cluster's disks have appeared on the host, and check their sizes",
  params,
  examples: [],
  title: ({ devices }) => `${devices.length} data ${devices.length === 1 ? "disk is" : "disks are"} attached`,
})
  .facts((p) => ({ devices: p.devices.map(({ path }) => blockDevice(path)) }))
  .facts((_p, now) => ({ ...(now.devices.includes(absent) && { disks: disks() }) }))
  .want((p, now) => {
    const small = p.devices.flatMap(({ path, imageGiB }, at) => {
      const device = now.devices[at];
      const least = minimumDiskBytes(imageGiB * 2 ** 30);
      return device === undefined || device === absent || device.type !== "disk" || device.sizeBytes >= least
        ? []
        : [`${path} has ${size(device.sizeBytes)}, but an image of ${imageGiB} GiB needs ${size(least)}`];
    });
    if (small.length > 0) {
      return refuse({
        code: "too-small",
        message: `${small.join("; ")}: the file system takes about 7 percent of a disk`,
        hint: "Attach a larger disk, or set a smaller diskGiB in `size` (for extra disks: sizeGiB)",
        final: true,
      });
    }
    const missing = p.devices.map(({ path }) => path).filter((_path, at) => now.devices[at] === absent);
    if (missing.length === 0) return {};
    const [what, verb] = missing.length === 1 ? ["disk", "does"] : ["disks", "do"];
    return refuse({
      code: "not-yet",
      message: `${what} ${missing.join(", ")} ${verb} not exist; the host has ${diskList(now.disks ?? [])}`,
      hint: "Attach it, or list another of these disks in `disks`, preferably by its path under /dev/disk/by-id",
    });
  })
  .wait((p) => ({
    intervalSeconds: 2,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: `${p.devices.map(({ path }) => path).join(", ")} to appear`,
  }))
  .notes(({ devices }) => {
    const names = devices.map(({ path }) => path).filter((path) => kernelName.test(path));
    if (names.length === 0) return [];
    return [
      `${names.join(", ")} may be a different disk after the next boot: list disks by their paths under /dev/disk`,
    ];
  });
