import type { NumberedQuestion } from "../../core/facts/kind.ts";
import { numbered } from "../system/quote.ts";
import { connection } from "./script.ts";

/**
 * An awk program that reads the XML of domains as libvirt prints it, with one element per line and single quotes. It
 * prints one line for each source of a disk, at any depth: the domain, the disk's own source, the format of this source
 * (`-` if unknown), and what the source is: `file PATH`, `volume NAME POOL` or `net PROTOCOL`. A domain whose XML is
 * missing gets the line `gone`.
 */
const sources = String.raw`function at(name, s) { s = $0; if (!sub(".*[ ]" name "=\047", "", s)) return ""; sub("\047.*", "", s); return s }
function add(what, value, pool) { n++; form[n] = t; kind[n] = what; path[n] = value; from[n] = pool }
function gone() { if (u != "" && !got) print u, "-", "-", "gone", "-", "-" }
BEGIN { OFS = "\t" }
/^@furrow / { gone(); u = $2; got = 0; next }
/^<domain[ >]/ { got = 1 }
/^  <name>/ { name = $0; sub(/ *<name>/, "", name); sub(/<\/name>.*/, "", name) }
/^    <disk / { disk = 1; n = 0; top = t = "-" }
disk && /<(driver|format) / { if (at("type") != "") t = at("type") }
disk && /<mirror / && at("file") != "" { old = t; t = at("format") == "" ? "-" : at("format"); add("file", at("file"), "-"); t = old }
disk && /<source[ >\/]/ {
f = at("file"); if (f == "") f = at("dev"); v = at("volume"); p = at("protocol"); c = n
if (f != "") add("file", f, "-")
else if (v != "") add("volume", v, at("pool") == "" ? "-" : at("pool"))
else if (p != "" && t != "-" && t != "raw") add("net", p, "-")
if (top == "-" && /^      <source/) top = f != "" ? f : v != "" ? at("pool") "/" v : p == "" ? "-" : p
if (n > c) t = "-"
}
/^    <\/disk>/ { for (i = 1; disk && i <= n; i++) print name, top, form[i], kind[i], path[i], from[i]; disk = 0 }
END { gone() }`;

/**
 * The script that finds out what uses each image. It asks libvirt with two virsh calls, and one more for each volume
 * of a pool, and reads the headers of qcow2 images (QEMU: docs/interop/qcow2): the offset of the backing file's name
 * at byte 8, its length at byte 16, and at byte 79 whether the data is in another file. It never opens an image
 * through QEMU, takes no locks, and compares files, not paths. A chain is reported as lost if any part of it cannot
 * be read.
 */
export function imageUsesScript(questions: readonly NumberedQuestion[]): string {
  return `set -- ${numbered(questions)}
T=$(printf '\\t')
found() {
l=$(virsh -c ${connection} 'list --all --uuid' 2>&1 </dev/null) || {
d= k=
lost "libvirt does not answer: $(printf '%s\\n' "$l" | sed -n 's/^error: *//p')" "$@"
return
}
b=
for u in $l; do b="$b;echo @furrow $u;dumpxml --inactive $u;dumpxml $u"; done
[ -n "$b" ] || return 0
virsh -c ${connection} "\${b#;}" 2>/dev/null </dev/null | awk '${sources}' | sort -u |
while IFS=$T read -r d k t w f q; do
f=$(plain "$f")
case $w in
gone) k=$d d=; lost "libvirt does not show the definition of the virtual machine $k" "$@"; continue;;
net) lost "it is on another machine ($f), in the format $t" "$@"; continue;;
volume) v=$f; f=$(virsh -q -c ${connection} vol-path --vol "$v" --pool "$(plain "$q")" 2>/dev/null </dev/null | sed '/^$/d') && [ -n "$f" ] || {
lost "libvirt does not say where the volume $v of the pool $(plain "$q") is" "$@"; continue; };;
esac
chain "$@"
done
}
plain() {
case $1 in
*'&'*) printf '%s\\n' "$1" | sed 's/&lt;/</g;s/&gt;/>/g;s/&quot;/"/g;s/&apos;/'\\''/g;s/&#39;/'\\''/g;s/&amp;/\\&/g';;
*) printf '%s\\n' "$1";;
esac
}
lost() {
m=$(printf %s "$1" | tr '\\n\\t' '  '); shift
for x; do printf '%s\\tlost\\t%s\\t%s\\t%s\\n' "\${x%%:*}" "$d" "$k" "$m"; done
}
chain() {
c=0
while :; do
for x; do [ "$f" -ef "\${x#*:}" ] && printf '%s\\tuse\\t%s\\t%s\\n' "\${x%%:*}" "$d" "$k"; done
[ "$t" != raw ] || return 0
[ -e "$f" ] || { lost "$f does not exist" "$@"; return; }
[ -f "$f" ] || [ -b "$f" ] || { lost "$f is neither a file nor a block device" "$@"; return; }
h=$(od -An -v -tu1 -N80 -- "$f" 2>/dev/null) || { lost "$f cannot be read" "$@"; return; }
header $h
case $g in
'81 70 73 251') ;;
'81 69 68 0'|'75 68 77 86'|'67 79 87 68'|'35 32 68 105') lost "$f has a format whose backing files furrow cannot read" "$@"; return;;
*) return 0;;
esac
[ "$e" = 0 ] || { lost "$f has its data in another file" "$@"; return; }
[ "$o" != 0 ] || return 0
[ "$s" -le 1023 ] && b=$(dd if="$f" bs=1 skip="$o" count="$s" 2>/dev/null) && [ -n "$b" ] || { lost "the backing file of $f cannot be read" "$@"; return; }
b=\${b#file:}
case \${b%%/*} in *:*) lost "$f has the backing file $b, which is not a path" "$@"; return;; esac
case $b in /*) f=$b;; *) f=\${f%/*}/$b;; esac
t=- c=$((c + 1))
[ $c -le 64 ] || { lost "$k has more than 64 backing files" "$@"; return; }
done
}
header() {
g="$1 $2 $3 $4" v=$8 o=0 s=0 e=0
[ $# -ge 20 ] || { g=; return; }
[ "$v" -lt 3 ] || [ $# -lt 80 ] || e=$((\${80} & 4))
shift 8
for i in 1 2 3 4 5 6 7 8; do o=$((o * 256 + $1)); shift; done
for i in 1 2 3 4; do s=$((s * 256 + $1)); shift; done
}
a=
for x; do [ ! -e "\${x#*:}" ] || a=yes; done
[ -z "$a" ] || ! command -v virsh >/dev/null || found "$@" | LC_ALL=C sort -u |
awk -F'\\t' '{ n = $1; sub(/^[^\\t]*\\t/, ""); printf "%s thing.%05d=%s\\n", n, c[n]++, $0 }'
for x; do echo "\${x%%:*} read=yes"; done`;
}
