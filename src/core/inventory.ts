import { callerPosition } from "./position.ts";
import type { InventorySource } from "./inventory-source.ts";
import type { KeysOf } from "./known-keys.ts";
import type { BecomeOptions, Connection, GroupEntry, HostEntry, Vars } from "./inventory-entries.ts";

/** A host that is no host of the inventory: a task has made it, or it stands behind another one. */
export interface NewHost extends HostEntry {
  /** A name that no host of the inventory has. */
  readonly name: string;
  readonly address: string;
  /**
   * Name of the host it stands behind: it is reached by a jump over that one, and what is not said here, keys and vars
   * among it, is as for that one. Only who logs in is not taken over.
   */
  readonly via?: string;
}

/** The names that a {@link NewHost} has. */
export const newHostKeys: KeysOf<NewHost> = {
  name: true,
  address: true,
  via: true,
  vars: true,
  transport: true,
  port: true,
  user: true,
  identityFile: true,
  passphrase: true,
  password: true,
  proxyJump: true,
  hostKeyPolicy: true,
  knownHostsFile: true,
  hostKeys: true,
  connectTimeoutSeconds: true,
  keepaliveSeconds: true,
  matchExec: true,
  become: true,
};

/** The names that {@link BecomeOptions} have. */
export const becomeKeys: KeysOf<BecomeOptions> = { method: true, user: true, password: true };

/**
 * Puts a host into groups by what is known of it: gives names of groups, false or undefined for none. It is called for
 * each host once everything is merged, and what these groups say about their hosts applies to it then.
 */
export type Constructed = (
  vars: Vars,
  host: { readonly name: string; readonly groups: readonly string[] },
) => string | false | undefined | readonly (string | false | undefined)[];

/** What an inventory file says. `vars` and connection settings: defaults < group < host < command line. */
export interface InventoryDefinition extends Connection {
  readonly hosts: Readonly<Record<string, HostEntry>>;
  readonly groups?: Readonly<Record<string, GroupEntry>>;
  readonly vars?: Vars;
  /** Where more hosts are found when the run starts; what the file itself says wins over them. */
  readonly sources?: readonly InventorySource[];
  readonly constructed?: Constructed | readonly Constructed[];
}

/** An inventory: what an inventory file exports by default. */
export interface Inventory extends InventoryDefinition {
  readonly inventory: true;
  readonly file: string | undefined;
}

/**
 * What an inventory file may export by default: an inventory, a source, a function that puts hosts into groups, or a
 * list of these. Of a list what comes later wins.
 */
export type InventoryExport = Inventory | InventorySource | readonly (Inventory | InventorySource | Constructed)[];

/** Makes an inventory. */
export function inventory(definition: InventoryDefinition): Inventory {
  return { ...definition, inventory: true, file: callerPosition() };
}
