import { absent, knownAfterApply, peek, refuse, type Refusal, task, z } from "../../src/authoring.ts";
import {
  type Ec2Act,
  ec2Call,
  ec2InstanceState,
  type Ec2VolumeState,
  ec2VolumeState,
  ec2Zones,
} from "../../src/facts/catalogue.ts";
import { deadline, device, diskSize, kmsKey, ec2Name, ec2Tags, region } from "../ec2-instance/params.ts";
import { holderFact, refuseInUse, userFact, type Users } from "../ec2-instance/in-use.ts";
import { refuseForeign } from "../ec2-instance/launch.ts";
import { seenIn } from "../ec2-instance/seen.ts";
import { refuseZone } from "../ec2-instance/zone.ts";
import { refineShape } from "../ec2-instance/volume-limits.ts";

const params = z
  .strictObject({
    name: ec2Name("a volume").describe("Value of the volume's Name tag, by which furrow finds it"),
    region: region(),
    ...diskSize,
    sizeGb: diskSize.sizeGb
      .optional()
      .describe("Size in GiB; required unless state is absent; can grow but never shrink"),
    encrypted: z.boolean().default(true).describe("Whether to create the volume encrypted"),
    kmsKey: kmsKey(),
    instance: ec2Name("a machine")
      .optional()
      .describe("Name of the machine that the volume is attached to; default: none"),
    device: device().optional().describe("Device name on the machine; required with instance"),
    zone: z.string().optional().describe("Availability zone; default: the machine's"),
    tags: ec2Tags(),
    state: z
      .enum(["present", "absent"])
      .default("present")
      .describe("Whether the volume exists; absent deletes it with its data, unless it is attached to a machine"),
    deadlineSeconds: deadline(),
  })
  .refine((p) => p.state === "absent" || p.sizeGb !== undefined, {
    message: "a size, unless state is absent",
    path: ["sizeGb"],
  })
  .refine((p) => p.instance === undefined || p.device !== undefined, {
    message: "a device, because instance is given",
    path: ["device"],
  })
  .refine((p) => p.state === "absent" || p.instance !== undefined || p.zone !== undefined, {
    message: "a zone, because no instance is given",
    path: ["zone"],
  })
  .refine((p) => p.kmsKey === undefined || p.encrypted, {
    message: "encrypted: true, because a key is given",
    path: ["encrypted"],
  })
  .superRefine((p, context) => {
    if (p.state === "present") refineShape(p, context);
  });

