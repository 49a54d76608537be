import { createHash } from "node:crypto";
import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, type Kind, type Lines, type NumberedQuestion } from "../../core/facts/kind.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import { blockFunctions } from "./block-device-script.ts";
import { numbered } from "../system/quote.ts";

/** The parts of a disk's raw content that were read. */
export interface DiskContent {
  /** The first sectors, where a GPT is stored, in base64. */
  readonly head: string;
  /** The last sectors, where the backup GPT is stored, in base64. */
  readonly tail: string;
  /**
   * The region between `head` and `tail` in which a nonzero or unreadable byte was found; `middle` if the whole disk
   * was read at once.
   */
  readonly data: "none" | "start" | "middle" | "end";
}

/**
 * The part of a disk that is read. `sampled`: the first and last 64 MiB and 256 blocks of 64 KiB between them; `full`:
 * everything.
 */
export type Thoroughness = "sampled" | "full";

/**
 * Shell functions that read the raw content of the disk that `find_block` found. `areas` sets bytes, head and tail to
 * the sizes of the disk and of both GPT areas. `head_area` and `tail_area` print these areas. `same_areas HASH` is true
 * if the areas still have the {@link areasHash} HASH. `data_of sampled|full` sets data as in {@link DiskContent}. An
 * unreadable byte is treated as data.
 */
export const contentFunctions = `areas() {
read -r bytes < "$s/size"; bytes=$((bytes * 512))
read -r sector < "$s/queue/logical_block_size"
entries=$(( (16384 + sector - 1) / sector ))
head=$(( (2 + entries) * sector )); tail=$(( (1 + entries) * sector ))
}
same_areas() { [ "$({ head_area; tail_area; } | sha256sum | cut -c 1-64)" = "$1" ]; }
head_area() { dd if="$d" bs=$sector count=$((2 + entries)) 2>/dev/null; }
tail_area() { dd if="$d" bs=$sector skip=$((bytes / sector - entries - 1)) 2>/dev/null; }
any() { [ "$(tr -d '\\000' | head -c 1 | wc -c)" -gt 0 ]; }
from_head() { { dd bs=$sector count=$((2 + entries)) 2>/dev/null | cat > /dev/null; "$@" 2>/dev/null || printf x; } < "$d"; }
data_of() {
data=none edge=67108864 block=65536
if [ "$1" = full ] || [ $bytes -le $((2 * edge + 512 * block)) ]; then
from_head cat | head -c $((bytes - head - tail)) | any && data=middle
return 0
fi
from_head dd bs=$block count=$((edge / block)) | any && { data=start; return 0; }
i=1
while [ $i -le 256 ]; do
at=$(( edge / block + (bytes - 2 * edge) / 257 * i / block ))
dd if="$d" bs=$block skip=$at count=1 2>/dev/null || printf x
i=$((i + 1))
done | any && { data=middle; return 0; }
at=$(( (bytes - edge) / block ))
{ dd if="$d" bs=$block skip=$at 2>/dev/null || printf x; } | head -c $((bytes - at * block - tail)) | any && data=end
return 0
}`;

const script = (questions: readonly NumberedQuestion[], thoroughness: Thoroughness): string => `${blockFunctions}
${contentFunctions}
for x in ${numbered(questions)}; do n=\${x%%:*}
find_block "\${x#*:}" || { echo "$n data=absent"; continue; }
areas
[ $bytes -ge 4194304 ] || { echo "$n !the disk is smaller than 4 MiB"; continue; }
data_of ${thoroughness}
printf '%s\\n' "$n data=$data" "$n head=$(head_area | base64 | tr -d '\\n')" "$n tail=$(tail_area | base64 | tr -d '\\n')"
done`;

function contentKind(thoroughness: Thoroughness, name: string, deadlineSeconds: number): Kind<Absent | DiskContent> {
  return defineKind<Absent | DiskContent>({
    name,
    summary: `Whether a disk is blank, ${thoroughness === "full" ? "based on all its bytes" : "based on both ends and 256 samples"}`,
    facets: {},
    deadlineSeconds,
    read: (questions) => script(questions, thoroughness),
    parse(lines, question) {
      const { data, head, tail } = lines;
      if (data === "absent") return absent;
      if (data === undefined || head === undefined || tail === undefined) {
        throw new FurrowError("E_FACT", { what: `${question.key} could not be read: the host returned no data` });
      }
      return { data: data as DiskContent["data"], head, tail };
    },
    print: (value): Lines => (value === absent ? { data: "absent" } : { ...value }),
  });
}

/** The content of disks, read in samples, which takes a second or two for each disk. */
export const diskContentKind = contentKind("sampled", "disk-content", 300);
/** The content of disks, read in full, which takes minutes to hours for each disk. */
export const diskContentFullKind = contentKind("full", "disk-content-full", 86_400);

/** Asks whether a disk is blank, and for the raw bytes of the areas where a partition table is stored. */
export function diskContent(path: string, thoroughness: Thoroughness): HostFact<Absent | DiskContent> {
  return ask(thoroughness === "full" ? diskContentFullKind : diskContentKind, path);
}

/** Hex SHA-256 of both areas joined together. The steps write only if the disk's areas still have this hash. */
export function areasHash(areas: { readonly head: Uint8Array; readonly tail: Uint8Array }): string {
  return createHash("sha256").update(areas.head).update(areas.tail).digest("hex");
}

/** Both areas of a disk's content, as bytes. */
export function contentAreas(content: DiskContent): { readonly head: Uint8Array; readonly tail: Uint8Array } {
  return { head: Buffer.from(content.head, "base64"), tail: Buffer.from(content.tail, "base64") };
}
