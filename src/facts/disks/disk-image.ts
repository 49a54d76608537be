import { byPathOverBoot } from "../../core/facts/boot.ts";
import { FurrowError } from "../../core/errors.ts";
import { exactly, type HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind } from "../../core/facts/kind.ts";
import { merge } from "../../core/facts/compare.ts";
import { type Absent, absent, isRecord, knownAfterApply } from "../../core/facts/symbols.ts";
import { numbered } from "../system/quote.ts";
import { hiddenFunctions } from "../files/hidden-path.ts";
import { behindPath } from "../files/path-resolution.ts";

/** A virtual disk image. */
export interface DiskImage {
  /** Any file that is not qcow2 is treated as raw. */
  readonly format: "qcow2" | "raw";
  /** Size in bytes, as a guest sees it. */
  readonly sizeBytes: number;
  /** True if the image contains only the differences from another image. */
  readonly hasBacking: boolean;
}

const unknown = knownAfterApply as never;

/** Asks about the virtual disk image at an absolute path. */
export function diskImage(path: string): HostFact<Absent | DiskImage> {
  return ask(diskImageKind, path);
}

/**
 * Reads the first bytes of images without taking locks, even while a guest uses them. The qcow2 header (QEMU:
 * docs/interop/qcow2) contains `QFI\\xfb`, and, as big-endian numbers, the offset of the backing file's name at byte
 * 8 and the size at byte 24.
 */
export const diskImageKind = defineKind<Absent | DiskImage>({
  name: "diskImage",
  afterBoot: byPathOverBoot,
  summary: "A virtual disk image: format and size",
  facets: {},
  functions: hiddenFunctions,
  read: (questions) => `for x in ${numbered(questions)}; do
n=\${x%%:*} p=\${x#*:}
if [ ! -e "$p" ]; then hidden "$n" "$p" || echo "$n state=absent"; continue; fi
if [ ! -f "$p" ]; then echo "$n !$p is not a file"; continue; fi
if shut "$n" "$p"; then continue; fi
set -- $(od -An -v -tu1 -N32 -- "$p")
if [ "$1 $2 $3 $4" = '81 70 73 251' ] && [ $# -eq 32 ]; then
b=no
[ "$9\${10}\${11}\${12}\${13}\${14}\${15}\${16}" = 00000000 ] || b=yes
s=0
shift 24
for i; do s=$(( s * 256 + i )); done
printf '%s\\n' "$n backing=$b" "$n format=qcow2" "$n size=$s"
else
s=$(wc -c <"$p")
printf '%s\\n' "$n backing=no" "$n format=raw" "$n size=$(( s ))"
fi
done`,
  parse(lines, question) {
    const { state, format, size } = lines;
    if (state === "absent") return absent;
    if ((format !== "qcow2" && format !== "raw") || size === undefined) {
      throw new FurrowError("E_FACT", { what: `${question.key} could not be read: the host returned no data` });
    }
    return { format, sizeBytes: Number(size), hasBacking: lines["backing"] === "yes" };
  },
  print: (value) =>
    value === absent
      ? { state: "absent" }
      : { backing: value.hasBacking ? "yes" : "no", format: value.format, size: String(value.sizeBytes) },
  predict(before, wanted) {
    if (!isRecord(wanted)) return wanted as Absent;
    return { hasBacking: before === absent ? false : unknown, ...(merge(before, wanted) as object) } as DiskImage;
  },
  renamed: behindPath,
  touches: (key) => [`file:${exactly(key)}`],
});
