import { seconds, secretText, z } from "../../src/authoring.ts";

const nameForm = "a name of at most 63 characters: lower-case letters, digits and dashes";
const name = z
  .string()
  .max(63, nameForm)
  .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, nameForm);

const sizeForm = "a size, like 50Gi or 512Mi";
const size = z.string({ error: sizeForm }).regex(/^[1-9]\d*(Mi|Gi|Ti)$/, sizeForm);

const placedForm = "a name, or NAMESPACE/NAME";
const placed = z.string({ error: placedForm }).regex(/^([a-z0-9-]+\/)?[a-z0-9][a-z0-9-]*$/, placedForm);

const volumeForm = "a volume, as NAMESPACE/NAME";

/** An existing volume. */
export const volume = z.string({ error: volumeForm }).regex(/^[a-z0-9-]+\/[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, volumeForm);

const claimForm = "the name of a volume in the machine's namespace";

const macForm = 'a MAC address of one machine, in quotes, like "52:54:00:30:00:02"';
const mac = z
  .string({ error: macForm })
  .regex(/^[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}$/, macForm)
  // The lowest bit of the first byte marks a multicast address.
  .refine((one) => Number.parseInt(one.slice(0, 2), 16) % 2 === 0, macForm);

const disk = z
  .strictObject({
    name: name
      .optional()
      .describe("Name of the disk, which identifies its volume; default: `disk-0`, `disk-1` by its place in the list"),
    image: placed
      .optional()
      .describe("Image from which the disk is created: a name, or NAMESPACE/NAME; default: an empty disk"),
    size: size.describe("Size of the disk: `50Gi`"),
    volume: z
      .string({ error: claimForm })
      .max(253, claimForm)
      .regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, claimForm)
      .optional()
      .describe("Name of the disk's volume, for a machine that was restored from a backup; default: `MACHINE-DISK`"),
    storageClass: name.optional().describe("Storage class of an empty disk; default: `harvester-longhorn`"),
    type: z.enum(["disk", "cd-rom"]).default("disk").describe("`cd-rom` for an image with an installer"),
    bus: z.enum(["virtio", "sata", "scsi"]).optional().describe("Bus; default: `virtio`, and `sata` for a `cd-rom`"),
  })
  // KubeVirt refuses a CD-ROM on virtio (pkg/virt-api/webhooks/validating-webhook/admitters in kubevirt/kubevirt).
  .refine(({ type, bus }) => type === "disk" || bus !== "virtio", {
    path: ["bus"],
    message: "sata or scsi for a cd-rom",
  })
  .refine(({ image, storageClass }) => image === undefined || storageClass === undefined, {
    path: ["storageClass"],
    message: "nothing: an image brings its own storage class",
  });

/**
 * The name of a disk's claim. It contains the disk's name, so a disk that is given a name keeps its claim, whatever its
 * position in the list.
 */
export function claimName(machine: string, own: Pick<Disk, "name" | "volume">, index: number): string {
  return own.volume ?? `${machine}-${diskName(own, index)}`;
}

type Disk = z.output<typeof disk>;

/** The name of a disk, given its position in the list. */
export function diskName({ name: own }: { readonly name?: string | undefined }, index: number): string {
  return own ?? `disk-${index}`;
}

/** The names of the volumes that a machine gets besides its disks. */
export const otherVolumes = { cloudInit: "cloud-init", drivers: "drivers" } as const;

const network = z.strictObject({
  network: placed.describe("Network: a name in the machine's namespace, or NAMESPACE/NAME"),
  mac: mac.optional().describe("MAC address; default: Harvester chooses one"),
  model: z.enum(["virtio", "e1000", "e1000e"]).default("virtio").describe("Model of the network card"),
});

const deviceForm = "a device as Harvester names it: its node and its address, like harvester-1-000001000";
const device = z.string({ error: deviceForm }).regex(/^[a-z0-9][a-z0-9.-]*$/, deviceForm);

