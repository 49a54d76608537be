import { absent, task } from "../../src/authoring.ts";
import {
  ec2DefaultVpc,
  ec2Image,
  ec2InstanceState,
  ec2KeyPairState,
  ec2MachineType,
  ec2ProcessorQuota,
  ec2SecurityGroupState,
  ec2SubnetState,
  ec2TerminationProtection,
  ec2TypeZones,
  ec2Zones,
} from "../../src/facts/catalogue.ts";
import { driftOf } from "./drift.ts";
import { type InstanceParams, params } from "./instance-params.ts";
import { obstacleToLaunch, refuseForeign, refuseProtected } from "./launch.ts";
import { obstacleInPlace } from "./place.ts";
import { noteQuota, refuseQuota } from "./quota.ts";
import { stepsFor } from "./steps.ts";
import { wantedInstance } from "./wanted.ts";

/** Ensures that an EC2 machine is running, stopped or absent; finds the machine by its name. */
export const ec2Instance = task({
  name: "ec2Instance",
  summary: "Keep a machine in Amazon EC2 running, stopped or absent",
  params,
  service: "ec2",
  examples: [
    {
      name: "harvester",
      type: "m8i.4xlarge",
      image: { owner: "099720109477", name: "ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-amd64-server-*" },
      keyPair: "harvester",
      securityGroups: ["harvester"],
      nestedVirtualization: true,
      rootDisk: { sizeGb: 100 },
      disks: [{ device: "/dev/sdf", sizeGb: 500, iops: 16_000, throughput: 1000 }],
    },
    { name: "harvester", state: "absent" },
  ],
  title: (p) => `ec2Instance ${p.name}`,
  disturbs: () => [],
})
  .facts((p) => ({
    instance: ec2InstanceState(p),
    ...(p.state !== "absent" &&
      p.type !== undefined &&
      p.image !== undefined && {
        image: ec2Image({ region: p.region, image: p.image }),
        machineType: ec2MachineType({ region: p.region, type: p.type, nested: p.nestedVirtualization }),
        groups: p.securityGroups.map((name) => ec2SecurityGroupState({ region: p.region, name, vpc: p.vpc })),
        ...(p.subnet !== undefined && { subnet: ec2SubnetState({ region: p.region, name: p.subnet }) }),
        ...(p.keyPair !== undefined && { keyPair: ec2KeyPairState({ region: p.region, name: p.keyPair }) }),
      }),
  }))
  .facts((p, { instance }) => ({
    ...((p.terminationProtection !== undefined || (p.state === "absent" && instance !== absent)) && {
      protection: ec2TerminationProtection(p),
    }),
    ...(p.state !== "absent" &&
      p.type !== undefined &&
      instance === absent && {
        ...(p.zone !== undefined && { zones: ec2Zones(p) }),
        ...(p.subnet === undefined && { defaultVpc: ec2DefaultVpc(p) }),
        typeZones: ec2TypeZones({ region: p.region, type: p.type }),
        quota: ec2ProcessorQuota({ region: p.region, type: p.type, spot: p.spot }),
      }),
  }))
  .want((p, now) => {
    const { instance, protection } = now;
    if (p.state === "absent") {
      if (instance !== absent && !instance.ours) return refuseForeign(p.name, instance.id);
      if (protection !== undefined && protection !== absent && protection.on && p.terminationProtection !== false) {
        return refuseProtected(p.name);
      }
      return { instance: absent, ...(protection !== undefined && { protection: absent }) };
    }
    if (instance === absent || instance.state === "shutting-down") {
      const obstacle =
        obstacleToLaunch(p, now) ?? obstacleInPlace(p, now) ?? refuseQuota(now.quota, "virtual processors");
      return obstacle ?? { instance: wantedInstance(p, now), ...wantedProtection(p) };
    }
    if (!instance.ours) return refuseForeign(p.name, instance.id);
    return driftOf(p, instance, now) ?? { instance: wantedInstance(p, now), ...wantedProtection(p) };
  })
  .steps((p, { change, now }) =>
    change.instance === undefined && change.protection === undefined ? [] : stepsFor(p, now),
  )
  .notes((p, { instance, image, quota }) => [
    ...noteQuota(quota, "machine of this type"),
    ...(p.state !== "absent" &&
    instance !== absent &&
    image !== undefined &&
    image !== absent &&
    instance.image !== image.id
      ? [
          `the machine was launched from ${instance.image}; a new one would be launched from ${image.id} (${image.name})`,
        ]
      : []),
  ])
  .outputs((p: InstanceParams, { instance }) =>
    instance === absent
      ? { id: "", address: "", privateAddress: "", host: { name: p.name, address: "" } }
      : {
          id: instance.id,
          address: instance.address,
          privateAddress: instance.privateAddress,
          /** The machine as a host, for a play's hosts or for `nested()`. */
          host: {
            name: p.name,
            address: instance.address === "" ? instance.privateAddress : instance.address,
            ...(instance.hostKeys.length > 0 && { hostKeys: instance.hostKeys }),
          },
        },
  );

function wantedProtection({ terminationProtection: on }: InstanceParams) {
  return on === undefined ? {} : { protection: { on } };
}
