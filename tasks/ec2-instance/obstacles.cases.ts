import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { around, call, inside, launch, machineType, none, params, quota, subnet, there } from "./facts.cases.ts";
import { ec2Instance } from "./ec2-instance.ts";

/** Test cases in which EC2 would refuse to launch the machine because of its location, type or image. */
export const obstacleCases: readonly Case[] = [
  {
    title: "a spot machine of a type that cannot be used for spot machines",
    call: ec2Instance({ ...params, spot: true }),
    now: none({ machineType: { ...machineType, spot: false } }),
    steps: [],
    refusal: "no-spot",
  },
  {
    title: "an image for another architecture",
    call,
    now: none({ machineType: { ...machineType, architectures: ["arm64"] } }),
    steps: [],
    refusal: "other-architecture",
  },
  {
    title: "a root disk that is smaller than the image",
    call,
    now: none({ image: { ...around.image, rootGb: 50 } }),
    steps: [],
    refusal: "root-disk-too-small",
  },
  {
    title: "no default VPC",
    call,
    now: none({ defaultVpc: { known: true, id: "", zones: [] } }),
    steps: [],
    refusal: "no-default-vpc",
  },
  {
    title: "no default subnet in the zone",
    call: ec2Instance({ ...params, zone: "eu-test-1c" }),
    now: none({ zones: ["eu-test-1a", "eu-test-1c"] }),
    steps: [],
    refusal: "no-default-subnet",
  },
  {
    title: "a zone that does not offer the type",
    call: ec2Instance({ ...params, zone: "eu-test-1a" }),
    now: none({ zones: ["eu-test-1a"], typeZones: ["eu-test-1b"] }),
    steps: [],
    refusal: "type-not-in-zone",
  },
  { title: "an exhausted quota", call, now: none({ quota: { ...quota, used: 17 } }), steps: [], refusal: "quota" },
  {
    title: "no instance, and an account whose limits and default VPC are not known",
    call,
    now: none({
      defaultVpc: { known: false, id: "", zones: [] },
      typeZones: [],
      quota: { ...quota, known: false, most: 0 },
    }),
    steps: launch,
  },
  {
    title: "no instance, and a subnet is given",
    call: ec2Instance({ ...params, subnet: "lab" }),
    now: inside({}),
    steps: launch,
  },
  {
    title: "no such subnet",
    call: ec2Instance({ ...params, subnet: "lab" }),
    now: inside({ subnet: absent }),
    steps: [],
    refusal: "no-subnet",
  },
  {
    title: "a subnet in another zone",
    call: ec2Instance({ ...params, subnet: "lab", zone: "eu-test-1b" }),
    now: inside({ zones: ["eu-test-1b"] }),
    steps: [],
    refusal: "other-zone",
  },
  {
    title: "a subnet and a security group in different VPCs",
    call: ec2Instance({ ...params, subnet: "lab" }),
    now: inside({ subnet: { ...subnet, vpc: "vpc-2" } }),
    steps: [],
    refusal: "other-vpc",
  },
  {
    title: "in another subnet",
    call: ec2Instance({ ...params, subnet: "lab" }),
    now: { ...there({}), subnet },
    steps: [],
    refusal: "needs-new-machine",
  },
];
