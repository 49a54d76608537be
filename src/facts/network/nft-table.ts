import { createHash } from "node:crypto";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind } from "../../core/facts/kind.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import { shellQuote } from "../../core/host/step.ts";
import { numbered } from "../system/quote.ts";

/** A table in the running packet filter. */
export interface NftTable {
  /**
   * SHA-256 of the source from which the table was loaded; empty if the table has changed since, or if furrow did not
   * load it.
   */
  readonly loaded: string;
}

/**
 * The folder with the notes about each table: the source that the table was loaded from, and nft's listing of the table
 * at that time. The notes survive a reboot.
 */
export const nftNotes = "/var/lib/furrow/nftables";

/** The id of a source in the notes: its SHA-256 in hex. */
export function nftSourceHash(source: string): string {
  return createHash("sha256").update(source, "utf8").digest("hex");
}

/** Asks about an nftables table. `terse` omits the elements of sets, for tables whose rules add elements. */
export function nftTable(family: string, table: string, terse: boolean): HostFact<Absent | NftTable> {
  return ask(nftTableKind, `${family} ${table}`, terse ? ["terse"] : []);
}

/**
 * Tables in nftables(8), listed without counters. The kernel's listing never equals the text that was loaded, so furrow
 * notes the listing when it loads a table. The table is unchanged as long as its listing is unchanged.
 */
export const nftTableKind = defineKind<Absent | NftTable>({
  name: "nftTable",
  summary: "A table in the running packet filter, and the source it was loaded from",
  facets: { terse: "compared without the elements of its sets" },
  read: (questions) => {
    const terse = questions.filter(({ facets }) => facets.includes("terse")).map(({ number }) => number);
    return `command -v nft >/dev/null || no=1
for x in ${numbered(questions)}; do
n=\${x%%:*} k=\${x#*:}
[ -n "$no" ] && { echo "$n absent=yes"; continue; }
t=
case " ${terse.join(" ")} " in *" $n "*) t=-t;; esac
if l=$(nft -s $t list table $k 2>&1); then
h=$(printf '%s\\n' "$l" | sha256sum)
s=
if [ -r ${shellQuote(nftNotes)}/"\${k% *}-\${k#* }" ] && read -r was s <${shellQuote(nftNotes)}/"\${k% *}-\${k#* }"; then
[ "$was" = "\${h%% *}" ] || s=
fi
echo "$n loaded=$s"
else
case $l in
*'No such file'*|*'does not exist'*) echo "$n absent=yes";;
*) echo "$n !nft list failed: $(printf %s "$l" | tr '\\n' ' ')";;
esac
fi
done`;
  },
  parse: (lines) => (lines["loaded"] === undefined ? absent : { loaded: lines["loaded"] }),
  print: (value) => (value === absent ? { absent: "yes" } : { loaded: value.loaded }),
});
