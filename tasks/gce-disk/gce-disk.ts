import { absent, refuse, task, z } from "../../src/authoring.ts";
import { gce, gceOwner, gceSeen } from "../../src/facts/catalogue.ts";
import { foreign, needed, notInPlace, shared } from "../gce-network/own.ts";
import { keyFits, kmsKey, obstacleOfShape, type } from "./shape.ts";

/** Manages or deletes a persistent disk in Google Compute Engine. A new disk is empty. */
export const gceDisk = task({
  name: "gceDisk",
  summary: "Create or update a persistent disk in Google Compute Engine, or delete it",
  params: z
    .strictObject({
      name: shared.name("Name of the disk"),
      project: shared.project(),
      zone: shared.zone(),
      sizeGb: z
        .int("a number of GB")
        .min(1, "at least 1 GB")
        .max(65_536, "at most 65536 GB")
        .optional()
        .describe("Size in GiB; required unless state is absent; can grow but never shrink"),
      type: type().default("pd-balanced").describe("Type of disk: pd-balanced, pd-ssd, hyperdisk-balanced, …"),
      iops: z
        .int("a number")
        .positive("a positive number")
        .optional()
        .describe("I/O operations per second, for types that accept it; default: Google's"),
      throughput: z
        .int("a number")
        .positive("a positive number")
        .optional()
        .describe("MB per second, for types that accept it; default: Google's"),
      kmsKey: kmsKey()
        .optional()
        .describe("Key in Cloud KMS that encrypts the disk; default: a key that Google manages"),
      labels: shared.labels(),
      owner: shared.owner(),
      state: z
        .enum(["present", "absent"])
        .default("present")
        .describe("Whether the disk exists; absent deletes it with its data"),
    })
    .refine(...needed("sizeGb", "a number of GB"))
    .refine((p) => keyFits(p.kmsKey, p.zone), { message: "a key in the region of the disk", path: ["kmsKey"] }),
  service: "gce",
  examples: [
    { name: "harvester-data-1", project: "harvester-lab-1234", zone: "europe-west3-a", sizeGb: 350, type: "pd-ssd" },
  ],
  title: (p) => `gceDisk ${p.name}`,
  disturbs: () => [gce.all],
})
  .facts((p) => ({ disk: gce.disk({ project: p.project, zone: p.zone, name: p.name }) }))
  .facts((p, { disk }) => ({
    // The limits matter only if the disk is created or grows.
    types:
      p.state === "present" && (disk === absent || disk.sizeGb < (p.sizeGb ?? 0))
        ? [gce.diskType({ project: p.project, zone: p.zone, name: p.type })]
        : [],
    users: disk === absent ? [] : disk.users.map((name) => gce.instance({ project: p.project, zone: p.zone, name })),
  }))
  .want((p, { disk, types, users }) => {
    const refusal = foreign("disk", p, disk);
    if (refusal !== undefined) return refusal;
    if (disk !== absent && p.state === "absent" && users.some((user) => user !== absent)) {
      return refuse({
        code: "disk-in-use",
        message: `the disk ${p.name} is attached to ${disk.users.join(", ")}`,
        hint: "Remove the instance first",
      });
    }
    if (p.state === "absent") return { disk: absent };
    const { sizeGb = 0, type, labels } = p;
    const lost = "its data";
    if (disk !== absent && disk.sizeGb > sizeGb) {
      return notInPlace(`the disk ${p.name}`, "size in GB", String(disk.sizeGb), String(sizeGb), lost);
    }
    if (disk !== absent && disk.type !== p.type) {
      return notInPlace(`the disk ${p.name}`, "type", disk.type, p.type, lost);
    }
    if (disk !== absent && p.kmsKey !== undefined && disk.kmsKey !== p.kmsKey) {
      return notInPlace(`the disk ${p.name}`, "kmsKey", disk.kmsKey || "none", p.kmsKey, lost);
    }
    const obstacle = obstacleOfShape(types[0], { type, zone: p.zone, sizeGb });
    if (obstacle !== undefined) return obstacle;
    const mark = { status: "READY", description: gceOwner(p.owner) };
    const speed = { iops: p.iops, throughput: p.throughput };
    return {
      disk: { sizeGb, type, ...speed, labels, kmsKey: p.kmsKey, ...mark, ...(disk === absent && { users: [] }) },
    };
  })
  .steps((p, { change, now: { disk } }) => {
    if (change.disk === undefined) return [];
    const { project, zone, name, sizeGb = 0, type, labels } = p;
    const act = { sort: "disk", place: { project, zone, name } } as const;
    if (p.state === "absent") {
      return [
        gce.call({
          ...act,
          seen: gceSeen(p.owner, disk),
          method: "delete",
          until: "absent",
          label: `delete disk ${name}`,
        }),
      ];
    }
    const ready = { status: "READY" };
    if (disk === absent) {
      const description = gceOwner(p.owner);
      const diskResource = {
        ...speedOf(p),
        name,
        sizeGb,
        labels,
        description,
        type: `projects/${project}/zones/${zone}/diskTypes/${type}`,
        ...(p.kmsKey !== undefined && { diskEncryptionKey: { kmsKeyName: p.kmsKey } }),
      };
      return [
        gce.call({ ...act, method: "insert", fields: { diskResource }, until: ready, label: `create disk ${name}` }),
      ];
    }
    const differs = (part: string): boolean => change.disk?.paths.some((path) => path.split(".")[0] === part) ?? false;
    return [
      differs("status") && gce.call({ ...act, until: ready, label: `wait until disk ${name} is ready` }),
      differs("sizeGb") &&
        gce.call({
          ...act,
          method: "resize",
          fields: { disksResizeRequestResource: { sizeGb } },
          until: { sizeGb },
          label: `grow disk ${name} to ${sizeGb} GB`,
        }),
      (differs("iops") || differs("throughput")) &&
        gce.call({
          ...act,
          method: "update",
          fields: { diskResource: { name, ...speedOf(p) }, paths: Object.keys(speedOf(p)).join(",") },
          until: {
            ...(p.iops !== undefined && { iops: p.iops }),
            ...(p.throughput !== undefined && { throughput: p.throughput }),
          },
          label: `set the speed of disk ${name}`,
        }),
      differs("labels") &&
        gce.call({
          ...act,
          method: "setLabels",
          fields: {
            zoneSetLabelsRequestResource: {
              labels: { ...disk.labels, ...labels },
              labelFingerprint: disk.labelFingerprint,
            },
          },
          until: { labels },
          label: `label disk ${name}`,
        }),
    ];
  })
  // The guest sees the disk under the device name that gceInstance sets.
  .outputs((p) => ({ name: p.name, path: `/dev/disk/by-id/google-${p.name}` }));

/** Returns the speed settings that are given, under the API's names. */
function speedOf({
  iops,
  throughput,
}: {
  readonly iops?: number | undefined;
  readonly throughput?: number | undefined;
}) {
  return {
    ...(iops !== undefined && { provisionedIops: iops }),
    ...(throughput !== undefined && { provisionedThroughput: throughput }),
  };
}