const machine = z.strictObject({
  namespace: name.default("default").describe("Namespace of the machine"),
  description: z.string().optional().describe("Description in the Harvester UI"),
  cores: z.int().min(1).max(254).describe("Number of virtual processors"),
  memory: size.describe("Memory: `16Gi`"),
  disks: z
    .array(disk)
    .min(1, "at least one disk")
    .refine((all) => new Set(all.map(diskName)).size === all.length, "disks with different names")
    .describe("Disks in the order in which the machine boots from them"),
  networks: z.array(network).min(1, "at least one network").describe("Networks of the machine"),
  firmware: z
    .enum(["bios", "uefi", "uefi-secure-boot"])
    .default("bios")
    .describe("Firmware of the machine; `uefi-secure-boot` boots only signed systems"),
  tpm: z.boolean().default(false).describe("Whether the machine has a TPM, which Windows 11 requires"),
  os: z
    .enum(["linux", "windows"])
    .optional()
    .describe(
      "Operating system; for `windows`, Harvester reserves memory for the machine's process, and adds a tablet",
    ),
  driverDisk: z
    .string()
    .min(1)
    .optional()
    .describe("Container image with drivers, attached as a CD-ROM: `registry.suse.com/suse/vmdp/vmdp:2.5.4.3`"),
  devices: z
    .array(device)
    .refine((all) => new Set(all).size === all.length, "each device once")
    .default([])
    .describe("Devices of one node that are passed through to the machine, such as a GPU, by Harvester's names"),
  userData: secretText().optional().describe("cloud-init's user data; never shown"),
  networkData: secretText().optional().describe("cloud-init's network data; never shown"),
  run: z
    .enum(["RerunOnFailure", "Always", "Halted", "Manual"])
    .default("RerunOnFailure")
    .describe("KubeVirt's runStrategy"),
});

/** The virtual machines of a Harvester cluster. */
export const machinesSchema = z
  .strictObject({
    kubeconfig: z.string().min(1).describe("The cluster's kubeconfig on the controller"),
    fieldManager: z
      .string()
      .regex(/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/)
      .default("furrow-machines")
      .describe("Name under which the cluster records what furrow owns; do not change it"),
    force: z
      .boolean()
      .default(false)
      .describe("Take over fields that others have changed, for example by stopping a machine"),
    machines: z.record(name, machine).describe("Virtual machines by name"),
    acceptVolumes: z
      .array(volume)
      .default([])
      .describe("Existing volumes, as NAMESPACE/NAME, that new machines and new disks may use with their data"),
    imageDeadlineSeconds: seconds()
      .default(3600)
      .describe("Seconds within which the machines' images must have been downloaded"),
    deadlineSeconds: seconds().default(900).describe("Seconds within which the machines must be running"),
  })
  .superRefine(({ machines }, context) => {
    const macs = new Map<string, string>();
    const holders = new Map<string, string>();
    const volumes = new Map<string, { readonly own: string; readonly called: string }>();
    for (const [own, one] of Object.entries(machines)) {
      const { namespace, networks, devices, disks } = one;
      for (const [index, given] of disks.entries()) {
        const path = ["machines", own, "disks", index];
        const called = diskName(given, index);
        if (besidesDisks(one).includes(called)) {
          const message = `another name: the machine has another volume named ${called}`;
          context.addIssue({ code: "custom", path: [...path, "name"], message });
        }
        const claim = claimName(own, given, index);
        const other = volumes.get(`${namespace}/${claim}`);
        if (other !== undefined && (other.own !== own || other.called !== called)) {
          const named = given.volume === undefined && other.own !== own;
          const message = named
            ? `another name: its volume would be ${claim}, which is also a volume of ${other.own}`
            : "a volume that no other disk has";
          context.addIssue({ code: "custom", path: [...path, named ? "name" : "volume"], message });
        }
        volumes.set(`${namespace}/${claim}`, { own, called });
      }
      for (const [index, device] of devices.entries()) {
        const other = holders.get(device);
        if (other !== undefined) {
          const path = ["machines", own, "devices", index];
          context.addIssue({ code: "custom", path, message: `a device that ${other} does not have` });
        }
        holders.set(device, own);
      }
      for (const [index, { mac: address }] of networks.entries()) {
        const other = address === undefined ? undefined : macs.get(address.toLowerCase());
        if (other !== undefined) {
          const path = ["machines", own, "networks", index, "mac"];
          context.addIssue({ code: "custom", path, message: `a MAC address that ${other} does not have` });
        }
        if (address !== undefined) macs.set(address.toLowerCase(), own);
      }
    }
  });

/** The validated virtual machines. */
export type Machines = z.output<typeof machinesSchema>;

/** A validated virtual machine. */
export type Machine = Machines["machines"][string];

/** The names of the volumes that the machine gets besides its disks. */
function besidesDisks({ userData, networkData, driverDisk }: z.output<typeof machine>): readonly string[] {
  return [
    ...(userData === undefined && networkData === undefined ? [] : [otherVolumes.cloudInit]),
    ...(driverDisk === undefined ? [] : [otherVolumes.drivers]),
  ];
}

/**
 * The namespace and the name of an image or a network, which is in `namespace` unless it is written with a namespace of
 * its own.
 */
export function placeOf(one: string, namespace: string): { readonly namespace: string; readonly name: string } {
  const [first = "", second] = one.split("/");
  return second === undefined ? { namespace, name: first } : { namespace: first, name: second };
}
