import { absent, task } from "../../src/authoring.ts";
import {
  ec2Image,
  ec2InstanceState,
  ec2KeyPairState,
  ec2MachineType,
  ec2Permission,
  ec2SecurityGroupState,
  ec2Zones,
} from "../../src/facts/catalogue.ts";
import { driftOf } from "./drift.ts";
import { type InstanceParams, params } from "./instance-params.ts";
import { obstacleToLaunch, refuseForeign } from "./launch.ts";
import { refuseDenied, refuseZone } from "./permission.ts";
import { launchAct, stepsFor } from "./steps.ts";
import { wantedInstance } from "./wanted.ts";

/** Keeps an EC2 machine running, stopped or absent; finds the machine by its name. */
export const ec2Instance = task({
  name: "ec2Instance",
  summary: "Keep a machine in Amazon EC2 running, stopped or absent",
  params,
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
        ...(p.keyPair !== undefined && { keyPair: ec2KeyPairState({ region: p.region, name: p.keyPair }) }),
      }),
  }))
  .facts((p, { instance, image }) => ({
    ...(p.state !== "absent" && instance === absent && image !== absent && { may: ec2Permission(launchAct(p)) }),
    ...(p.state !== "absent" && instance === absent && p.zone !== undefined && { zones: ec2Zones(p) }),
  }))
  .want((p, now) => {
    const { instance } = now;
    if (p.state === "absent") {
      return instance === absent || instance.ours ? { instance: absent } : refuseForeign(p.name, instance.id);
    }
    if (instance === absent || instance.state === "shutting-down") {
      const obstacle = obstacleToLaunch(p, now) ?? refuseZone(p.zone, now.zones) ?? refuseDenied(now.may);
      return obstacle ?? { instance: wantedInstance(p, now) };
    }
    if (!instance.ours) return refuseForeign(p.name, instance.id);
    return driftOf(p, instance, now) ?? { instance: wantedInstance(p, now) };
  })
  .steps((p, { change, now }) => (change.instance === undefined ? [] : stepsFor(p, now)))
  .notes((p, { instance, image }) =>
    p.state !== "absent" &&
    instance !== absent &&
    image !== undefined &&
    image !== absent &&
    instance.image !== image.id
      ? [`it runs ${instance.image}; a new machine would have ${image.id} (${image.name})`]
      : [],
  )
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
