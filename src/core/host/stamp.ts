import { createHash } from "node:crypto";
import { stamp } from "../on-host/sent/stamp.ts";
import { stampReading as reading } from "../on-host/sent/stamp-reading.ts";
import { shellQuote } from "./step.ts";

/** The folder for stamps on a host. A stamp is a note about a large file. */
const folder = "/var/lib/furrow/stamps";

/** The path of a file's stamp. A stamp contains a few lines, and only the user who created it can write to it. */
export function stampPath(path: string, base = folder): string {
  return `${base}/${createHash("sha256").update(path).digest("hex").slice(0, 32)}`;
}

/**
 * Shell functions that read stamps: `stamp_of` and `stamped` (on-host/stamp-reading.sh). A stamp is a small file on the
 * host that records what furrow knows about a large file, such as its SHA-256.
 */
export const stampReading: string = reading;

/** The functions of {@link stampReading}, and `stamp`, which writes a stamp (on-host/stamp.sh). */
export const stampFunctions: string = `${stampReading}\n${stamp}`;

/** The two shell words, path and stamp, that these functions take. */
export function stampWords(path: string, base?: string): string {
  return `${shellQuote(path)} ${shellQuote(stampPath(path, base))}`;
}
