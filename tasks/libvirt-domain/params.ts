import { absolutePath, seconds, z } from "../../src/authoring.ts";
import { ipv4Number, isIdOrUuid, isUuid, machineFamily } from "../../src/facts/catalogue.ts";
import { problemsOfDevices } from "./devices.ts";

const macMessage = 'the MAC address of one interface, like "52:54:00:00:00:01"';
const bootMessage = "a position in the boot order: 1 for the first device";

const boot = z
  .int({ error: bootMessage })
  .min(1, bootMessage)
  .optional()
  .describe("Position in the boot order, from 1; cannot be combined with bootOrder");

const disk = z.strictObject({
  file: absolutePath().describe("Path of the image file on the host"),
  size: z
    .string({ error: 'a size in binary units, like "250G"' })
    .regex(/^[1-9]\d{0,5}[MGT]$/, 'a size in binary units, like "250G"')
    .transform(bytesOf)
    .optional()
    .describe(
      'Size that the guest sees: "250G" is 250 GiB. A missing image is created, a smaller one grows, and none is ever shrunk',
    ),
  format: z.enum(["qcow2", "raw"], { error: '"qcow2" or "raw"' }).default("qcow2").describe("Format of the image"),
  bus: z
    .enum(["virtio", "scsi", "sata", "usb", "ide"], { error: '"virtio", "scsi", "sata", "usb" or "ide"' })
    .default("virtio")
    .describe("Bus on which the guest sees the disk; with virtio, the first disk is /dev/vda"),
  target: z
    .string({ error: 'a name such as "vda"' })
    .regex(/^(vd|sd|hd)[a-z]$/, 'a name such as "vda"')
    .optional()
    .describe("Target name in libvirt; default: the next free name on the disk's bus"),
  serial: z
    .string({ error: "a serial number" })
    .regex(/^[\w .+-]{1,36}$/, "a serial number of up to 36 letters, digits, spaces and the characters _.+-")
    .optional()
    .describe("Serial number that the guest reads; virtio shows only the first 20 characters"),
  wwn: z
    .string({ error: "a world wide name: 16 hexadecimal digits" })
    .regex(/^[\da-f]{16}$/, "a world wide name: 16 hexadecimal digits in lower case")
    .optional()
    .describe("World wide name; only with scsi and ide"),
  attachedLater: z
    .boolean({ error: "true or false" })
    .default(false)
    .describe("A later task attaches this disk to the running machine, so do not note that the disk needs a restart"),
  boot,
});

const nic = z.strictObject({
  mac: z
    .string({ error: macMessage })
    .regex(/^[\da-fA-F][02468aceACE](:[\da-fA-F]{2}){5}$/, macMessage)
    .transform((mac) => mac.toLowerCase())
    .describe("MAC address, which identifies the interface"),
  network: z
    .string({ error: 'a libvirt network, like "vlan1"' })
    .regex(/^[A-Za-z0-9][\w.+-]*$/, 'a libvirt network, like "vlan1"')
    .refine(
      (name) => !isUuid(name),
      "the name of a libvirt network that virsh does not take for the UUID of another network",
    )
    .optional()
    .describe("libvirt network; give either this or bridge"),
  bridge: z
    .string({ error: 'a bridge on the host, like "br0"' })
    .regex(/^[A-Za-z][\w.-]{0,14}$/, 'a bridge on the host, like "br0"')
    .optional()
    .describe("Bridge on the host; give either this or network"),
  model: z
    .string({ error: 'a model, like "virtio" or "e1000e"' })
    .regex(/^[\w-]+$/, 'a model, like "virtio" or "e1000e"')
    .default("virtio")
    .describe("Model of the network card that the guest sees"),
  boot,
});

const vnc = z.strictObject({
  listen: z
    .string({ error: 'an address of the host, like "127.0.0.1"' })
    .refine((text) => ipv4Number(text) !== undefined, 'an address of the host, like "127.0.0.1"')
    .default("127.0.0.1")
    .describe("Address to listen on; any address but 127.0.0.1 exposes the display to others"),
  port: z
    .int({ error: "a port of 5900 or higher" })
    .min(5900, "a port of 5900 or higher")
    .max(65_535, "a port up to 65535")
    .optional()
    .describe("Port; default: libvirt chooses one at each start"),
});

/** The schema of a virtual machine's name. */
export const domainName = z
  .string({ error: 'the name of a virtual machine, like "node-1"' })
  .regex(/^[A-Za-z0-9][\w.+-]*$/, 'the name of a virtual machine, like "node-1"')
  .refine(
    (name) => !isIdOrUuid(name),
    'a name that virsh does not take for the ID or UUID of another virtual machine, like "vm-101"',
  )
  .describe("Name of the virtual machine");

const force = z
  .boolean({ error: "true or false" })
  .default(false)
  .describe("Power off a guest that is running, or that does not shut down in time");

