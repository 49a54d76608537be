import type { Connection, GroupEntry, HostEntry, Vars } from "./inventory-entries.ts";

/**
 * A source of hosts other than a file that lists them: a cloud's API, another tool's inventory. Sources are queried in
 * parallel, once per run, before any connection is made.
 */
export interface InventorySource {
  /** A short name for messages, origins and the cache: `ec2`, `lab start`. */
  readonly source: string;
  list(context: SourceContext): Promise<SourceListing>;
}

/** The argument of a source's function. */
export interface SourceContext {
  /** Aborted when the run is aborted. */
  readonly signal: AbortSignal;
  /** Absolute path of the inventory file's folder, for relative paths. */
  readonly folder: string;
  /** Prints a message that is not an error to stderr. */
  readonly notice: (text: string) => void;
  readonly now: Date;
  readonly cache: SourceCache;
}

/** Stored answers from earlier runs. */
export interface SourceCache {
  /**
   * Returns the stored result for this key if `produce` returned it at most `maximumAgeSeconds` ago; otherwise, or with
   * `--refresh`, calls `produce`. The result is stored as JSON in the state folder (mode 0600). The key must include
   * everything that the result depends on: account, region, filters.
   */
  remembered<T>(key: string, maximumAgeSeconds: number, produce: () => Promise<T>): Promise<T>;
}

/**
 * The hosts and groups that a source found. Settings for all hosts are allowed at the top level, as in an inventory.
 */
export interface SourceListing extends Connection {
  readonly hosts: Readonly<Record<string, HostEntry>>;
  readonly groups?: Readonly<Record<string, GroupEntry>>;
  readonly vars?: Vars;
  /** Hosts that are known but cannot be used; they are reported. */
  readonly leftOut: readonly LeftOut[];
  /** Where values come from, if that is more specific than the source's name. */
  readonly origins?: Origins;
}

/** A host that a source knows but that cannot be used. */
export interface LeftOut {
  readonly host: string;
  /** The reason in a few words: `stopped`, `no address`. */
  readonly reason: string;
}

/**
 * Where each value comes from. The keys are the names of connection settings (`user`, `become.user`), and `vars.NAME`
 * for vars.
 */
export interface Origins {
  readonly inventory?: Readonly<Record<string, string>>;
  readonly groups?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly hosts?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}
