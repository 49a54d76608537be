import { absent, isRecord } from "../../../core/facts/symbols.ts";

/** The data about a user that matters for file permissions. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly groups: ReadonlySet<string>;
}

/** The data about a path that matters for permissions. */
export interface Entry {
  readonly type: string;
  readonly owner: string;
  /** The file's group; undefined if it is not known yet. */
  readonly group: string | undefined;
  /** Octal, four digits. */
  readonly mode: string;
}

const bits = { read: 4, write: 3, search: 1 } as const;

/** Reads the account from the value of a fact about the user `name`; undefined if parts of it are unknown. */
export function accountIn(name: string, value: unknown): Account | undefined {
  if (!isRecord(value)) return undefined;
  const { uid, group, groups } = value;
  if (typeof uid !== "number" || typeof group !== "string" || !Array.isArray(groups)) return undefined;
  return { name, uid, groups: new Set([group, ...(groups as string[])]) };
}

/** Reads the entry from the value of a fact about a file; undefined if its type, owner or mode is unknown. */
export function entryIn(value: unknown): Entry | typeof absent | undefined {
  if (value === absent) return absent;
  if (!isRecord(value)) return undefined;
  const { type, owner, group, mode } = value;
  if (typeof type !== "string" || typeof owner !== "string" || typeof mode !== "string") return undefined;
  return { type, owner, mode, group: typeof group === "string" ? group : undefined };
}

/**
 * True if the mode lets a user perform `act`. (Writing in a directory also requires search permission.) Access control
 * lists are ignored, so an action that only they allow is treated as forbidden. If the group is unknown, permission for
 * the group or for others is enough.
 */
export function isAllowed(account: Account, { owner, group, mode }: Entry, act: keyof typeof bits): boolean {
  const inGroup = group === undefined ? [0, 1] : [account.groups.has(group) ? 1 : 0];
  const digits = owner === account.name ? [2] : inGroup;
  return digits.some((digit) => ((Number.parseInt(mode, 8) >> (digit * 3)) & bits[act]) === bits[act]);
}
