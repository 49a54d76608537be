import { absent } from "../../src/authoring.ts";

/** The params of the cases. */
export const params = {
  name: "lab",
  group: "lab",
  network: "lab",
  size: "Standard_D16s_v5",
  image: "Debian:debian-12:12-gen2:latest",
  publicKeys: ["ssh-ed25519 AAAA me@here"],
  dataDisks: ["data"],
  nestedVirtualization: true,
  tags: { cost: "lab" },
};

const own = { location: "westeurope", state: "Succeeded", tags: { furrow: "furrow", other: "tag" } };

/** The resource group. */
export const group = own;
/** The network of the machine, with its subnet. */
export const network = {
  ...own,
  cidrs: ["10.20.0.0/16"],
  subnets: { lab: { cidr: "10.20.0.0/24", securityGroup: "lab" } },
};
/** The machine's interface. */
export const card = { ...own, machine: "lab" };
/** The machine's public address. */
export const address = { ...own, address: "192.0.2.1" };
/** The machine's data disk, which is not attached. */
export const disk = { ...own, zone: "", sizeGb: 350, type: "Premium_LRS", machine: "" };
/** The machine itself; another disk is also attached to it. */
export const machine = {
  id: "1",
  location: "westeurope",
  status: "running",
  size: "Standard_D16s_v5",
  zone: "",
  security: "standard",
  login: "azureuser",
  image: "Debian:debian-12:12-gen2:latest",
  publicKeys: ["ssh-ed25519 AAAA me@here"],
  osDisk: "lab-os",
  disks: { other: { lun: 0, deleteOption: "Detach" }, data: { lun: 3, deleteOption: "Detach" } },
  cards: ["lab-nic"],
  network: "lab/lab",
  publicAddress: true,
  address: "192.0.2.1",
  privateAddress: "10.20.0.4",
  tags: { furrow: "furrow", cost: "lab", other: "tag" },
  hostKeys: ["ssh-ed25519 AAAA"],
};
/** The machine's size, as offered in its location. */
export const size = {
  vcpus: 16,
  family: "standardDSv5Family",
  zones: ["1", "2", "3"],
  restricted: "",
  restrictedZones: [] as string[],
  generations: ["V1", "V2"],
  architecture: "x64",
  mostDataDisks: 16,
  premiumDisks: true,
  trustedLaunch: true,
  scsi: true,
};
/** The machine's image. */
export const image = { generation: "V2", architecture: "x64", plan: false };

const none = { sizes: [], images: [], features: [], networks: [], disks: [], attached: [], osDisks: [] };

/** The facts if the machine does not exist, but everything that it needs does. */
export const fresh = {
  ...none,
  group,
  machine: absent,
  card: absent,
  address: absent,
  sizes: [size],
  images: [image],
  features: [{ state: "Registered" }],
  networks: [network],
  disks: [disk],
  osDisks: [absent],
};
/** A machine in the desired state. */
export const there = { ...none, group, machine, card, address, disks: [{ ...disk, machine: "lab" }] };
/** A machine that must be deleted. */
export const gone = { ...none, group, machine, card, address, osDisks: [{ ...disk, machine: "lab", tags: {} }] };
