import { text, z } from "../../src/authoring.ts";
import { address } from "./os-part.ts";
import { spelled } from "./spelling.ts";

const macMessage = 'a MAC address, like "52:54:00:00:00:01"';
const mac = z.string().regex(/^[\da-fA-F]{2}([:-][\da-fA-F]{2}){5}$/, macMessage);

const networkInterface = spelled({ name: z.string().optional(), hw_addr: mac.optional() })
  .refine(({ name, hw_addr }) => Boolean(name) || hw_addr !== undefined, "an interface by `name` or by `hwAddr`")
  .refine(({ name }) => name !== "lo", "an interface that is not the loopback");

const bondModes = ["balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "balance-tlb", "balance-alb"];

const method = "either static or dhcp";

/** The options of a node's management network; all are optional. */
const networkOptions = {
  interfaces: z.array(networkInterface).min(1, "at least one interface").optional(),
  method: z.enum(["dhcp", "static"], { error: method }).optional(),
  ip: address().optional(),
  subnet_mask: address().optional(),
  gateway: address().optional(),
  bond_options: z
    .record(z.string(), z.union([z.string(), z.int()]))
    .refine(({ mode = "active-backup" }) => bondModes.includes(String(mode)), {
      path: ["mode"],
      message: `one of ${bondModes.join(", ")}`,
    })
    .optional(),
  mtu: z
    .int()
    .refine((mtu) => mtu === 0 || (mtu >= 576 && mtu <= 9000), "0, or 576 to 9000")
    .optional(),
  vlan_id: z.int().min(0, "0 to 4094").max(4094, "0 to 4094").optional(),
};

/** Harvester's documentation of network boot shows this key, but the installer has ignored it since v1.1. */
const ignored = ["default_route"];

/** The node's management network (Harvester docs, `install.management_interface`). */
const managementInterface = spelled(
  {
    ...networkOptions,
    interfaces: networkOptions.interfaces.unwrap(),
    method: networkOptions.method.unwrap(),
  },
  { ignored },
).superRefine((network, context) => {
  if (network.method !== "static") return;
  for (const part of ["ip", "subnet_mask", "gateway"] as const) {
    if (network[part] === undefined)
      context.addIssue({ code: "custom", path: [part], message: "an address, because the method is static" });
  }
});

const webhook = spelled({
  event: z.enum(["STARTED", "SUCCEEDED", "FAILED"]),
  method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE"]),
  url: z.string().min(1),
  insecure: z.boolean().optional(),
  headers: z.record(z.string(), z.array(z.string())).optional(),
  payload: z.string().optional(),
  basic_auth: spelled({ user: z.string(), password: text() }).optional(),
});

const percentage = (most: number): z.ZodType<number, number> =>
  z.int().min(0, `0 to ${most}`).max(most, `0 to ${most}`);

/** Values for Harvester's own chart. */
const charts = spelled({
  storage_class: spelled({ replica_count: z.int().min(1, "1 to 3").max(3, "1 to 3") }).optional(),
  longhorn: spelled({
    default_settings: spelled({
      // The installer treats a capital letter as a separate word, so a key in another spelling would be ignored.
      guaranteed_instance_manager_c_p_u: percentage(12).optional(),
      guaranteed_engine_manager_c_p_u: percentage(12).optional(),
      guaranteed_replica_manager_c_p_u: percentage(12).optional(),
      storage_reserved_percentage_for_default_disk: percentage(30).optional(),
    }),
  }).optional(),
  enable_go_cover_dir: z.boolean().optional(),
});

/** The options in the `install` part that clusters use; all are optional. */
export const installOptions = {
  management_interface: spelled(networkOptions, { ignored })
    .optional()
    .describe("The nodes' management network; default: the node's only network card, with DHCP"),
  tty: z.string().optional().describe("Console of the installed system, in addition to the screen"),
  debug: z.boolean().optional().describe("More messages in the installer's log"),
  silent: z.boolean().optional().describe("Reserved by Harvester"),
  no_format: z.boolean().optional().describe("Keep the disk's partitions"),
  power_off: z.boolean().optional().describe("Power off after the installation instead of starting the system"),
  data_disk: z.string().optional().describe("Second disk of a node, for data"),
  persistent_partition_size: z
    .string()
    .regex(/^\d+(Gi|Mi)$/, 'a size, like "150Gi"')
    .optional(),
  cluster_pod_cidr: z.cidrv4().optional(),
  cluster_service_cidr: z.cidrv4().optional(),
  cluster_dns: address().optional(),
  wipe_all_disks: z.boolean().optional(),
  wipe_disks_list: z.array(z.string()).optional(),
  force_efi: z.boolean().optional(),
  with_net_images: z.boolean().optional(),
  addons: z.record(z.string(), spelled({ enabled: z.boolean(), values_content: z.string().optional() })).optional(),
  harvester: charts.optional().describe("Values for Harvester's chart: replicas of volumes, and Longhorn's settings"),
  webhooks: z.array(webhook).optional().describe("Webhooks for events during a node's installation"),
};

/** Keys of the `install` part that a configuration cannot contain, each with the reason. */
export const refusedInstallKeys: Readonly<Record<string, string>> = {
  config_url: "the boot script points to the configuration, and a configuration cannot point to another one",
  force_gpt: "the installer sets it itself, as the opposite of force_mbr",
  raw_disk_image_path: "it installs a system without any configuration",
};

const other = { refused: refusedInstallKeys };

const common = {
  ...installOptions,
  automatic: z.boolean().optional(),
  role: z.enum(["default", "management", "worker", "witness"]).optional(),
  management_interface: managementInterface,
  device: z
    .string()
    .min(1, "the disk to install to")
    .regex(/^\/dev\/./, "a path below /dev"),
  iso_url: z.string().min(1, "the URL of the ISO image, which an automatic installation needs"),
  skipchecks: z.boolean().optional(),
  force_mbr: z.boolean().optional(),
};

/** The `install` part of the first node, which creates the cluster. */
export const createPart = spelled(
  {
    mode: z.literal("create"),
    vip: address().describe("The cluster's virtual address"),
    vip_mode: z.enum(["static", "dhcp"], { error: "static or dhcp" }),
    vip_hw_addr: mac.optional(),
    ...common,
  },
  other,
)
  .refine(({ vip_mode, vip_hw_addr }) => vip_mode === "static" || vip_hw_addr !== undefined, {
    path: ["vip_hw_addr"],
    message: `${macMessage}, because the virtual address comes from DHCP`,
  })
  .refine(({ vip, management_interface }) => vip !== management_interface.ip, {
    path: ["vip"],
    message: "an address that is not the node's own",
  });

/** The `install` part of every other node. */
export const joinPart = spelled({ mode: z.literal("join"), ...common }, other);
