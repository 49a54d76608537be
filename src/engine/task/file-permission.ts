import { absent, isRecord } from "../../core/symbols.ts";

/** A user of a host, as far as the rights to files go. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly groups: ReadonlySet<string>;
}

/** What stands at a path, as far as the rights to it go. */
export interface Entry {
  readonly type: string;
  readonly owner: string;
  /** Undefined where nobody knows it yet. */
  readonly group: string | undefined;
  /** Octal, four digits. */
  readonly mode: string;
}

const bits = { read: 4, write: 3, search: 1 } as const;

/** The account in the value of a fact about the user `name`; undefined where parts of it are not known. */
export function accountIn(name: string, value: unknown): Account | undefined {
  if (!isRecord(value)) return undefined;
  const { uid, group, groups } = value;
  if (typeof uid !== "number" || typeof group !== "string" || !Array.isArray(groups)) return undefined;
  return { name, uid, groups: new Set([group, ...(groups as string[])]) };
}

/** The entry in the value of a fact about a file; undefined where its owner or mode are not known. */
export function entryIn(value: unknown): Entry | typeof absent | undefined {
  if (value === absent) return absent;
  if (!isRecord(value)) return undefined;
  const { type, owner, group, mode } = value;
  if (typeof type !== "string" || typeof owner !== "string" || typeof mode !== "string") return undefined;
  return { type, owner, mode, group: typeof group === "string" ? group : undefined };
}

/**
 * True where the mode lets a user do this; to write in a directory takes search, too. Access control lists are not looked
 * at: what they alone allow is taken for forbidden. Where the group is not known, what it or everybody may is enough.
 */
export function may(account: Account, { owner, group, mode }: Entry, act: keyof typeof bits): boolean {
  const inGroup = group === undefined ? [0, 1] : [account.groups.has(group) ? 1 : 0];
  const digits = owner === account.name ? [2] : inGroup;
  return digits.some((digit) => ((Number.parseInt(mode, 8) >> (digit * 3)) & bits[act]) === bits[act]);
}
