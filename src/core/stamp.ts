import { createHash } from "node:crypto";
import * as travelling from "./on-host/travelling.ts";
import { shellQuote } from "./step.ts";

/** Where furrow keeps what it knows of a host's large files. */
const folder = "/var/lib/furrow/stamps";

/** Bytes from which on a stamp is worth its while: a smaller file is hashed as quickly as its stamp is looked at. */
export const stampedBytes = 4 * 1024 * 1024;

/** The stamp of a path: a file of a few lines that only its owner, who made it, may write. */
export function stampPath(path: string, base = folder): string {
  return `${base}/${createHash("sha256").update(path).digest("hex").slice(0, 32)}`;
}

/** Shell functions that look at stamps: `stamp_of` and `stamped` (on-host/stamp-reading.sh). */
export const stampReading: string = travelling.stampReading;

/** The same, with `stamp`, which writes one (on-host/stamp.sh). */
export const stampFunctions: string = `${stampReading}\n${travelling.stamp}`;

/** The two words that name a path and its stamp to these functions. */
export function stampWords(path: string, base?: string): string {
  return `${shellQuote(path)} ${shellQuote(stampPath(path, base))}`;
}
