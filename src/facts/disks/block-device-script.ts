import type { NumberedQuestion } from "../../core/facts/kind.ts";
import { numbered } from "../system/quote.ts";

/**
 * Prints the type and device number of open files, without asking a file server if stat can avoid that. Prints
 * `unknown` if a server does not answer.
 */
const statFiles = `c=$1; shift
timeout -s KILL 10 stat $c -L -c "%f %t %T %n" -- "$@"
[ $? -lt 124 ] || echo unknown`;

/**
 * A shell function. For each mount namespace that contains a process, except the shell's own, it prints the path of one
 * mountinfo file.
 */
export const namespacesFunction = `namespaces() {
ls -l /proc/[0-9]*/ns/mnt 2>/dev/null | awk -v own="$(readlink /proc/self/ns/mnt)" '
$NF != own && !($NF in seen) { seen[$NF] = 1; p = $(NF - 2); sub("ns/mnt$", "mountinfo", p); print p }'
}`;

/**
 * Shell functions for block devices, used by the scripts that read facts and by steps that check again before they
 * write. `find_block PATH` sets d (node), s (folder in /sys) and b (kernel name); it returns 1 if the path does not
 * exist and 2 if it is not a block device. `serial_of` sets r to the serial number of the device that `find_block`
 * found, or else to its worldwide id. libblkid runs without a cache file (libblkid(3), BLKID_FILE), because it would
 * write this file and later trust its content. `uses_of SYSFS` prints what uses a disk or partition, one word for each
 * use, as in `Volume` (block-device.ts). Scripts that call it more than once store the output of `openers` in `O` and
 * that of `namespaces` in `N`. `openers` compares device numbers, because containers have nodes with names of their
 * own. `uses_elsewhere CLAIMED` prints what uses the disk through another device with the same worldwide id, or with
 * the same serial if either has no such id; CLAIMED is a function that is true if a device cannot be opened
 * exclusively.
 */
