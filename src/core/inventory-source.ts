import type { Connection, GroupEntry, HostEntry, Vars } from "./inventory-entries.ts";

/**
 * Where hosts come from beside a file that lists them: a cloud's API, an inventory of another tool. Asked once per run,
 * before any connection, several at the same time.
 */
export interface InventorySource {
  /** A short name for messages, origins and the cache: `ec2`, `lab start`. */
  readonly source: string;
  list(context: SourceContext): Promise<SourceListing>;
}

/** What a source is given. */
export interface SourceContext {
  /** Aborted when the run is. */
  readonly signal: AbortSignal;
  /** Absolute path of the inventory file's folder, for relative paths. */
  readonly folder: string;
  /** Says something on stderr that is no failure. */
  readonly notice: (text: string) => void;
  readonly now: Date;
  readonly cache: SourceCache;
}

/** Answers of earlier runs. */
export interface SourceCache {
  /**
   * What `produce` gave at most `maximumAgeSeconds` ago for this key, unless `--refresh` asks again; else what it gives
   * now. The answer is kept in the state folder (mode 0600), so it must be what JSON can hold; the key must name
   * everything the answer depends on: account, region, filters.
   */
  remembered<T>(key: string, maximumAgeSeconds: number, produce: () => Promise<T>): Promise<T>;
}

/** What a source found. Settings for all hosts may stand at its top, as in an inventory. */
export interface SourceListing extends Connection {
  readonly hosts: Readonly<Record<string, HostEntry>>;
  readonly groups?: Readonly<Record<string, GroupEntry>>;
  readonly vars?: Vars;
  /** Hosts that are known and cannot be used; they are reported, not lost. */
  readonly leftOut: readonly LeftOut[];
  /** Where values were said, where that is more than the source's name. */
  readonly origins?: Origins;
}

/** A host that a source knows and that cannot be used. */
export interface LeftOut {
  readonly host: string;
  /** Few words: `stopped`, `no address`. */
  readonly reason: string;
}

/**
 * Where single values were said: a connection setting by its name (`user`, `become.user`), a var as `vars.NAME`.
 */
export interface Origins {
  readonly inventory?: Readonly<Record<string, string>>;
  readonly groups?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly hosts?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}
