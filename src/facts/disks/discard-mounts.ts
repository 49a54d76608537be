import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind } from "../../core/facts/kind.ts";

/** The mounts that have the `discard` option. */
export interface DiscardMounts {
  /** The first mount point of each file system that is mounted with this option, sorted. */
  readonly paths: readonly string[];
}

/** Asks which mounts immediately tell their disk which blocks they no longer use. */
export function discardMounts(): HostFact<DiscardMounts> {
  return ask(discardMountsKind, "host");
}

/** Mounts with the `discard` option, or btrfs' `discard=async`, from /proc/self/mounts (proc(5), mount(8)). */
export const discardMountsKind = defineKind<DiscardMounts>({
  name: "discardMounts",
  summary: "The mounts that immediately tell their disk which blocks are no longer used (mount option discard)",
  facets: {},
  read: (questions) => `m=$(awk '!($1 in d) {
d[$1] = 1
n = split($4, o, ",")
for (i = 1; i <= n; i++) if (o[i] == "discard" || o[i] ~ /^discard=/) { print $2; break }
}' /proc/self/mounts 2>&1) && m="paths=$(printf '%s\\n' "$m" | sort -u | tr '\\n' ' ')" || m="!/proc/self/mounts: $m"
${questions.map(({ number }) => `printf '%s\\n' "${number} $m"`).join("\n")}`,
  parse(lines) {
    const { paths } = lines;
    if (paths === undefined) throw new FurrowError("E_FACT", { what: "the host's mounts could not be read" });
    return { paths: paths.split(" ").filter(Boolean).map(plain) };
  },
  print: ({ paths }) => ({ paths: paths.map((path) => `${escaped(path)} `).join("") || " " }),
});

function plain(field: string): string {
  return field.replaceAll(/\\([0-7]{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function escaped(path: string): string {
  return path.replaceAll(/[ \t\n\\]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, "0")}`);
}