const defined = {
  name: domainName,
  state: z
    .enum(["running", "shutoff"], { error: '"running", "shutoff" or "absent"' })
    .default("running")
    .describe("Whether the machine is running; to stop it, furrow asks the guest to shut down"),
  autostart: z.boolean({ error: "true or false" }).default(true).describe("Whether the machine starts with the host"),
  type: z
    .enum(["kvm", "qemu"], { error: '"kvm", or "qemu" for software emulation' })
    .default("kvm")
    .describe("kvm, or qemu for slow software emulation if the host has no KVM"),
  memoryMiB: z.int({ error: "mebibytes, like 4096" }).min(16, "at least 16 MiB").describe("Memory in MiB"),
  vcpus: z
    .int({ error: "a number of processors" })
    .min(1, "at least 1")
    .max(1024, "at most 1024")
    .describe("Processors"),
  cpu: z
    .string({ error: '"host-passthrough", "host-model", "maximum" or a model such as "EPYC"' })
    .regex(/^[\w.-]+$/, '"host-passthrough", "host-model", "maximum" or a model such as "EPYC"')
    .optional()
    .describe("Processor that the guest sees; default for a new one: host-passthrough with kvm, maximum with qemu"),
  machine: z
    .string({ error: 'a machine, like "q35" or "pc"' })
    .regex(/^[\w.-]+$/, 'a machine, like "q35" or "pc"')
    .optional()
    .describe("Machine type; default for a new one: q35. Cannot be changed later"),
  firmware: z
    .enum(["bios", "uefi"], { error: '"bios" or "uefi"' })
    .optional()
    .describe("Firmware; default for a new one: bios. Cannot be changed later"),
  disks: z
    .array(disk, { error: 'a list of disks: [{ file: "/var/lib/libvirt/images/a.qcow2", size: "20G" }]' })
    .default([])
    .describe("All file-backed hard disks of the machine; any others are removed, except drives with removable media"),
  interfaces: z
    .array(nic, { error: 'a list of interfaces: [{ mac: "52:54:00:00:00:01", network: "vlan1" }]' })
    .default([])
    .describe("All network interfaces of the machine; any others are removed"),
  bootOrder: z
    .array(z.enum(["hd", "network", "cdrom"], { error: '"hd", "network" or "cdrom"' }), {
      error: 'a list such as ["hd", "network"]',
    })
    .min(1, 'at least one of "hd", "network" and "cdrom"')
    .optional()
    .describe("Devices to boot from, in this order"),
  onReboot: z
    .enum(["restart", "destroy"], { error: '"restart" or "destroy"' })
    .default("restart")
    .describe("What happens when the guest reboots; destroy leaves the machine shut off"),
  onCrash: z
    .enum(["restart", "destroy", "preserve"], { error: '"restart", "destroy" or "preserve"' })
    .optional()
    .describe("What happens when the guest crashes; unchanged if not given"),
  serial: z
    .boolean({ error: "true or false" })
    .default(true)
    .describe("Whether the machine has a serial console: virsh console NAME"),
  serialLog: absolutePath()
    .or(z.literal(""))
    .optional()
    .describe('File on the host that logs the serial console; "" for none'),
  vnc: vnc
    .or(z.literal(false))
    .optional()
    .describe("VNC display, or false for none; unchanged if not given. A password that was set elsewhere is kept"),
  force,
  shutdownSeconds: seconds().default(300).describe("Seconds to wait for a shutdown"),
};

/** Params of `libvirtDomain`. */
export const params = z.union([
  z.strictObject(defined).superRefine((p, context) => {
    for (const { path, message } of problemsOfDevices(p))
      context.addIssue({ code: "custom", path: [...path], message });
    const hostCpu = p.cpu === "host-passthrough" || p.cpu === "host-model";
    if (p.type === "qemu" && hostCpu) {
      context.addIssue({
        code: "custom",
        path: ["cpu"],
        message: '"maximum" or a model, because type "qemu" emulates it',
      });
    }
    if (!p.serial && p.serialLog) {
      context.addIssue({ code: "custom", path: ["serialLog"], message: "no file, because there is no serial console" });
    }
  }),
  z.strictObject({
    name: domainName,
    state: z.literal("absent").describe("The virtual machine does not exist; a running one is removed only with force"),
    removeDisks: z
      .union([z.boolean(), z.array(absolutePath())], { error: "true, false, or a list of files" })
      .default(false)
      .describe(
        "Delete the files of the machine's hard disks too, with all their data: all of them, or only those in a list",
      ),
    force,
  }),
]);

/** Parsed params of `libvirtDomain`. */
export type DomainParams = z.output<typeof params>;
/** The params for a virtual machine that must exist. */
export type DefinedDomain = Exclude<DomainParams, { readonly state: "absent" }>;

/** True if the machine type includes a version: `pc-q35-7.2`. */
export function isVersioned(machine: string): boolean {
  return machineFamily(machine) !== machine;
}

function bytesOf(size: string): number {
  const powers: Readonly<Record<string, number>> = { M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };
  return Number(size.slice(0, -1)) * (powers[size.slice(-1)] ?? 1);
}
