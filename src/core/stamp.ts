import { createHash } from "node:crypto";
import { shellQuote } from "./step.ts";

/** Where furrow keeps what it knows of a host's large files. */
const folder = "/var/lib/furrow/stamps";

/** Bytes from which on a stamp is worth its while: a smaller file is hashed as quickly as its stamp is looked at. */
export const stampedBytes = 4 * 1024 * 1024;

/** The stamp of a path: a file of a few lines that only its owner, who made it, may write. */
export function stampPath(path: string, base = folder): string {
  return `${base}/${createHash("sha256").update(path).digest("hex").slice(0, 32)}`;
}

/**
 * Shell functions that look at stamps. A stamp's first line is what `stat` tells of its file (size, inode, ctime); where that
 * still holds, the other lines (`sha256=…`, `unpacked=…`) hold too.
 * `stamp_of PATH` prints that first line. `stamped PATH STAMP NAME` prints a value, or fails where the stamp does not
 * hold.
 */
export const stampReading = `stamp_of() { TZ=UTC0 stat -c '%s|%i|%z' -- "$1" 2>/dev/null; }
stamped() {
  [ -f "$2" ] && [ ! -L "$2" ] && [ -O "$2" ] && IFS= read -r s_now 2>/dev/null <"$2" && [ -n "$s_now" ] || return 1
  [ "$s_now" = "$(stamp_of "$1")" ] || return 1
  while IFS= read -r s_line; do case $s_line in "$3="*) printf '%s\\n' "\${s_line#*=}"; return 0;; esac; done <"$2"
  return 1
}`;

/**
 * The same, with `stamp PATH STAMP LINE…`, which writes one. It never fails, because without a stamp all is only
 * slower.
 */
export const stampFunctions = `${stampReading}
stamp() {
  s_path=$1 s_file=$2; shift 2
  ( umask 077; mkdir -p "\${s_file%/*}" && { stamp_of "$s_path"; printf '%s\\n' "path=$s_path" "$@"; } >"$s_file.part" &&
    mv -f "$s_file.part" "$s_file" ) 2>/dev/null || rm -f "$s_file.part" 2>/dev/null || :
}`;

/** The two words that name a path and its stamp to these functions. */
export function stampWords(path: string, base?: string): string {
  return `${shellQuote(path)} ${shellQuote(stampPath(path, base))}`;
}
