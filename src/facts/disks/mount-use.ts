import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, type NumberedQuestion, printPart } from "../../core/facts/kind.ts";
import { shellQuote } from "../../core/host/step.ts";
import { namespacesFunction } from "./block-device-script.ts";
import { fstabField } from "./fstab.ts";
import { mountPoint } from "../files/path-resolution.ts";

/** What prevents a mount from being unmounted. */
export interface MountUse {
  /**
   * One word for each use: `mount:/srv/a` for another mount below this one, `loop:/dev/loop0` and `swap:/srv/swap` for
   * a loop device or swap on a file in it, `socket:/srv/a.sock` for a Unix socket in it, `export:/srv` for a directory
   * that the host's NFS server exports, and `process:812:bash:cwd` for a process, with its id, its name, and how it
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
 * same mounts. Links are read but not followed, so a dead server cannot make the run hang. The kernel also unmounts the
 * copies of a mount that have propagated to other mount namespaces, and refuses if one of them is in use
 * (mount_namespaces(7)). `places POINT` prints one line for each copy: the process that shows the copy's namespace, or
 * `self`, and the path there. A copy is a mount at the same place, on a peer or slave of the mount that contains POINT.
 * A mount on a slave counts even if the slave's master is not known.
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
  return `${namespacesFunction}
places() {
grep -sH '' /proc/self/mountinfo $(namespaces) | e=$1 awk '
{ at = index($0, "/mountinfo:"); f = substr($0, 7, at - 7); $0 = substr($0, at + 11); m = f " " $1
up[m] = f " " $2; dev[m] = $3; root[m] = $4 == "/" ? "" : $4; point[m] = $5; group[m] = ""
for (i = 7; i <= NF && $i != "-"; i++) group[m] = group[m] $i " "
if (f == "self" && $5 == ENVIRON["e"]) own = m }
function place(m, p) { p = point[up[m]]; return dev[up[m]] root[up[m]] (p == "/" ? point[m] : substr(point[m], length(p) + 1)) }
END { g = group[up[own]]; if (!match(g, /shared:[0-9]+ /)) exit
g = substr(g, RSTART, RLENGTH)
for (m in point) if (m != own && (index(group[up[m]], g) || group[up[m]] ~ /master:/) && place(m) == place(own)) {
split(m, a, " "); t = point[m]
gsub(/\\\\040/, " ", t); gsub(/\\\\011/, "\\t", t); gsub(/\\\\134/, "\\\\", t); print a[1], t
} }'
}
held() {
[ -r /proc/self/mountinfo ] || return 1
while read -r z z z z p z; do case $p in "$2"/*) printf '%s\\n' "mount:$p";; esac; done </proc/self/mountinfo
for l in /sys/block/loop*/loop/backing_file; do
[ -r "$l" ] && IFS= read -r b <"$l" || continue
case $b in "$1"/*) l=\${l%/loop/*}; echo "loop:/dev/\${l##*/}";; esac
done
[ -r /proc/swaps ] && while read -r b z; do case $b in "$2"/*) printf '%s\\n' "swap:$b";; esac; done </proc/swaps
while read -r z z z z z z z p; do
case $p in "$1"/*) printf '%s\\n' "socket:$(printf %s "$p" | sed 's/\\\\/\\\\134/g;s/ /\\\\040/g;s/	/\\\\011/g')";; esac
done </proc/net/unix
for l in /proc/fs/nfsd/exports /proc/net/rpc/nfsd.export/content; do
[ -r "$l" ] && while read -r p z; do case $p in "$2"|"$2"/*) printf '%s\\n' "export:$p";; esac; done <"$l"
done | sort -u
k=0 w=$(printf '%s\\n' "self $1"; places "$2")
{ ls -l /proc/[0-9]*/ns/mnt; printf '%s\\n' "$w"; ls -l /proc/[0-9]*/cwd /proc/[0-9]*/root /proc/[0-9]*/exe; ls -l /proc/[0-9]*/fd
grep -lsF -e "$(printf '%s\\n' "$w" | sed 's|^[^ ]*||;s|$|/|')" /proc/[0-9]*/maps; } 2>/dev/null | o=$(readlink /proc/self/ns/mnt) awk '
/ -> mnt:\\[/ { match($0, /\\/proc\\/[0-9]+\\//); ns[substr($0, RSTART + 6, RLENGTH - 7)] = $NF; next }
/^(self|[0-9]+) \\// { k = $1 == "self" ? ENVIRON["o"] : ns[$1]; at[k, ++n[k]] = substr($0, index($0, " ") + 1); next }
/^\\/proc\\/[0-9]+\\/fd:$/ { split($0, a, "/"); pid = a[3]; next }
/^\\/proc\\/[0-9]+\\/maps$/ { split($0, a, "/"); if (ns[a[3]] in n) print a[3] ":program"; next }
{ i = index($0, " -> "); if (i == 0) next
t = substr($0, i + 4); how = "file"; who = pid
if (match($0, /\\/proc\\/[0-9]+\\/(cwd|root|exe) -> /)) { split(substr($0, RSTART, RLENGTH - 4), a, "/"); who = a[3]; how = a[4] == "exe" ? "program" : a[4] }
k = ns[who]; if (!(k in n)) next
for (i = 1; i <= n[k]; i++) if (t == at[k, i] || index(t, at[k, i] "/") == 1) { print who ":" how; break } }' | sort -u -t: -k1,1n | while IFS=: read -r p h; do
read -r c </proc/$p/comm || continue
k=$((k + 1)); [ $k -le ${most} ] || break
echo "process:$p:$(printf %s "$c" | tr -c 'A-Za-z0-9_.@-' _):$h"
done 2>/dev/null
return 0
}
set -- ${words.join(" ")}
while [ $# -gt 0 ]; do
f=$2 e=$3
if ! grep -qF " $e " /proc/self/mountinfo && r=$(timeout 5 readlink -f -- "$f") && [ -n "$r" ]; then f=$r e=$r; fi
if u=$(held "$f" "$e"); then printf '%s\\n' "$1 uses=$(printf %s "$u" | tr '\\n' ' ')"
else echo "$1 !the mounts on the host cannot be read"; fi
shift 3
done`;
}
