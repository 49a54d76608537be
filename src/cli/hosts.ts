import { becomeOf, addressOf, type AddressBook } from "../load/inventory/address.ts";
import { loadInventory, type LoadedInventory } from "../load/inventory/inventory-file.ts";
import { type LastRun, newestRunIn, readLastRun } from "../load/state/last-run.ts";
import { sshWords } from "../load/inventory/ssh-words.ts";
import { keptLogins } from "../load/inventory/logins.ts";
import { matchPattern, type PatternScope, scopeOf } from "../load/inventory/host-pattern.ts";
import {
  behind,
  type CommandLine,
  type MergedHost,
  mergeHosts,
  noCommandLine,
  type Setting,
  valuesOf,
} from "../load/vars/precedence.ts";
import { parseVarFlags } from "../load/vars/var-flag.ts";
import type { NewHost } from "../core/inventory/inventory.ts";
import type { BecomeOptions, Vars } from "../core/inventory/inventory-entries.ts";
import { FurrowError } from "../core/errors.ts";
import { pendingSecret, secretIds } from "../core/secrets/secret.ts";
import type { Session } from "../core/host/frame.ts";
import type { Address, AttemptFailed, Transport } from "../core/host/transport.ts";
import type { FrameSessionOptions } from "../transport/frame/session/session.ts";
import type { TriedPasswords } from "../transport/tried-passwords.ts";
import { Links } from "./links.ts";
import { warn } from "./terminal.ts";

/** The flags that select hosts and determine how to connect to them. */
export interface HostFlags {
  readonly inventories: readonly string[];
  readonly vaultPasswordFiles: readonly string[];
  /** Queries the inventory sources again instead of using cached answers. */
  readonly refresh?: boolean | undefined;
  readonly limit?: string | undefined;
  readonly user?: string | undefined;
  readonly "private-key"?: string | undefined;
  readonly "ask-pass"?: boolean | undefined;
  readonly "ask-become-pass"?: boolean | undefined;
  readonly "become-password-file"?: string | undefined;
}

/** The settings of a run that apply to its sessions. */
export type SessionSettings = Pick<
  FrameSessionOptions,
  "run" | "stop" | "leave" | "reconnectSeconds" | "stallSeconds" | "profile" | "verify"
> & { readonly failed?: AttemptFailed };

/** A host in the form that the engine needs. */
export interface BookedHost {
  readonly name: string;
  readonly address: string;
  /** Arguments of `ssh` for the login. */
  readonly ssh: readonly string[];
  readonly groups: readonly string[];
  readonly vars: Vars;
  /** Returns the user that a session with these become options runs as. */
  readonly userFor: (become: BecomeOptions | undefined) => string;
  /** True for the controller if the inventory does not list it. */
  readonly isController?: boolean;
}

/** The controller's name in `on`, unless the inventory has a host with that name. No pattern matches this name. */
export const controllerName = "localhost";

/** The hosts in an inventory, merged with the command line. */
export class HostBook {
  readonly inventory: LoadedInventory;
  readonly scope: PatternScope;
  /** The ids of the secrets that the inventory created. */
  readonly secrets: ReadonlySet<string>;
  readonly #merged: Map<string, MergedHost>;
  readonly #limited: ReadonlySet<string> | undefined;
  readonly #commandLine: CommandLine;
  readonly #controller: MergedHost;
  readonly #added = new Map<string, MergedHost>();
  readonly #addresses = new Map<string, Address>();
  readonly #book: AddressBook;
  readonly #links = new Links(transportOf);
  /** The passwords that this run has tried, and the results; created at the first connection. */
  #tried: TriedPasswords | undefined;

