import { absent } from "../../src/authoring.ts";
import { gceOwner } from "../../src/facts/catalogue.ts";
import { gceInstance } from "./gce-instance.ts";

/** Params of an instance with a data disk. */
export const params = {
  name: "lab",
  project: "project-1",
  zone: "europe-west3-a",
  machineType: "n2-standard-16",
  image: { project: "suse-cloud", family: "sles-15" },
  disks: ["data-1"],
  network: "lab",
  nested: true,
  tags: ["lab"],
  labels: { role: "harvester" },
  sshKeys: [{ user: "admin", key: "ssh-ed25519 AAAA" }],
};
/** The call with these params. */
export const call = gceInstance(params);
/** The call for a stopped instance. */
export const stopped = gceInstance({ ...params, state: "stopped" });
/** The location of the instance. */
export const place = { name: "lab", project: "project-1", zone: "europe-west3-a" };
/** The call that deletes the instance. */
export const removal = gceInstance({ ...place, state: "absent" });
/** The call with a reserved address. */
export const reserving = gceInstance({ ...params, address: { name: "lab" } });

/** A machine type as Compute Engine shows it. */
export const machine = { name: "n2-standard-16", cpus: 16, memoryMb: 65_536, architecture: "X86_64" };
/** A disk as Compute Engine shows it. */
export const disk = {
  sizeGb: 350,
  type: "pd-ssd",
  iops: 0,
  throughput: 0,
  status: "READY",
  labels: {},
  labelFingerprint: "a=",
  users: [],
  kmsKey: "",
  description: "",
};
/** A network with automatic subnetworks. */
export const network = { autoSubnets: true, mtu: 1460, description: "" };
/** A network with custom subnetworks. */
export const custom = { ...network, autoSubnets: false };
/** A subnetwork. */
export const subnetwork = { network: "lab", cidr: "10.20.0.0/20", privateGoogleAccess: false, description: "" };
/** A disk type. */
export const diskType = { name: "pd-balanced", validSizes: "10GB-65536GB" };
/** An instance, or a project, without OS Login. */
export const noOsLogin = { instance: false, use: "off", by: "default", secondFactor: false, why: "" };
/** The facts about the parts of a new instance. */
export const parts = {
  types: [machine],
  networks: [network],
  subnetworks: [],
  ranges: [],
  diskTypes: [diskType],
  images: [{ link: "projects/suse-cloud/global/images/sles-15-sp6", sizeGb: 10 }],
  disks: [disk],
  addresses: [],
  others: [],
  logins: [noOsLogin],
};
/** The facts about the parts of an existing instance, most of which are not read. */
export const none = {
  types: [],
  networks: [],
  subnetworks: [],
  ranges: [],
  diskTypes: [],
  images: [],
  addresses: [],
  others: [],
  disks: [disk],
  logins: [{ ...noOsLogin, instance: true }],
};
/** A reserved address. */
export const address = { address: "192.0.2.1", status: "RESERVED", users: [], description: "" };
/** The instance as Compute Engine shows it. */
export const there = {
  status: "RUNNING",
  machineType: "n2-standard-16",
  nested: true,
  spot: false,
  network: "lab",
  subnetwork: "lab",
  internalAddress: "10.156.0.2",
  address: "192.0.2.9",
  external: true,
  hostname: "",
  serviceAccount: "",
  scopes: [],
  deletionProtection: false,
  tags: ["lab"],
  tagsFingerprint: "t=",
  labels: { role: "harvester", cost: "lab" },
  labelFingerprint: "l=",
  metadata: { "ssh-keys": "admin:ssh-ed25519 AAAA", "enable-guest-attributes": "TRUE", other: "x" },
  metadataFingerprint: "m=",
  disks: {
    boot: { disk: "lab", boot: true, autoDelete: true },
    "data-1": { disk: "data-1", boot: false, autoDelete: false },
  },
  hostKeys: ["ssh-ed25519 AAAA"],
  verified: true,
  description: gceOwner("furrow"),
};
/** The same instance, stopped. */
export const off = { ...there, status: "TERMINATED", address: "", hostKeys: [], verified: false };
/** The facts if there is no instance. */
export const fresh = { ...parts, instance: absent };
/** The facts about the instance, with the given differences. */
export const is = (other: object) => ({ ...none, instance: { ...there, ...other } });
/** A machine type that cannot run virtual machines. */
export const small = { ...machine, name: "e2-standard-16" };
