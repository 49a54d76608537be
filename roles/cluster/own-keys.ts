import { refusedInstallKeys } from "../harvester-config/install-part.ts";
import { misprints } from "../harvester-config/os-part.ts";

type Reasons = Readonly<Record<string, string>>;

const boot = "the nodes' boot script sets it";
const address = "set `network.vip` instead";

/** Top-level keys of Harvester's configuration that a cluster's vars determine, each with the reason. */
export const ownKeys: Reasons = {
  scheme_version: "furrow sets it",
  server_url: address,
  token: "set the var `token` instead",
};

/** Keys of the `os` part that a cluster's vars determine, each with the reason. */
export const ownOsKeys: Reasons = {
  ...misprints,
  hostname: "set `prefix` instead, from which each node gets its name",
  password: "set the var `password` instead",
  ssh_authorized_keys: "set `sshAuthorizedKeys` instead",
};

/** Keys of the `install` part that a cluster's vars determine, each with the reason. */
export const ownInstallKeys: Reasons = {
  ...refusedInstallKeys,
  automatic: boot,
  skipchecks: boot,
  config_url: boot,
  mode: "the first node creates the cluster, and the others join it",
  role: "set `witness` instead",
  device: "every node is installed on its own disk, /dev/vda",
  force_mbr: "nodes boot with UEFI, or with GPT on BIOS",
  iso_url: "set `version`, `mirror` or `artifacts` instead",
  vip: address,
  vip_mode: address,
  vip_hw_addr: address,
};
