import { text, z } from "../../src/authoring.ts";
import { address } from "./os-part.ts";

const macMessage = 'a MAC address, like "52:54:00:00:00:01"';
const mac = z.string().regex(/^[\da-fA-F]{2}([:-][\da-fA-F]{2}){5}$/, macMessage);

const networkInterface = z
  .strictObject({ name: z.string().optional(), hwAddr: mac.optional() })
  .refine(({ name, hwAddr }) => Boolean(name) || hwAddr !== undefined, "an interface by `name` or by `hwAddr`")
  .refine(({ name }) => name !== "lo", "an interface that is not the loopback");

const bondModes = ["balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "balance-tlb", "balance-alb"];

const method = "either static or dhcp";

/** The node's management network (Harvester docs, `install.management_interface`). */
const managementInterface = z
  .strictObject({
    interfaces: z.array(networkInterface).min(1, "at least one interface"),
    method: z.enum(["dhcp", "static"], { error: method }),
    ip: address().optional(),
    subnet_mask: address().optional(),
    gateway: address().optional(),
    bond_options: z
      .looseObject({ mode: z.enum(bondModes, { error: `one of ${bondModes.join(", ")}` }), miimon: z.int().optional() })
      .optional(),
    mtu: z
      .int()
      .refine((mtu) => mtu === 0 || (mtu >= 576 && mtu <= 9000), "0, or 576 to 9000")
      .optional(),
    vlan_id: z.int().min(0, "0 to 4094").max(4094, "0 to 4094").optional(),
  })
  .superRefine((network, context) => {
    if (network.method !== "static") return;
    for (const part of ["ip", "subnet_mask", "gateway"] as const) {
      if (network[part] === undefined)
        context.addIssue({ code: "custom", path: [part], message: "an address, because the method is static" });
    }
  });

const webhook = z.strictObject({
  event: z.enum(["STARTED", "SUCCEEDED", "FAILED"]),
  method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE"]),
  url: z.string().min(1),
  insecure: z.boolean().optional(),
  headers: z.record(z.string(), z.array(z.string())).optional(),
  payload: z.string().optional(),
  basicAuth: z.strictObject({ user: z.string(), password: text() }).optional(),
});

/** The options in the `install` part that clusters use; all are optional. */
export const installOptions = {
  data_disk: z.string().optional().describe("Second disk of a node, for data"),
  persistent_partition_size: z
    .string()
    .regex(/^\d+(Gi|Mi|G|M)$/, 'a size, like "150Gi"')
    .optional(),
  cluster_pod_cidr: z.cidrv4().optional(),
  cluster_service_cidr: z.cidrv4().optional(),
  cluster_dns: address().optional(),
  wipe_all_disks: z.boolean().optional(),
  wipe_disks_list: z.array(z.string()).optional(),
  force_efi: z.boolean().optional(),
  with_net_images: z.boolean().optional(),
  addons: z
    .record(z.string(), z.strictObject({ enabled: z.boolean(), values_content: z.string().optional() }))
    .optional(),
  webhooks: z.array(webhook).optional().describe("Webhooks for events in a node's installation"),
};

const common = {
  role: z.enum(["default", "management", "worker", "witness"]).optional(),
  management_interface: managementInterface,
  device: z
    .string()
    .min(1, "the disk to install to")
    .regex(/^\/dev\/./, "a path below /dev"),
  iso_url: z.string().min(1, "the URL of the ISO image, which an automatic installation needs"),
  tty: z.string().optional(),
  skipchecks: z.boolean().optional(),
  harvester: z
    .strictObject({
      storage_class: z.strictObject({ replica_count: z.int().min(1, "1 to 3").max(3, "1 to 3") }).optional(),
      longhorn: z
        .strictObject({
          default_settings: z.strictObject({
            guaranteed_instance_manager_cpu: z.int().min(0).max(12).optional(),
            storage_reserved_percentage_for_default_disk: z.int().min(0).max(30).optional(),
          }),
        })
        .optional(),
    })
    .optional(),
  ...installOptions,
};

/** The `install` part of the first node, which creates the cluster. */
export const createPart = z
  .strictObject({
    mode: z.literal("create"),
    vip: address().describe("The cluster's virtual address"),
    vip_mode: z.enum(["static", "dhcp"], { error: "static or dhcp" }),
    vip_hw_addr: mac.optional(),
    ...common,
  })
  .refine(({ vip_mode, vip_hw_addr }) => vip_mode === "static" || vip_hw_addr !== undefined, {
    path: ["vip_hw_addr"],
    message: `${macMessage}, because the virtual address comes from DHCP`,
  })
  .refine(({ vip, management_interface }) => vip !== management_interface.ip, {
    path: ["vip"],
    message: "an address that is not the node's own",
  });

/** The `install` part of every other node. */
export const joinPart = z.strictObject({ mode: z.literal("join"), ...common });