export const blockFunctions = `find_block() {
case $1 in *=*) d=$(BLKID_FILE=/dev/null timeout 10 findfs "$1" 2>/dev/null) || return 1;; *) d=$(readlink -f -- "$1") || return 1;; esac
[ -n "$d" ] && [ -e "$d" ] || return 1
[ -b "$d" ] || return 2
set -- $(stat -c '%t %T' -- "$d")
s=$(readlink -f "/sys/dev/block/$((0x$1)):$((0x$2))")
[ -d "$s" ] || return 1
b=\${s##*/}
}
serial_of() {
r=$(lsblk -dno SERIAL -- "$d" 2>/dev/null | { read -r r; printf %s "$r"; })
for f in serial device/serial wwid device/wwid; do
[ -z "$r" ] && [ -r "$s/$f" ] && r=$({ read -r r; printf %s "$r"; } < "$s/$f")
done
[ -n "$r" ]
}
openers() {
set -- "$(stat --cached=always / > /dev/null 2>&1 && echo --cached=always)"
for h in /sys/block/loop*/loop/backing_file; do { read -r x < "$h"; } 2>/dev/null && set -- "$@" "$x"; done
{
ls -l /proc/[0-9]*/fd 2>/dev/null | awk '
/^\\/proc\\// { p = substr($0, 1, length - 1); next }
/^l.w/ && (at = index($0, " -> /")) && $0 !~ / -> \\/dev\\/(null|zero|[a-z]*random|tty.*|pts\\/.*|fuse)$/ {
n = split(substr($0, 1, at - 1), a, " "); print p "/" a[n] }' | xargs -r sh -c '${statFiles}' sh "$1"
[ $# = 1 ] || sh -c '${statFiles}' sh "$@"
} 2>/dev/null | while read -r f x y n; do
case $f$n in
unknown) echo unknown;;
6???/proc/*/fd/*) n=\${n#/proc/} p=\${n%%/*}; { read -r z < "/proc/$p/comm"; } 2>/dev/null && printf '%s\\n' "$x $y process:$p-$z";;
6???*) for h in /sys/block/loop*/loop/backing_file; do
{ read -r z < "$h"; } 2>/dev/null && [ "$z" = "$n" ] && h=\${h%/loop/*} && echo "$x $y loop:\${h##*/}"
done;;
esac
done
}
${namespacesFunction}
ids_of() {
w= i= m=; read -r m < "$1/dev"
x=\${T#*=\\"$m\\" SERIAL=\\"}
[ "$x" = "$T" ] || i=\${x%%\\"*}
for f in serial device/serial; do [ -z "$i" ] && [ -r "$1/$f" ] && read -r i < "$1/$f"; done
for f in wwid device/wwid; do [ -z "$w" ] && [ -r "$1/$f" ] && read -r w < "$1/$f"; done
}
same_disks() (
T=$(lsblk -dnP -o MAJ:MIN,SERIAL 2>/dev/null)
ids_of "$s"; v=$w j=$i
for q in /sys/block/*; do
[ "\${q##*/}" != "$b" ] || continue
ids_of "$q"
if [ -n "$v" ] && [ -n "$w" ]; then [ "$v" = "$w" ]; else [ -n "$i" ] && [ "$i" = "$j" ]; fi && echo "$q"
done
)
uses_elsewhere() {
same_disks | while read -r q; do
y=$(for p in "$q" "$q/\${q##*/}"*; do
[ "$p" = "$q" ] || [ -e "$p/partition" ] || continue
uses_of "$p" | while read -r y; do printf '%s\\n' "path:\${p##*/}:$y"; done
done)
if [ -n "$y" ]; then printf '%s\\n' "$y"; elif "$1" "/dev/\${q##*/}"; then echo "path:\${q##*/}:claimed"; fi
done
}
uses_of() {
y=$(listed_uses "$1")
if [ -n "$y" ]; then printf '%s\\n' "$y"; else hidden_uses "$1"; fi
}
hidden_uses() (
m=; read -r m < "$1/dev"
k=\${1##*/}
[ "\${N+x}" ] || N=$(namespaces)
x=$([ -z "$N" ] || grep -sHF -e " $m " $N | while read -r f z dev z point z; do
[ "$dev" = "$m" ] || continue
f=\${f%%/mountinfo:*} c=
{ read -r c < "$f/comm"; } 2>/dev/null
printf '%s\\n' "namespace:\${f##*/}-$c:$point" | tr ' ' _
done | head -n 5)
for f in ext4 xfs f2fs; do [ -z "$x" ] && [ -e "/sys/fs/$f/$k" ] && x=mounted; done
[ -z "$x" ] || printf '%s\\n' "$x"
[ -e "/proc/fs/jbd2/$k" ] || return 0
x=journal:
for h in /sys/fs/ext4/*/journal_task; do
{ read -r z < "$h" && read -r c < "/proc/$z/comm"; } 2>/dev/null && [ "$c" = "jbd2/$k" ] && h=\${h%/*} && x=journal:\${h##*/}
done
echo "$x"
)
listed_uses() (
m=; read -r m < "$1/dev"
t=$(printf '%x %x' "\${m%:*}" "\${m#*:}") k=\${1##*/}
case $k in *!*) k=\${k%%!*}/\${k#*!};; esac
[ "\${O+x}" ] || O=$(openers)
printf '%s\\n' "$O" | while read -r x y z; do
case $x in unknown) echo unknown;; *) [ "$x $y" = "$t" ] && printf '%s\\n' "$z" | tr ' ' _;; esac
done
while read -r z z dev z point rest; do
set -f; set -- "$1" \${rest#* - }
if [ "$dev" = "$m" ]; then printf '%s\\n' "mount:$point"
elif [ "$2" = btrfs ] && [ "$(readlink -f -- "$3")" = "/dev/\${1##*/}" ]; then printf '%s\\n' "mount:$point"
elif [ "$2" = xfs ]; then case ,$4, in *,logdev=*|*,rtdev=*)
for x in $(echo "$4" | tr , ' '); do
case $x in logdev=*|rtdev=*) [ "$(readlink -f -- "\${x#*=}")" = "/dev/$k" ] && printf '%s\\n' "log:$point";; esac
done;; esac
fi
done < /proc/self/mountinfo
set +f
for h in "$1"/holders/*; do
[ -e "$h" ] || continue
if [ -r "$h/dm/name" ]; then read -r z < "$h/dm/name"; else z=\${h##*/}; fi
printf '%s\\n' "holder:$z"
done
for h in /sys/fs/btrfs/*/devices/"\${1##*/}"; do [ -e "$h" ] && { h=\${h%/devices/*}; echo "holder:btrfs-\${h##*/}"; }; done
while read -r f z; do [ -b "$f" ] && [ "$(stat -c '%t %T' -- "$f")" = "$(printf '%x %x' "\${m%:*}" "\${m#*:}")" ] && echo swap; done < /proc/swaps
:
)`;