  constructor(
    inventory: LoadedInventory,
    commandLine: CommandLine,
    limit: string | undefined,
    sshConfig: AddressBook["sshConfig"],
    lastRun: () => LastRun | undefined = () => undefined,
    secrets: ReadonlySet<string> = new Set(),
  ) {
    this.inventory = inventory;
    this.secrets = secrets;
    this.#commandLine = commandLine;
    const scope = scopeOf(inventory.definition, undefined, inventory.topGroups);
    // Read the last run lazily, because it is stored in files, and few patterns need it.
    Object.defineProperty(scope, "last", { get: lastRun, enumerable: true });
    this.scope = scope;
    this.#merged = new Map(
      mergeHosts(inventory.definition, commandLine, inventory.origins).map((host) => [host.name, host]),
    );
    this.#controller = controllerHost(commandLine);
    this.#limited = limit === undefined ? undefined : new Set(matchPattern(limit, this.scope));
    this.#book = { sshConfig, hosts: this.#merged };
  }

  /** Returns the hosts in the inventory that match a pattern, ignoring --limit. Throws FurrowError E_PATTERN. */
  match(pattern: string): MergedHost[] {
    return matchPattern(pattern, this.scope).map((name) => this.merged(name));
  }

  /** Returns the hosts that match both a pattern and --limit. Throws FurrowError E_PATTERN. */
  limited(pattern: string): MergedHost[] {
    return this.match(pattern).filter(({ name }) => this.#limited?.has(name) ?? true);
  }

  /** Returns all hosts, including the added ones. */
  all(): MergedHost[] {
    return [...this.#merged.values()];
  }

  /** True if a host with this name is known. */
  has(name: string): boolean {
    return this.#merged.has(name);
  }

  /** Returns a host, or the controller, with all its settings. */
  merged(name: string): MergedHost {
    const host = this.#merged.get(name) ?? (name === controllerName ? this.#controller : undefined);
    if (host === undefined) throw new FurrowError("E_BUG", { what: `no host is named "${name}"` });
    return host;
  }

  /**
   * Adds a host that the inventory does not list. The host is not in any group. It has the settings that apply to all
   * hosts or, if it is reached through another host, the settings of that host.
   */
  add({ name, via, ...entry }: NewHost): MergedHost {
    const known = this.#added.get(name);
    if (known !== undefined) return known;
    if (this.has(name)) {
      throw new FurrowError("E_PLAYBOOK", {
        what: `the inventory already has a host named "${name}"`,
        hint: "Give the new host another name",
      });
    }
    const definition = { ...this.inventory.definition, hosts: { [name]: entry }, groups: {} };
    const origins = { inventory: this.inventory.origins.inventory ?? {} };
    const [alone] = mergeHosts(definition, via === undefined ? this.#commandLine : noCommandLine, origins);
    if (alone === undefined) throw new FurrowError("E_BUG", { what: `the host "${name}" cannot be added` });
    const host = via === undefined ? alone : behind(this.merged(via), alone);
    this.#merged.set(name, host);
    this.#added.set(name, host);
    return host;
  }

  /** Returns a host in the form that the engine needs. */
  booked(host: MergedHost): BookedHost {
    const address = this.address(host.name);
    return {
      name: host.name,
      address: address.address,
      ssh: sshWords(host, address),
      groups: host.groups,
      vars: valuesOf(host.vars),
      ...(host === this.#controller && { isController: true }),
      userFor: (become) => becomeOf(host.connection, become)?.user ?? address.user,
    };
  }

  /** Returns the address and connection settings of a host. */
  address(name: string): Address {
    const known = this.#addresses.get(name) ?? addressOf(this.merged(name), this.#book);
    this.#addresses.set(name, known);
    return known;
  }

  /**
   * Returns the address of a machine that is not in the inventory, with the settings that apply to all hosts. Its jump
   * hosts may be in the inventory.
   */
  addressFor({ name, ...entry }: NewHost): Address {
    const definition = { ...this.inventory.definition, hosts: { [name]: entry }, groups: {} };
    const [alone] = mergeHosts(definition, this.#commandLine, {});
    if (alone === undefined) throw new FurrowError("E_BUG", { what: `the machine "${name}" has no address` });
    return addressOf(alone, this.#book);
  }

  /** Opens a session. Throws FurrowError E_UNREACHABLE, E_AUTH, E_HOST_KEY or E_BECOME. */
  async connect(
    name: string,
    become: BecomeOptions | undefined,
    signal: AbortSignal,
    { failed, ...settings }: SessionSettings = {},
  ): Promise<Session> {
    const [{ openFrameSession }, { TriedPasswords }] = await Promise.all([
      import("../transport/frame/session/session.ts"),
      import("../transport/tried-passwords.ts"),
    ]);
    this.#tried ??= new TriedPasswords();
    const address = this.address(name);
    const link = await this.#links.open(address, signal, failed);
    try {
      const other = becomeOf(this.merged(name).connection, become);
      // The connection already uses this user, so no sudo is needed.
      const needed = other?.user === address.user ? undefined : other;
      return await openFrameSession({
        ...settings,
        host: name,
        link,
        relink: (again) => this.#links.open(address, again),
        user: address.user,
        tried: this.#tried,
        become: needed,
        signal,
      });
    } catch (error) {
      await link.close();
      throw error;
    }
  }
}

/**
 * The controller, if no inventory lists it. Login settings from the inventory and the command line are meant for other
 * hosts; only the command line's become password applies to the controller too.
 */
function controllerHost({ connection }: CommandLine): MergedHost {
  const origin = "the controller";
  const become = Object.entries(connection).filter(([key]) => key.startsWith("become."));
  return {
    name: controllerName,
    groups: [],
    vars: {},
    connection: { transport: { value: "local", origin }, ...Object.fromEntries(become) },
  };
}

async function transportOf({ transport }: Address): Promise<Transport> {
  if (transport === "local") return (await import("../transport/local/local.ts")).localTransport;
  if (transport === "ssh") {
    const { sshTransport } = await import("../transport/ssh/ssh.ts");
    sshTransport.rememberIn(keptLogins());
    return sshTransport;
  }
  if (transport === "openssh") return (await import("../transport/openssh/openssh.ts")).opensshTransport;
  throw new FurrowError("E_INVENTORY", {
    what: "simulated hosts are for tests and cannot be reached from the command line",
    hint: 'Use transport: "ssh", "openssh" or "local"',
  });
}

/**
 * Loads the inventories given with -i and merges the command line into them. `@failed` and `@unfinished` refer to the
 * last run of the playbook; if no playbook is given, to the newest run started in this folder. Throws FurrowError
 * E_USAGE, E_INVENTORY, E_PATTERN.
 */
export async function openHostBook(
  flags: HostFlags,
  varFlags: readonly string[],
  signal: AbortSignal,
  playbook?: string,
): Promise<HostBook> {
  const { inventories, vaultPasswordFiles, refresh = false } = flags;
  if (inventories.length === 0) {
    throw new FurrowError("E_USAGE", {
      what: "no inventory is given, so there are no hosts",
      hint: "Choose hosts: -i inventory.ts, -i web1,web2 or -i local",
    });
  }
  const commandLine = { vars: await parseVarFlags(varFlags), connection: connectionFlags(flags) };
  const before = secretIds();
  const [loaded, { readSshConfig }] = await Promise.all([
    loadInventory(inventories, { signal, refresh, notice: warn, vaultPasswordFiles }),
    import("../load/ssh-config/files.ts"),
  ]);
  const lastRun = (): LastRun | undefined =>
    playbook === undefined ? newestRunIn(process.cwd()) : readLastRun({ playbook, inventories });
  const secrets = new Set([...secretIds()].filter((id) => !before.has(id)));
  return new HostBook(loaded, commandLine, flags.limit, readSshConfig(), lastRun, secrets);
}

function connectionFlags(flags: HostFlags): Record<string, Setting> {
  const settings: Record<string, Setting> = {};
  const { user, "private-key": identityFile, "become-password-file": passwordFile } = flags;
  if (user !== undefined) settings["user"] = { value: user, origin: "--user" };
  if (identityFile !== undefined) settings["identityFile"] = { value: identityFile, origin: "--private-key" };
  if (flags["ask-pass"] === true) {
    const password = pendingSecret({ from: "prompt", question: "SSH password" }, "ssh-password");
    settings["password"] = { value: password, origin: "--ask-pass" };
  }
  if (passwordFile !== undefined && flags["ask-become-pass"] === true) {
    throw new FurrowError("E_USAGE", {
      what: "--ask-become-pass and --become-password-file cannot be combined",
      hint: "Give only one of them",
    });
  }
  if (passwordFile !== undefined) {
    const password = pendingSecret({ from: "file", path: passwordFile }, "become-password");
    settings["become.password"] = { value: password, origin: "--become-password-file" };
  }
  if (flags["ask-become-pass"] === true) {
    const password = pendingSecret({ from: "prompt", question: "Become password" }, "become-password");
    settings["become.password"] = { value: password, origin: "--ask-become-pass" };
  }
  return settings;
}
