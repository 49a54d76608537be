import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, type NumberedQuestion, printPart } from "../../core/facts/kind.ts";
import { shellQuote } from "../../core/host/step.ts";
import { fstabField } from "./fstab.ts";
import { mountPoint } from "../files/path-resolution.ts";

/** What prevents a mount from being unmounted. */
export interface MountUse {
  /**
   * One word for each use: `mount:/srv/a` for another mount below this one, `loop:/dev/loop0` and `swap:/srv/swap` for
   * a loop device or swap on a file in it, and `process:812:bash:cwd` for a process, with its id, its name, and how it
   * uses the mount (`cwd`, `root`, `program` or `file`). Spaces are escaped as in mountinfo.
   */
  readonly uses: readonly string[];
}

/** Asks what prevents the mount at an absolute path from being unmounted. Does not access any mount. */
export function mountUse(path: string): HostFact<MountUse> {
  return ask(mountUseKind, path);
}

/** The maximum number of processes that are listed. */
const most = 10;

/**
 * What uses a mount, from /proc (proc(5)): the links cwd, root, exe and fd, and the maps, of all processes that see the
 * same mounts. Links are read but not followed, so a dead server cannot make the run hang.
 */
export const mountUseKind = defineKind<MountUse>({
  name: "mountUse",
  summary: "What prevents a mount from being unmounted: mounts below it, loop devices, swap, processes",
  facets: {},
  renamed: mountPoint,
  // Earlier tasks may stop or start any process.
  volatile: ["uses"],
  read: script,
  parse({ uses }, { key }) {
    if (uses === undefined) throw new FurrowError("E_FACT", { what: `could not find out what uses ${key}` });
    return { uses: uses.split(" ").filter(Boolean) };
  },
  print: (value) => ({ uses: printPart(value, "uses", (uses) => uses.join(" ")) }),
});

function script(questions: readonly NumberedQuestion[]): string {
  const words = questions.flatMap(({ number, key }) => [String(number), key, fstabField(key)]).map(shellQuote);
  return `held() {
[ -r /proc/self/mountinfo ] || return 1
while read -r z z z z p z; do case $p in "$2"/*) echo "mount:$p";; esac; done </proc/self/mountinfo
for l in /sys/block/loop*/loop/backing_file; do
[ -r "$l" ] && IFS= read -r b <"$l" || continue
case $b in "$1"/*) l=\${l%/loop/*}; echo "loop:/dev/\${l##*/}";; esac
done
[ -r /proc/swaps ] && while read -r b z; do case $b in "$2"/*) echo "swap:$b";; esac; done </proc/swaps
k=0 o=$(readlink /proc/self/ns/mnt)
{ ls -l /proc/[0-9]*/cwd /proc/[0-9]*/root /proc/[0-9]*/exe; ls -l /proc/[0-9]*/fd
grep -lsF -- " $1/" /proc/[0-9]*/maps; } 2>/dev/null | m=$1 awk '
BEGIN { m = ENVIRON["m"] }
/^\\/proc\\/[0-9]+\\/fd:$/ { split($0, a, "/"); pid = a[3]; next }
/^\\/proc\\/[0-9]+\\/maps$/ { split($0, a, "/"); print a[3] ":program"; next }
{ at = index($0, " -> "); if (at == 0) next
t = substr($0, at + 4); if (t != m && index(t, m "/") != 1) next
how = "file"; who = pid
if (match($0, /\\/proc\\/[0-9]+\\/(cwd|root|exe) -> /)) { split(substr($0, RSTART, RLENGTH - 4), a, "/"); who = a[3]; how = a[4] == "exe" ? "program" : a[4] }
print who ":" how }' | sort -u -t: -k1,1n | while IFS=: read -r p h; do
[ "$(readlink "/proc/$p/ns/mnt")" = "$o" ] && read -r c </proc/$p/comm || continue
k=$((k + 1)); [ $k -le ${most} ] || break
echo "process:$p:$(printf %s "$c" | tr -c 'A-Za-z0-9_.@-' _):$h"
done 2>/dev/null
return 0
}
set -- ${words.join(" ")}
while [ $# -gt 0 ]; do
f=$2 e=$3
if ! grep -qF " $e " /proc/self/mountinfo && r=$(timeout 5 readlink -f -- "$f") && [ -n "$r" ]; then f=$r e=$r; fi
if u=$(held "$f" "$e"); then set -f; u=$(echo $u); set +f; printf '%s\\n' "$1 uses=$u"
else echo "$1 !the mounts on the host cannot be read"; fi
shift 3
done`;
}
