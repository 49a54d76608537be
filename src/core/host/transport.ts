import type { FurrowError } from "../errors.ts";
import type { Secret } from "../secrets/secret.ts";
import type { OpenableTunnel } from "./tunnel.ts";

/** The policy for an unknown host key: refuse it, store it, or check no keys at all. */
export type HostKeyPolicy = "strict" | "accept-new" | "off";

/** How to switch from the login user to another user. `password` is asked for before the run, never during it. */
export interface Become {
  readonly method: "sudo" | "su" | "doas";
  /** The name of the become user. */
  readonly user: string;
  readonly password?: Secret;
}

/** Everything needed to connect to one host; the loader builds it from inventory, ssh_config and command line. */
export interface Address {
  /** The host's name in the inventory, for output only. */
  readonly name: string;
  /** `ssh` speaks SSH itself; `openssh` uses the system's `ssh` program. */
  readonly transport: "ssh" | "openssh" | "local" | "simulated";
  /** DNS name or IP address. */
  readonly address: string;
  readonly port: number;
  readonly user: string;
  /** Private key files, in the order they are offered. */
  readonly identityFiles: readonly string[];
  /** Offer only `identityFiles`, not the agent's keys (ssh_config IdentitiesOnly). */
  readonly identitiesOnly: boolean;
  /** Certificates from ssh_config (CertificateFile). Only `openssh` uses certificates. */
  readonly certificateFiles?: readonly string[];
  readonly passphrase?: Secret;
  readonly password?: Secret;
  /** Path of the agent's socket; undefined means no agent. */
  readonly agent?: string;
  /** Jump hosts, nearest to the controller first. */
  readonly jump: readonly Address[];
  /** The command from ssh_config that opens the connection (ProxyCommand). Only `openssh` runs it. */
  readonly proxyCommand?: string;
  /** The tunnel to the host's SSH port; if set, furrow does not connect to `address`. Only for `ssh`. */
  readonly tunnel?: OpenableTunnel;
  readonly hostKeyPolicy: HostKeyPolicy;
  /** known_hosts files, read in order. */
  readonly knownHostsFiles: readonly string[];
  /** The user's known_hosts file, to which `accept-new` adds a key. Without one, a new key is accepted but not kept. */
  readonly newHostKeysFile?: string;
  /**
   * Public keys, `ssh-ed25519 AAAA…`. If given, the host must present one of them, and known_hosts files can only
   * revoke keys.
   */
  readonly hostKeys?: readonly string[];
  /** A file of public keys that are refused under any policy (RevokedHostKeys). */
  readonly revokedKeysFile?: string;
  /**
   * The name of the host in known_hosts files, independent of its address and port: HostKeyAlias from
   * ssh_config, or the name of the instance at the end of a tunnel.
   */
  readonly hostKeyAlias?: string;
  /** Seconds for all connection attempts together. */
  readonly connectTimeoutSeconds: number;
  /** Seconds between keepalive requests; 0 turns them off. */
  readonly keepaliveSeconds: number;
  /** The number of unanswered requests after which the connection is treated as lost; default 3. */
  readonly keepaliveCount?: number;
  /**
   * Additional data for `openssh`. `openssh` reads ssh_config itself, so furrow passes only settings from other
   * sources.
   */
  readonly asked?: {
    /** The host's name before HostName from ssh_config is applied. */
    readonly name: string;
    /** The properties of this address that come from the inventory or the command line. */
    readonly said: ReadonlySet<string>;
  };
}

/** A process on the host, connected to three byte streams. */
export interface Channel {
  /** Writes to the process's stdin; resolves when more can be written. */
  write(data: Uint8Array): Promise<void>;
  /** Closes stdin. */
  end(): void;
  /** Closes the channel without waiting for the process. */
  destroy(): void;
  /**
   * Sets the listener of a stream, which can have only one. Data that arrived earlier is kept for it. If the listener
   * returns a promise, the stream pauses until the promise resolves, and the process pauses too, because of the
   * connection's flow-control window. `ended` waits until each listener has received the last byte of its stream, but
   * does not wait for a listener to be set: set both in the tick in which you receive the channel.
   */
  onStdout(listener: (data: Uint8Array) => void | Promise<void>): void;
  onStderr(listener: (data: Uint8Array) => void | Promise<void>): void;
  /**
   * True if the channel has a pseudo-terminal: if the connection is lost, the processes receive a hangup signal, and
   * input that they have not read is lost.
   */
  readonly onTerminal?: boolean;
  /**
   * Resolves when the process has ended and all its output has been delivered; rejects with E_UNREACHABLE if the
   * connection is lost.
   */
  readonly ended: Promise<{ readonly code: number | undefined; readonly signal: string | undefined }>;
}

/** Counters of one connection since it was opened. */
export interface LinkStats {
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly channels: number;
}

/**
 * The cause of an E_UNREACHABLE error from `exec`: the connection works, but the host refuses to open another channel
 * on it.
 */
export class ChannelRefused extends Error {}

/** One authenticated connection to a host. */
export interface Link {
  /** Starts `command` in a new channel. The user's login shell reads it, so quote it for any shell. */
  exec(command: string): Promise<Channel>;
  /** Like `exec`, with a pseudo-terminal without echo, for sudo's requiretty. */
  execPty(command: string): Promise<Channel>;
  stats(): LinkStats;
  /**
   * True if processes on the host still receive what was written right before `close`, so there is no need to wait for
   * them.
   */
  readonly deliversLastWords?: boolean;
  /**
   * The error about the host's key if it has changed but the policy is `off`. In that case, no password must be sent to
   * the host.
   */
  readonly changedKey?: FurrowError | undefined;
  close(): Promise<void>;
  /** Resolves when the connection has ended, with the reason, or with undefined if `close` was called. */
  readonly closed: Promise<Error | undefined>;
}

/** Receives the error of each failed connection attempt that is about to be repeated. */
export type AttemptFailed = (error: FurrowError) => void;

/** Opens connections. Throws FurrowError E_UNREACHABLE, E_AUTH or E_HOST_KEY. */
export interface Transport {
  connect(address: Address, signal: AbortSignal, failed?: AttemptFailed): Promise<Link>;
}
