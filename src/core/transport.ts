import type { Secret } from "./secret.ts";

/** How the key a server shows is judged: refuse unknown keys, store unknown keys, or do not look. */
export type HostKeyPolicy = "strict" | "accept-new" | "off";

/** How the user of a connection becomes another one; `password` is asked for before the run, never inside it. */
export interface Become {
  readonly method: "sudo" | "su" | "doas";
  /** The user to become. */
  readonly user: string;
  readonly password?: Secret;
}

/** Everything needed to reach one host; made by the loader from inventory, ssh_config and command line. */
export interface Address {
  /** The host's name in the inventory; only shown. */
  readonly name: string;
  /** `ssh` speaks SSH itself; `openssh` has the system's `ssh` program speak it. */
  readonly transport: "ssh" | "openssh" | "local" | "simulated";
  /** DNS name or IP address. */
  readonly address: string;
  readonly port: number;
  readonly user: string;
  /** Private key files, in the order they are offered. */
  readonly identityFiles: readonly string[];
  /** Offer only `identityFiles`, not the agent's keys (ssh_config IdentitiesOnly). */
  readonly identitiesOnly: boolean;
  /** Certificates of ssh_config (CertificateFile). Only `openssh` shows certificates. */
  readonly certificateFiles?: readonly string[];
  readonly passphrase?: Secret;
  readonly password?: Secret;
  /** Path of the agent's socket; undefined means no agent. */
  readonly agent?: string;
  /** Hosts to go through, nearest to the controller first. */
  readonly jump: readonly Address[];
  /** The command of ssh_config that makes the connection (ProxyCommand). Only `openssh` runs it. */
  readonly proxyCommand?: string;
  readonly hostKeyPolicy: HostKeyPolicy;
  /** known_hosts files, read in order; `accept-new` appends to the first. */
  readonly knownHostsFiles: readonly string[];
  /** Public keys, `ssh-ed25519 AAAA…`: where there are some, the host must show one of them; files only revoke keys. */
  readonly hostKeys?: readonly string[];
  /** A file of public keys that `openssh` refuses whatever the policy (RevokedHostKeys). */
  readonly revokedKeysFile?: string;
  /** The name by which known_hosts files know the host, whatever its address and port (ssh_config HostKeyAlias). */
  readonly hostKeyAlias?: string;
  /** Seconds for all attempts to connect together. */
  readonly connectTimeoutSeconds: number;
  /** Seconds between keepalive requests. 0 turns them off. */
  readonly keepaliveSeconds: number;
  /** So many unanswered ones mean that the link is lost; 3 where nothing is said. */
  readonly keepaliveCount?: number;
  /** What `openssh` must know beside: it reads ssh_config itself, and is told only what somebody else says. */
  readonly asked?: {
    /** The name before HostName of ssh_config. */
    readonly name: string;
    /** The properties of this address that the inventory or the command line says. */
    readonly said: ReadonlySet<string>;
  };
}

/** A process on the host, wired to three byte streams. */
export interface Channel {
  /** Writes to the process's stdin; resolves when more may be written. */
  write(data: Uint8Array): Promise<void>;
  /** Closes stdin. */
  end(): void;
  /** Closes the channel without waiting for the process. */
  destroy(): void;
  /**
   * Sets the one listener of a stream. What came before it was set is kept for it; a promise it returns holds the
   * stream back, and through the window of the connection the process itself, until it resolves. `ended` waits for a
   * listener's last byte, not for a listener: set both in the tick in which you get the channel.
   */
  onStdout(listener: (data: Uint8Array) => void | Promise<void>): void;
  onStderr(listener: (data: Uint8Array) => void | Promise<void>): void;
  /** True on a terminal: with its connection it hangs up on its processes, and what they have not read is lost. */
  readonly onTerminal?: boolean;
  /** Resolves when the process has ended and all output was delivered; rejects with E_UNREACHABLE when the link is lost. */
  readonly ended: Promise<{ readonly code: number | undefined; readonly signal: string | undefined }>;
}

/** Counters of one link, since it was opened. */
export interface LinkStats {
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly channels: number;
}

/** The cause of an E_UNREACHABLE of `exec`: the connection stands, and the host opens no further channel on it. */
export class ChannelRefused extends Error {}

/** One authenticated connection to a host. */
export interface Link {
  /** Starts `command` (read by the user's login shell, so quote it for any shell) on a channel of its own. */
  exec(command: string): Promise<Channel>;
  /** Opens a pseudo-terminal without echo too, for sudo's requiretty. */
  execPty(command: string): Promise<Channel>;
  stats(): LinkStats;
  /** True where processes on the host still read what was written right before `close`, so that nobody need wait for them. */
  readonly deliversLastWords?: boolean;
  close(): Promise<void>;
  /** Resolves when the link is gone, with the reason unless `close` was called. */
  readonly closed: Promise<Error | undefined>;
}

/** Makes links. Throws FurrowError E_UNREACHABLE, E_AUTH or E_HOST_KEY. */
export interface Transport {
  connect(address: Address, signal: AbortSignal): Promise<Link>;
}
