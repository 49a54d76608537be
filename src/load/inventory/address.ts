import { existsSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { FurrowError } from "../../core/errors.ts";
import type { Address, Become, HostKeyPolicy } from "../../core/host/transport.ts";
import { knownHostsAlias, type Tunnel } from "../../core/host/tunnel.ts";
import type { Secret } from "../../core/secrets/secret.ts";
import { generatedKeyPrefix } from "../../core/secrets/secret-source.ts";
import { generatedFile } from "../state/generated-file.ts";
import { stateFolder } from "../state/state-folder.ts";
import { tunnelOf } from "./tunnel.ts";
import { identitiesIn, type MergedHost, type Settings, valuesOf } from "../vars/precedence.ts";

/** The ssh_config settings for a host; settings that are not set are absent. */
export interface SshSettings {
  readonly address?: string;
  readonly port?: number;
  readonly user?: string;
  readonly identityFiles?: readonly string[];
  readonly certificateFiles?: readonly string[];
  readonly identitiesOnly?: boolean;
  /** As written in the file: `user@host:port`, several of these separated by commas, or `none`. */
  readonly proxyJump?: string;
  /** A command that opens the connection. Only the `openssh` transport runs it. */
  readonly proxyCommand?: string;
  readonly hostKeyPolicy?: HostKeyPolicy;
  readonly hostKeyAlias?: string;
  readonly knownHostsFiles?: readonly string[];
  /** The first file of UserKnownHostsFile. */
  readonly newHostKeysFile?: string;
  /** A file of public keys that are refused: RevokedHostKeys. */
  readonly revokedKeysFile?: string;
  readonly connectTimeoutSeconds?: number;
  readonly keepaliveSeconds?: number;
  readonly keepaliveCount?: number;
  /** Path of the agent's socket, or `none`. */
  readonly agent?: string;
}

/** The connection settings known before ssh_config is read. */
export interface SshAsked {
  readonly user?: string | undefined;
  readonly port?: number | undefined;
  /** True if `Match exec` commands may run. */
  readonly matchExec?: boolean | undefined;
}

/** Everything that determines an address apart from the host's own settings. */
export interface AddressBook {
  /** Returns the ssh_config settings for a host name. */
  readonly sshConfig: (name: string, asked?: SshAsked) => SshSettings;
  /** Inventory hosts by name: a jump host may be one of them. */
  readonly hosts: ReadonlyMap<string, MergedHost>;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * The address of a host. Settings from the command line, the host, its groups and the inventory override ssh_config,
 * which overrides the defaults. Throws FurrowError E_INVENTORY if jump hosts form a loop, or if a tunnel cannot be
 * opened with the host's settings.
 */
export function addressOf(host: MergedHost, book: AddressBook): Address {
  return build(host.name, valuesOf(host.connection), book, []);
}

function build(name: string, own: Values, book: AddressBook, chain: readonly string[]): Address {
  const transport = (own["transport"] as Address["transport"] | undefined) ?? "ssh";
  const asked = (own["address"] as string | undefined) ?? name;
  const isRemote = transport === "ssh" || transport === "openssh";
  const config = isRemote
    ? book.sshConfig(asked, {
        user: own["user"] as string | undefined,
        port: own["port"] as number | undefined,
        matchExec: own["matchExec"] as boolean | undefined,
      })
    : {};
  const { account, home } = here();
  const tunnel = tunnelOf(name, {
    tunnel: own["tunnel"] as Tunnel | undefined,
    transport,
    proxyJump: own["proxyJump"] as string | undefined,
    address: asked,
  });
  const hostKeyAlias = config.hostKeyAlias ?? (tunnel === undefined ? undefined : knownHostsAlias(tunnel));
  const isDirect = own["proxyJump"] !== undefined || tunnel !== undefined;
  const proxyJump = (own["proxyJump"] as string | undefined) ?? (isDirect ? undefined : config.proxyJump) ?? "none";
  const { generated, files } = identitiesIn(own["identityFile"]);
  const identities =
    files.length > 0 || (Array.isArray(own["identityFile"]) && generated.length === 0) ? files : config.identityFiles;
  const agent = config.agent ?? process.env["SSH_AUTH_SOCK"];
  return {
    name,
    transport,
    // The inventory's `address` is looked up in ssh_config, so a HostName in ssh_config replaces it.
    address: isRemote ? (config.address ?? asked) : "localhost",
    port: (own["port"] as number | undefined) ?? config.port ?? 22,
    user: (own["user"] as string | undefined) ?? config.user ?? account,
    identityFiles: [
      ...generated.map(generatedKeyFile),
      ...(identities?.map((path) => path.replace(/^~(?=\/|$)/, home)) ?? defaultIdentities(home)),
    ],
    identitiesOnly: config.identitiesOnly ?? false,
    ...(config.certificateFiles !== undefined && { certificateFiles: config.certificateFiles }),
    ...(own["passphrase"] !== undefined && { passphrase: own["passphrase"] as Secret }),
    ...(own["password"] !== undefined && { password: own["password"] as Secret }),
    ...(agent !== undefined && agent !== "" && agent !== "none" && { agent }),
    jump: proxyJump === "none" || !isRemote ? [] : jumps(proxyJump, book, [...chain, name]),
    ...(config.proxyCommand !== undefined && !isDirect && { proxyCommand: config.proxyCommand }),
    ...(tunnel !== undefined && { tunnel }),
    hostKeyPolicy: (own["hostKeyPolicy"] as HostKeyPolicy | undefined) ?? config.hostKeyPolicy ?? "strict",
    ...knownHostsOf(listOf(own["knownHostsFile"]), config, home),
    ...(config.revokedKeysFile !== undefined && { revokedKeysFile: config.revokedKeysFile }),
    ...(own["hostKeys"] !== undefined && { hostKeys: own["hostKeys"] as readonly string[] }),
    ...(hostKeyAlias !== undefined && { hostKeyAlias }),
    connectTimeoutSeconds: (own["connectTimeoutSeconds"] as number | undefined) ?? config.connectTimeoutSeconds ?? 30,
    keepaliveSeconds: (own["keepaliveSeconds"] as number | undefined) ?? config.keepaliveSeconds ?? 15,
    ...(config.keepaliveCount !== undefined && { keepaliveCount: config.keepaliveCount }),
    ...(transport === "openssh" && { asked: { name: asked, said: saidOf(own) } }),
  };
}

/** Maps each setting to the address property it sets. */
const saidBy: Readonly<Record<string, string>> = {
  port: "port",
  user: "user",
  identityFile: "identityFiles",
  proxyJump: "jump",
  hostKeyPolicy: "hostKeyPolicy",
  knownHostsFile: "knownHostsFiles",
  keepaliveSeconds: "keepaliveSeconds",
};

function saidOf(own: Values): ReadonlySet<string> {
  return new Set(Object.entries(saidBy).flatMap(([setting, name]) => (own[setting] === undefined ? [] : [name])));
}

function here(): { account: string; home: string } {
  return { account: userInfo().username, home: homedir() };
}

/** The path of a generated key, given its entry in `identityFile`. */
function generatedKeyFile(given: string): string {
  return join(stateFolder(), generatedFile(given.slice(generatedKeyPrefix.length)));
}

function listOf(value: unknown): readonly string[] | undefined {
  return value === undefined ? undefined : Array.isArray(value) ? (value as string[]) : [value as string];
}

/**
 * The known_hosts files, and the one to which new keys are added: never a system file, and none if the setting is
 * `none`.
 */
function knownHostsOf(
  asked: readonly string[] | undefined,
  config: SshSettings,
  home: string,
): Pick<Address, "knownHostsFiles" | "newHostKeysFile"> {
  const own = asked?.filter((path) => path.toLowerCase() !== "none").map((path) => path.replace(/^~(?=\/|$)/, home));
  const users = ["known_hosts", "known_hosts2"].map((name) => join(home, ".ssh", name));
  const systems = ["/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"];
  const isDefault = own === undefined && config.knownHostsFiles === undefined;
  const newest = isDefault ? users[0] : own === undefined ? config.newHostKeysFile : own[0];
  return {
    knownHostsFiles: own ?? config.knownHostsFiles ?? [...users, ...systems],
    ...(newest !== undefined && newest !== "/dev/null" && { newHostKeysFile: newest }),
  };
}

function defaultIdentities(home: string): string[] {
  return ["id_ed25519", "id_ecdsa", "id_rsa"]
    .map((name) => join(home, ".ssh", name))
    .filter((path) => existsSync(path));
}

function jumps(text: string, book: AddressBook, chain: readonly string[]): Address[] {
  return text.split(",").flatMap((word, index) => {
    const [, user, name = word, port] =
      /^(?:ssh:\/\/)?(?:([^@]+)@)?(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(word.trim()) ?? [];
    if (chain.includes(name)) {
      throw new FurrowError("E_INVENTORY", {
        what: `the jump hosts of ${chain[0] ?? name} form a loop: ${[...chain, name].join(" → ")}`,
        hint: `Set proxyJump: "none" for ${name}`,
      });
    }
    const said = {
      ...valuesOf(book.hosts.get(name)?.connection ?? {}),
      ...(user !== undefined && { user }),
      ...(port !== undefined && { port: Number(port) }),
    };
    const address = build(name.replaceAll(/^\[|\]$/g, ""), said, book, chain);
    // Only the first jump host uses its own jump hosts; each later one is reached through the previous one.
    return index === 0 ? [...address.jump, { ...address, jump: [] }] : [{ ...address, jump: [] }];
  });
}

/** How to become another user on a host. The play overrides the host's settings. */
export function becomeOf(
  settings: Settings,
  play: { readonly method?: Become["method"]; readonly user?: string; readonly password?: Secret } | undefined,
): Become | undefined {
  if (play === undefined) return undefined;
  const own = valuesOf(settings);
  const password = play.password ?? (own["become.password"] as Secret | undefined);
  return {
    method: play.method ?? (own["become.method"] as Become["method"] | undefined) ?? "sudo",
    user: play.user ?? (own["become.user"] as string | undefined) ?? "root",
    ...(password !== undefined && { password }),
  };
}
