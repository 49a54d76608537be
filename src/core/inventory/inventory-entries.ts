import type { Secret } from "../secrets/secret.ts";
import type { HostKeyPolicy } from "../host/transport.ts";
import type { Tunnel } from "../host/tunnel.ts";

/** How to connect to a host, as an inventory defines it. Missing settings come from ssh_config and defaults. */
export interface Connection {
  /** Default `ssh`. With `openssh`, the system's `ssh` program opens the connection, e.g. for certificates. */
  readonly transport?: "ssh" | "openssh" | "local" | "simulated";
  /** DNS name or IP address; default: the host's name. */
  readonly address?: string;
  readonly port?: number;
  readonly user?: string;
  /** Private key files; `~` is the home directory on the controller. */
  readonly identityFile?: string | readonly string[];
  readonly passphrase?: Secret;
  readonly password?: Secret;
  /** One or more `user@host:port`, separated by commas, or `none`. */
  readonly proxyJump?: string;
  /** Reaches the host through its cloud instead of at its address. Only for the `ssh` transport. */
  readonly tunnel?: Tunnel;
  readonly hostKeyPolicy?: HostKeyPolicy;
  readonly knownHostsFile?: string | readonly string[];
  /**
   * The host's public keys, `ssh-ed25519 AAAA…`, if they come from a source other than the host, such as its cloud
   * provider. The host must present one of these, even if known_hosts files have another key.
   */
  readonly hostKeys?: readonly string[];
  /** Seconds for all connection attempts together; default 30. */
  readonly connectTimeoutSeconds?: number;
  /** Seconds between keepalive requests; default 15, 0 turns them off. */
  readonly keepaliveSeconds?: number;
  /** True to run the commands in `Match exec` blocks of ssh_config. Default false: such blocks are ignored. */
  readonly matchExec?: boolean;
  readonly become?: BecomeOptions;
}

/** How to switch from the login user to another user. */
export interface BecomeOptions {
  readonly method?: "sudo" | "su" | "doas";
  /** Default `root`. */
  readonly user?: string;
  readonly password?: Secret;
}

/** Values by name; the playbook's schema gives them their types. */
export type Vars = Readonly<Record<string, unknown>>;

/** One host in an inventory. */
export interface HostEntry extends Connection {
  readonly vars?: Vars;
  /**
   * Settings that the host does not inherit from its groups or from the inventory, such as `proxyJump` or
   * `become.user`. ssh_config and the defaults apply instead.
   */
  readonly notInherited?: readonly string[];
}

/** One group: hosts by name, other groups by name, and their common settings. */
export interface GroupEntry extends Connection {
  readonly hosts?: readonly string[];
  readonly groups?: readonly string[];
  readonly vars?: Vars;
}