/** Manages a volume separately from machines; it may be attached to a machine or stay unattached. */
export const ec2Volume = task({
  name: "ec2Volume",
  summary: "Manage a volume in Amazon EC2, attached to a machine or unattached",
  params,
  service: "ec2",
  examples: [
    { name: "harvester-data", sizeGb: 500, instance: "harvester", device: "/dev/sdf" },
    { name: "harvester-data", state: "absent" },
  ],
  title: (p) => `ec2Volume ${p.name}`,
  disturbs: () => [],
})
  .facts((p) => ({
    volume: ec2VolumeState(p),
    ...(p.instance !== undefined &&
      p.state === "present" && {
        instance: ec2InstanceState({ region: p.region, name: p.instance }),
      }),
  }))
  .facts((p, { volume }) => ({
    ...(p.state === "present" && volume === absent && p.zone !== undefined && { zones: ec2Zones(p) }),
    ...holderFact(p.region, volume === absent || (p.state === "present" && p.instance) ? undefined : volume.instance),
  }))
  .facts((p, { holder }) => userFact(p.region, holder))
  .want((p, { volume, instance, zones, ...users }) => {
    if (volume !== absent && !volume.ours) return refuseForeign(p.name, volume.id);
    const used = volume === absent ? undefined : refuseTaking(p, volume, users);
    if (used) return used;
    if (p.state === "absent") return { volume: absent };
    if (instance === absent) {
      return refuse({
        code: "no-instance",
        message: `there is no machine ${p.instance} to attach the volume to`,
        hint: "Add an ec2Instance task before this one, or correct the name",
      });
    }
    const denied = refuseZone(p.zone, zones);
    if (denied) return denied;
    const { sizeGb = 0, type, iops, throughput, tags, device: under } = p;
    if (volume !== absent && volume.sizeGb > sizeGb) {
      return refuse({
        code: "cannot-shrink",
        message: `the volume ${p.name} (${volume.id}) has ${volume.sizeGb} GiB, and volumes never shrink`,
        hint: `Set sizeGb to ${volume.sizeGb}, or copy its data to a new volume: replacing this one would lose its data`,
      });
    }
    if (volume !== absent && p.zone !== undefined && volume.zone !== p.zone) {
      return refuse({
        code: "other-zone",
        message: `the volume ${p.name} (${volume.id}) is in ${volume.zone}, and volumes stay in their zone`,
        hint: "Correct the zone, or create a new volume from a snapshot: replacing this one would lose its data",
      });
    }
    if (volume !== absent && volume.attached && instance !== undefined && volume.instance !== instance.id) {
      return refuse({
        code: "attached-elsewhere",
        message: `the volume ${p.name} (${volume.id}) is attached to ${volume.instance}`,
        hint: "Unmount the volume on that machine and detach it first: otherwise, unwritten data would be lost",
      });
    }
    return {
      volume: {
        sizeGb,
        type,
        ...(iops !== undefined && { iops }),
        ...(throughput !== undefined && { throughput }),
        tags,
        ours: true,
        attached: instance !== undefined,
        instance: instance === undefined ? "" : peek(instance, "id"),
        device: under !== undefined && instance !== undefined ? under : "",
        ...(volume === absent && {
          id: knownAfterApply,
          encrypted: p.encrypted,
          zone: p.zone ?? knownAfterApply,
        }),
      },
    };
  })
  .steps((p, { change, now: { volume, instance: machine } }) => {
    if (change.volume === undefined) return [];
    const { region: where, name, instance, type, iops, throughput, sizeGb = 0, deadlineSeconds, tags } = p;
    const place = { region: where, name, deadlineSeconds };
    const id = seenIn(volume);
    if (p.state === "absent") return [ec2Call({ act: "deleteVolume", ...place, id }, `delete ${name}`)];
    const size = { sizeGb, type, iops, throughput };
    const attach =
      instance !== undefined &&
      ec2Call(
        { act: "attachVolume", ...place, id, instance, instanceId: seenIn(machine), device: p.device ?? "" },
        `attach ${name} to ${instance}`,
      );
    if (volume === absent) {
      return [ec2Call(createAct(p), `create ${name} (${sizeGb} GiB ${type})`), attach];
    }
    const changed = Object.fromEntries(
      Object.entries(size).filter(([key, value]) => value !== undefined && value !== volume[key as keyof typeof size]),
    );
    const said = Object.entries(changed).map(([key, value]) => `${key} ${String(value)}`);
    const isMoved = volume.attached && (instance === undefined || volume.device !== p.device);
    return [
      said.length > 0 &&
        ec2Call(
          { act: "resizeDisk", region: where, id: volume.id, size: changed, deadlineSeconds },
          `${name}: ${said.join(", ")}`,
        ),
      Object.entries(tags).some(([key, value]) => volume.tags[key] !== value) &&
        ec2Call({ act: "setTags", region: where, id: volume.id, tags }, `tag ${name}`),
      isMoved && ec2Call({ act: "detachVolume", ...place, id, instanceId: volume.instance }, `detach ${name}`),
      (isMoved || !volume.attached) && attach,
    ];
  })
  .outputs((_p, { volume }) => (volume === absent ? { id: "" } : { id: volume.id }));

/** Refuses to delete an attached volume, or to detach one from a machine that furrow did not launch. */
function refuseTaking(p: z.output<typeof params>, volume: Ec2VolumeState, users: Users): Refusal | undefined {
  return refuseInUse(users, {
    title: `the volume ${p.name} (${volume.id})`,
    id: volume.instance,
    fromOwn: p.state === "present",
    hint: "Remove the machine first, or unmount and detach the volume: otherwise, unwritten data would be lost",
  });
}

function createAct(p: z.output<typeof params>): Ec2Act {
  const {
    region: where,
    name,
    instance,
    zone,
    type,
    iops,
    throughput,
    sizeGb = 0,
    deadlineSeconds,
    tags,
    encrypted,
    kmsKey: key,
  } = p;
  const size = { sizeGb, type, iops, throughput };
  return {
    act: "createVolume",
    region: where,
    name,
    deadlineSeconds,
    size,
    encrypted,
    kmsKey: key,
    zone,
    instance,
    tags,
  };
}
