import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind } from "../../core/facts/kind.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import { numbered } from "./quote.ts";

/** A path's label on a host with SELinux. */
export interface SelinuxLabel {
  /** Whether the kernel enforces the policy, or only reports what it would deny. */
  readonly mode: "enforcing" | "permissive";
  /**
   * The type in the path's label: `virt_image_t`; `unlabeled_t` for a new file system. Absent if the path does not
   * exist.
   */
  readonly type: string | Absent;
}

/** Asks for a path's SELinux label. Absent on a host whose kernel does not use SELinux. */
export function selinuxLabel(path: string): HostFact<Absent | SelinuxLabel> {
  return ask(selinuxKind, path);
}

/** SELinux labels, as stat(1) prints them, and the mode that the kernel reports in /sys/fs/selinux (selinux(8)). */
export const selinuxKind = defineKind<Absent | SelinuxLabel>({
  name: "selinuxLabel",
  summary: "The SELinux type of a path, and whether SELinux is enforced",
  facets: {},
  read: (questions) => `m=
[ -r /sys/fs/selinux/enforce ] && read -r m </sys/fs/selinux/enforce
for x in ${numbered(questions)}; do
n=\${x%%:*} p=\${x#*:}
case $m in
'') echo "$n absent=yes"; continue;;
1) echo "$n mode=enforcing";;
*) echo "$n mode=permissive";;
esac
if [ ! -e "$p" ]; then echo "$n type="; continue; fi
c=$(stat -c %C -- "$p" 2>&1)
case $c in
*:*:*) c=\${c#*:}; c=\${c#*:}; echo "$n type=\${c%%:*}";;
*) echo "$n !the SELinux label of $p cannot be read: $c";;
esac
done`,
  parse(lines) {
    if (lines["absent"] !== undefined) return absent;
    const { mode, type } = lines;
    if ((mode !== "enforcing" && mode !== "permissive") || type === undefined) {
      throw new FurrowError("E_FACT", { what: "an SELinux label could not be read" });
    }
    return { mode, type: type === "" ? absent : type };
  },
  print: (value) =>
    value === absent ? { absent: "yes" } : { mode: value.mode, type: value.type === absent ? "" : value.type },
});