/**
 * Shell functions that probe a range of a disk with libblkid and print the result: fs, uuid and label, encoded as for
 * udev.
 */
const probeFunctions = `probe() {
fs= uuid= label= table=
x=$(timeout 15 blkid -p -o udev \${2:+-O "$2" -S "$3"} -- "$1" 2>/dev/null)
case $? in 0|2) ;; 8) fs=ambivalent;; *) fs=unreadable;; esac
set -f; IFS='
'
for l in $x; do case $l in
ID_FS_TYPE=*) fs=\${l#*=};; ID_FS_UUID_ENC=*) uuid=\${l#*=};; ID_FS_LABEL_ENC=*) label=\${l#*=};;
ID_PART_TABLE_TYPE=*) table=\${l#*=};;
esac; done
unset IFS; set +f
}
all_uuids() {
BLKID_FILE=/dev/null timeout 15 blkid -s UUID 2>/dev/null | while IFS='"' read -r x y z; do printf '%s\\n' "$y \${x%%:*}"; done
}
copies() {
[ -z "$uuid" ] || printf '%s\\n' "$L" | while read -r x z; do [ "$x" = "$uuid" ] && [ "$z" != "$1" ] && [ ! -e "/sys/class/block/\${z#/dev/}/slaves/\${1#/dev/}" ] && echo "copy:$z"; done
}
claimed() {
LC_ALL=C timeout 15 mke2fs -n -q "$1" 64 < /dev/null 2>&1 | grep -q 'will not make' || return 1
[ $tries -gt 0 ] || return 0
tries=$((tries - 1)); sleep 1; claimed "$1"
}
all_uses() {
y=$(uses_of "$1") tries=1
[ -n "$y" ] || [ $held = no ] || ! claimed "/dev/\${1##*/}" || y=claimed
[ -z "$y" ] || printf '%s\\n' "$y"
}
volume() {
u=$( { all_uses "$2"; copies "/dev/\${2##*/}"; } | sort -u | tr '\\n' ' ')
printf '%s\\n' "$1fs=$fs" "$1label=$label" "$1uses=\${u% }" "$1uuid=$uuid"
}
root_disks() {
while read -r z z dev z point rest; do
[ "$point" = / ] || continue
set -- \${rest#* - }
case $dev in 0:*) [ -b "$2" ] && find_block "$2" && below "$s";; *) below "$(readlink -f "/sys/dev/block/$dev")";; esac
done < /proc/self/mountinfo
}
below() {
[ -d "$1" ] || return 0
echo "\${1##*/}"
[ -e "$1/partition" ] && below "\${1%/*}"
for y in "$1"/slaves/*; do [ -e "$y" ] && below "$(readlink -f "$y")"; done
:
}`;

/**
 * Probes a partition through its own node if the kernel knows the partition. The disk and the partition have separate
 * page caches: while anything has the disk open (a mount of one of its partitions, udevd, multipathd), the disk's cache
 * still shows the content from before mkfs. `claimed DEVICE` is true if DEVICE cannot be opened exclusively (open(2),
 * O_EXCL), which for a disk is also the case if one of its partitions is claimed. `mke2fs -n` tests this on a device
 * that it opens read-only; wipefs would open it for writing, which makes udev scan it. Without mke2fs, only the steps
 * test it. A claim that lasts less than a second does not count.
 */
