import { callerPosition } from "../authoring/position.ts";
import type { InventorySource } from "./inventory-source.ts";
import type { KeysOf } from "../authoring/known-keys.ts";
import type { Connection, GroupEntry, HostEntry, Vars } from "./inventory-entries.ts";

/** A host that is not in the inventory: a task has created it, or it is reachable only through another host. */
export interface NewHost extends Omit<HostEntry, "notInherited"> {
  /** A name that no inventory host uses. */
  readonly name: string;
  readonly address: string;
  /**
   * Name of the host through which this host is reached: furrow uses it as a jump host. Settings that are missing here,
   * including keys and vars, are inherited from that host, except for the login user.
   */
  readonly via?: string;
}

/** The option names of a {@link NewHost}. */
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
  tunnel: true,
  hostKeyPolicy: true,
  knownHostsFile: true,
  hostKeys: true,
  connectTimeoutSeconds: true,
  keepaliveSeconds: true,
  matchExec: true,
  become: true,
};

/**
 * Puts a host into groups: returns the names of the groups, or false or undefined for no group. The function is called
 * for each host once all settings are merged; then the settings of these groups apply to the host.
 */
export type Constructed = (
  vars: Vars,
  host: { readonly name: string; readonly groups: readonly string[] },
) => string | false | undefined | readonly (string | false | undefined)[];

/**
 * The content of an inventory file. Precedence of `vars` and connection settings: defaults < group < host < command
 * line.
 */
export interface InventoryDefinition extends Connection {
  readonly hosts: Readonly<Record<string, HostEntry>>;
  readonly groups?: Readonly<Record<string, GroupEntry>>;
  readonly vars?: Vars;
  /**
   * Sources of additional hosts, queried when the run starts. The file's own values take precedence over the sources'
   * values.
   */
  readonly sources?: readonly InventorySource[];
  readonly constructed?: Constructed | readonly Constructed[];
}

/** An inventory: the default export of an inventory file. */
export interface Inventory extends InventoryDefinition {
  readonly inventory: true;
  readonly file: string | undefined;
}

/**
 * The possible default exports of an inventory file: an inventory, a source, a function that puts hosts into groups, or
 * a list of these. In a list, later items take precedence.
 */
export type InventoryExport = Inventory | InventorySource | readonly (Inventory | InventorySource | Constructed)[];

/** Creates an inventory. */
export function inventory(definition: InventoryDefinition): Inventory {
  return { ...definition, inventory: true, file: callerPosition() };
}
