import { z } from "../../src/authoring.ts";
import { common, resourceName } from "../azure-resource-group/own.ts";

/** User names that Azure forbids: https://learn.microsoft.com/azure/virtual-machines/linux/faq */
const forbidden =
  /^(admin\d?|administrator|root|test\d?|user\d?|guest|owner|server|sys|support|support_388945a0|console|david|john|actuser|adm|aspnet|backup|sql|video|123|1|a)$/;

const isGone = (p: { readonly state: string }): boolean => p.state === "absent";
const imageText = 'an image, like "Debian:debian-12:12-gen2:latest"';

/** Params of `azureVirtualMachine`. */
export const params = z
  .strictObject({
    name: z
      .string({ error: "a name of letters, digits and dashes" })
      .regex(/^[A-Za-z]([A-Za-z0-9-]{0,58}[A-Za-z0-9])?$/, 'a name of letters, digits and dashes, like "harvester-1"')
      .describe("Name of the machine, and its hostname"),
    group: common.group(),
    size: z
      .string()
      .regex(/^[A-Z][A-Za-z]+_\w+$/, 'a size, like "Standard_D16s_v5"')
      .optional()
      .describe("Size; required unless state is absent; can be changed only while the machine is stopped"),
    image: z
      .string()
      .regex(/^[\w.-]+:[\w.-]+:[\w.-]+:(latest|[\d.]+)$/, imageText)
      .optional()
      .describe("publisher:offer:sku:version; required unless state is absent; not compared once the machine exists"),
    network: resourceName()
      .optional()
      .describe("Network created by azureNetwork in the group; required unless state is absent; cannot be changed"),
    publicKeys: z
      .array(z.string().regex(/^(ssh-rsa|ssh-ed25519) \S+/, 'a public key, like "ssh-ed25519 AAAA…"'))
      .default([])
      .describe("Public keys that are accepted for logins; used only for a new machine, which needs at least one"),
    login: z
      .string()
      .regex(/^[a-z_][a-z0-9_-]{0,31}$/, 'a user name, like "azureuser"')
      .refine((name) => !forbidden.test(name), "a user name that Azure allows: not admin or root, for example")
      .default("azureuser")
      .describe("User to create, with sudo rights; cannot be changed"),
    zone: z.enum(["1", "2", "3"]).optional().describe("Availability zone; default: none; cannot be changed"),
    osDiskGb: z.int().min(20).max(4095).default(50).describe("Size of the first disk in GiB; only for a new machine"),
    osDiskType: z
      .enum(["Premium_LRS", "StandardSSD_LRS", "Standard_LRS"])
      .default("Premium_LRS")
      .describe("Type of the first disk; only for a new machine"),
    dataDisks: z
      .array(resourceName())
      .refine((names) => new Set(names.map((one) => one.toLowerCase())).size === names.length, "each disk once")
      .default([])
      .describe(
        "Disks to attach, created by azureDisk in the group; other disks stay attached, and none is ever deleted",
      ),
    publicAddress: z
      .boolean()
      .default(true)
      .describe("Whether the machine has a public IPv4 address; false does not remove one"),
    nestedVirtualization: z
      .boolean()
      .default(false)
      .describe("Refuse a size or security type that would prevent the machine from running virtual machines itself"),
    securityType: z
      .enum(["standard", "trustedLaunch"])
      .default("standard")
      .describe("trustedLaunch has Secure Boot and a TPM, but no nested virtualization; cannot be changed"),
    hostKeys: z
      .boolean()
      .default(true)
      .describe(
        "Wait for the SSH host keys on the machine's console at the first boot, and store one in the tag furrow-host-key",
      ),
    deadlineSeconds: z.int().min(60).default(600).describe("Time limit in seconds for the host keys to appear"),
    tags: common.tags(),
    owner: common.owner(),
    subscription: common.subscription(),
    state: z
      .enum(["present", "stopped", "absent"])
      .default("present")
      .describe(
        "present: running; stopped: deallocated; absent: deleted with its first disk, its interface and address",
      ),
  })
  .refine((p) => isGone(p) || p.size !== undefined, { message: "a size, unless the state is absent", path: ["size"] })
  .refine((p) => isGone(p) || p.image !== undefined, {
    message: "an image, unless the state is absent",
    path: ["image"],
  })
  .refine((p) => isGone(p) || p.network !== undefined, {
    message: "a network, unless the state is absent",
    path: ["network"],
  })
  .refine((p) => isGone(p) || p.publicKeys.length > 0, {
    message: "at least one key, because nobody could log in to a machine without one",
    path: ["publicKeys"],
  })
  .refine((p) => !p.nestedVirtualization || p.securityType === "standard", {
    message: "standard, because machines with Trusted Launch do not support nested virtualization",
    path: ["securityType"],
  });

/** Parsed params of `azureVirtualMachine`. */
export type Params = z.output<typeof params>;