const layoutFunction = `is_node() {
[ -b "$1" ] && read -r m < "$2/dev" && [ "$(stat -c '%t %T' -- "$1")" = "$(printf '%x %x' "\${m%:*}" "\${m#*:}")" ]
}
layout() {
read -r z < "$s/size"; bytes=$((z * 512))
case " $roots " in *" $b "*) z=yes;; *) z=no;; esac
bad=
signatures=$(timeout 15 wipefs -i -O TYPE,OFFSET "$d" 2>/dev/null) || bad=unreadable
signatures=$([ -z "$signatures" ] || echo "$signatures" | while read -r t o; do printf '%s ' "$t@$((o))"; done)
printf '%s\\n' "$n carries-root=$z" "$n signatures=\${signatures% }"
numbers=" $(timeout 15 partx -b -r -g -o NR -- "$d" 2>/dev/null | tr '\\n' ' ')"
tries=0 held=no
claimed "$d" && held=yes
parts=$([ -e "$s/partition" ] || timeout 15 partx -b -P -o NR,START,SECTORS,UUID,TYPE,NAME -- "$d" 2>/dev/null | while IFS='"' read -r z nr z start z count z id z type z name z; do
[ -n "$nr" ] || continue
case $b in *[0-9]) q=$s/\${b}p$nr;; *) q=$s/$b$nr;; esac
known=no
[ -d "$q" ] && [ "$(cat "$q/start" "$q/size" | tr '\\n' ' ')" = "$start $count " ] && known=yes
if [ $known = yes ] && is_node "/dev/\${q##*/}" "$q"; then probe "/dev/\${q##*/}"; else probe "$d" "$((start * 512))" "$((count * 512))"; fi
[ -n "$fs" ] || fs=$table
volume "$n p$nr." "$q" 2>/dev/null
printf '%s\\n' "$n p$nr.id=$id" "$n p$nr.kernel=$known" "$n p$nr.name=$name" "$n p$nr.size=$((count * 512))" "$n p$nr.start=$((start * 512))" "$n p$nr.type=$type"
done)
[ -z "$parts" ] || printf '%s\\n' "$parts"
probe "$d"
u=$( { uses_of "$s"; for q in "$s/$b"*; do [ -e "$q/partition" ] || continue; read -r z < "$q/partition"; case $numbers in *" $z "*) ;; *) all_uses "$q";; esac; done; } | sort -u | tr '\\n' ' ')
[ -n "$u" ] || [ $held = no ] || printf '%s\\n' "$parts" | grep -Eq '^[0-9]+ p[0-9]+\\.uses=(.* )?([^c ]|cl)' || { tries=1; claimed "$d" && u='claimed '; }
tries=1
u="$u$({ uses_elsewhere claimed; copies "$d"; } | sort -u | tr '\\n' ' ')"
printf '%s\\n' "$n fs=\${bad:-$fs}" "$n label=$label" "$n table=$table" "$n uses=\${u% }" "$n uuid=$uuid"
}`;

/** The script of the block device kind. */
export function blockDeviceScript(questions: readonly NumberedQuestion[]): string {
  const having = questions.filter(({ facets }) => facets.includes("layout")).map(({ number }) => number);
  return `${blockFunctions}
${having.length > 0 ? `${probeFunctions}\n${layoutFunction}\n` : ""}roots=
${having.length > 0 ? "roots=$(root_disks | tr '\\n' ' ') O=$(openers) N=$(namespaces) L=$(all_uuids)\n" : ""}for x in ${numbered(questions)}; do n=\${x%%:*}
find_block "\${x#*:}"
case $? in 1) echo "$n type=absent"; continue;; 2) echo "$n type=other"; continue;; esac
if [ -e "$s/partition" ]; then t=partition; elif [ -d "$s/dm" ]; then t=mapped; else t=disk; fi
w=\${s%/"$b"}; [ $t = partition ] || w=$s
read -r z < "$s/size"; read -r ro < "$s/ro"; read -r sector < "$w/queue/logical_block_size"
serial_of
printf '%s\\n' "$n path=/dev/$(echo "$b" | tr '!' /)" "$n read-only=$ro" "$n sector=$sector" "$n serial=$r" "$n size=$((z * 512))" "$n type=$t"
case ' ${having.join(" ")} ' in *" $n "*) layout;; esac
done`;
}
