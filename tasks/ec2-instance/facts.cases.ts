import { absent } from "../../src/authoring.ts";
import { ec2Instance } from "./ec2-instance.ts";

/** Params of a machine with every option set. */
export const params = {
  name: "web",
  type: "m8i.4xlarge",
  image: { id: "ami-1" },
  keyPair: "web",
  securityGroups: ["web"],
  nestedVirtualization: true,
  rootDisk: { sizeGb: 40 },
  disks: [{ device: "/dev/sdf", sizeGb: 100, iops: 6000 }],
  tags: { team: "a" },
} as const;
/** The call with these params. */
export const call = ec2Instance(params);

/** A disk as EC2 shows it. */
export const disk = {
  id: "vol-1",
  sizeGb: 40,
  type: "gp3",
  iops: 3000,
  throughput: 125,
  deleteOnTermination: true,
  own: true,
};
/** The machine as EC2 shows it. */
export const instance = {
  id: "i-1",
  state: "running",
  type: "m8i.4xlarge",
  image: "ami-1",
  keyPair: "web",
  securityGroups: ["web"],
  nested: true,
  spot: false,
  zone: "eu-test-1a",
  subnet: "subnet-1",
  address: "127.1.0.1",
  privateAddress: "10.0.0.1",
  instanceProfile: "",
  metadataHopLimit: 1,
  rootDevice: "/dev/sda1",
  disks: { "/dev/sda1": disk, "/dev/sdf": { ...disk, id: "vol-2", sizeGb: 100, iops: 6000 } },
  hostKeys: ["ssh-ed25519 AAAA"],
  verified: true,
  ours: true,
  tags: { team: "a" },
};
/** The properties of the machine's type. */
export const machineType = {
  known: true,
  bareMetal: false,
  nests: true,
  nesting: [],
  architectures: ["x86_64"],
  spot: true,
};
/** The default VPC. */
export const defaultVpc = { known: true, id: "vpc-1", zones: ["eu-test-1a", "eu-test-1b"] };
/** A processor quota that is just large enough for one more machine. */
export const quota = { known: true, name: "Running On-Demand Standard instances", used: 16, needed: 16, most: 32 };
/** A subnet as EC2 shows it. */
export const subnet = {
  id: "subnet-2",
  vpc: "vpc-1",
  cidr: "10.0.0.0/24",
  zone: "eu-test-1a",
  publicAddresses: true,
  ours: true,
  tags: {},
};
/** The facts about the objects that the machine refers to. */
export const around = {
  image: { id: "ami-1", name: "noble", architecture: "x86_64", rootDevice: "/dev/sda1", rootGb: 8 },
  machineType,
  groups: [{ id: "sg-1", vpc: "vpc-1", description: "", rules: [], ours: true, tags: {} }],
  keyPair: { id: "key-1", publicKey: "ssh-ed25519 AAAA", ours: true, tags: {} },
};
/** The steps of a launch. */
export const launch = ["launch web (m8i.4xlarge)", "read the host keys of web"];
/** All facts if the machine exists, with the given changes to the machine. */
export const there = (change: object) => ({ instance: { ...instance, ...change }, ...around });
/** All facts if there is no machine, with the given changes to these facts. */
export const none = (change: object) => ({
  instance: absent,
  ...around,
  defaultVpc,
  typeZones: ["eu-test-1a", "eu-test-1b"],
  quota,
  ...change,
});
/** The facts if a subnet is given: in this case, furrow does not ask for the default VPC. */
export const inside = (change: object) => {
  const { defaultVpc: _default, ...rest } = none({ subnet, ...change });
  return rest;
};
