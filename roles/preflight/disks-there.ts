import { absent, absolutePath, blockDevice, disks, refuse, seconds, task, z } from "../../src/authoring.ts";
import { diskList } from "../../tasks/disk/names.ts";

const params = z.strictObject({
  devices: z.array(absolutePath()).describe("Disks on the host, by path"),
  deadlineSeconds: seconds().describe("Seconds to wait for them to appear"),
});

/**
 * Waits for a cluster's disks, because a cloud may attach them some time after the boot. Does not touch any of them.
 */
export const disksThere = task({
  name: "disksThere",
  summary: "Wait until a cluster's disks have appeared on the host",
  params,
  examples: [],
  title: ({ devices }) => `${devices.length} data ${devices.length === 1 ? "disk is" : "disks are"} attached`,
})
  .facts((p) => ({ devices: p.devices.map((path) => blockDevice(path)) }))
  .facts((_p, now) => ({ ...(now.devices.includes(absent) && { disks: disks() }) }))
  .want((p, now) => {
    const missing = p.devices.filter((_path, at) => now.devices[at] === absent);
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
    waitsFor: `${p.devices.join(", ")} to appear`,
  }));
