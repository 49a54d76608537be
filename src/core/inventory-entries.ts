import type { Secret } from "./secret.ts";
import type { HostKeyPolicy } from "./transport.ts";

/** How to reach a host, as an inventory says it; what is left out comes from ssh_config and defaults. */
export interface Connection {
  /** Default `ssh`; `openssh` has the system's `ssh` program make the connection, for certificates and the like. */
  readonly transport?: "ssh" | "openssh" | "local" | "simulated";
  /** DNS name or IP address; default: the host's name. */
  readonly address?: string;
  readonly port?: number;
  readonly user?: string;
  /** Private key files; `~` is the controller's home. */
  readonly identityFile?: string | readonly string[];
  readonly passphrase?: Secret;
  readonly password?: Secret;
  /** `user@host:port`, several separated by commas, or `none`. */
  readonly proxyJump?: string;
  readonly hostKeyPolicy?: HostKeyPolicy;
  readonly knownHostsFile?: string | readonly string[];
  /**
   * The host's public keys, `ssh-ed25519 AAAA…`, where somebody else than the host tells them, such as its provider: it
   * must show one of these, whatever known_hosts files say.
   */
  readonly hostKeys?: readonly string[];
  /** Seconds for all attempts to connect together; default 30. */
  readonly connectTimeoutSeconds?: number;
  /** Seconds between keepalive requests; default 15, 0 for none. */
  readonly keepaliveSeconds?: number;
  /** True: the commands of `Match exec` in ssh_config are run. Default false: such a block does not count. */
  readonly matchExec?: boolean;
  readonly become?: BecomeOptions;
}

/** How the connection's user becomes another one. */
export interface BecomeOptions {
  readonly method?: "sudo" | "su" | "doas";
  /** Default `root`. */
  readonly user?: string;
  readonly password?: Secret;
}

/** Values by name; the playbook's schema gives them their types. */
export type Vars = Readonly<Record<string, unknown>>;

/** One host of an inventory. */
export interface HostEntry extends Connection {
  readonly vars?: Vars;
}

/** One group: hosts by name, other groups by name, and what they have in common. */
export interface GroupEntry extends Connection {
  readonly hosts?: readonly string[];
  readonly groups?: readonly string[];
  readonly vars?: Vars;
}
