import type { NumberedQuestion } from "../../core/facts/kind.ts";
import { numbered } from "../system/quote.ts";

/**
 * Shell functions for block devices, for the scripts of kinds and for steps that check again before they write.
 * `find_block PATH` sets d (node), s (folder in /sys) and b (kernel name); it returns 1 if the path does not exist and
 * 2 if it is not a block device. `serial_of` sets r to the serial number of the device that `find_block` found, or else
 * to its worldwide id. libblkid gets no cache file (libblkid(3), BLKID_FILE), because it would write that file, and
 * later trust its content. `uses_of SYSFS` prints what uses a disk or partition, one word each: `mount:/srv`,
 * `holder:vg-root`, `swap`, `loop:loop3` for a loop device backed by it, `process:812-qemu` for a process that has it
 * open for writing. Scripts that need the output of `openers` more than once store it in `O`.
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
ls -l /proc/[0-9]*/fd 2>/dev/null | grep -e '^/proc/' -e ' -> /dev/' | while read -r l; do
case $l in
/proc/*) p=\${l%/fd:};;
*/dev/null|*/dev/zero|*/dev/*random|*/dev/tty*|*/dev/pts/*|*/dev/fuse) ;;
*) f=\${l%% -> *} f=\${f##* }
{ while read -r z x; do case $z$x in flags:*[12]) read -r z < "$p/comm" && printf '%s\\n' "\${l##* -> /dev/} \${p##*/} $z";; esac; done < "$p/fdinfo/$f"; } 2>/dev/null;;
esac
done
}
uses_of() (
read -r m < "$1/dev"
t=$(printf '%x %x' "\${m%:*}" "\${m#*:}") k=\${1##*/}
case $k in *!*) k=\${k%%!*}/\${k#*!};; esac
[ "\${O+x}" ] || O=$(openers)
printf '%s\\n' "$O" | while read -r x p z; do [ "$x" = "$k" ] && printf '%s\\n' "process:$p-$z" | tr ' ' _; done
for h in /sys/block/loop*/loop/backing_file; do
{ read -r x < "$h"; } 2>/dev/null || continue
case $x in /dev/*) [ -b "$x" ] && [ "$(stat -L -c '%t %T' -- "$x" 2>/dev/null)" = "$t" ] && h=\${h%/loop/*} && echo "loop:\${h##*/}";; esac
done
while read -r z z dev z point rest; do
set -f; set -- "$1" \${rest#* - }
if [ "$dev" = "$m" ]; then printf '%s\\n' "mount:$point"
elif [ "$2" = btrfs ] && [ "$(readlink -f -- "$3")" = "/dev/\${1##*/}" ]; then printf '%s\\n' "mount:$point"
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
volume() {
u=$( { uses_of "$2"; copies "/dev/\${2##*/}"; } | sort -u | tr '\\n' ' ')
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
 * still shows the content from before mkfs.
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
[ -e "$s/partition" ] || timeout 15 partx -b -P -o NR,START,SECTORS,UUID,TYPE,NAME -- "$d" 2>/dev/null | while IFS='"' read -r z nr z start z count z id z type z name z; do
[ -n "$nr" ] || continue
case $b in *[0-9]) q=$s/\${b}p$nr;; *) q=$s/$b$nr;; esac
known=no
[ -d "$q" ] && [ "$(cat "$q/start" "$q/size" | tr '\\n' ' ')" = "$start $count " ] && known=yes
if [ $known = yes ] && is_node "/dev/\${q##*/}" "$q"; then probe "/dev/\${q##*/}"; else probe "$d" "$((start * 512))" "$((count * 512))"; fi
[ -n "$fs" ] || fs=$table
volume "$n p$nr." "$q" 2>/dev/null
printf '%s\\n' "$n p$nr.id=$id" "$n p$nr.kernel=$known" "$n p$nr.name=$name" "$n p$nr.size=$((count * 512))" "$n p$nr.start=$((start * 512))" "$n p$nr.type=$type"
done
probe "$d"
u=$( { uses_of "$s"; for q in "$s/$b"*; do [ -e "$q/partition" ] || continue; read -r z < "$q/partition"; case $numbers in *" $z "*) ;; *) uses_of "$q";; esac; done; copies "$d"; } | sort -u | tr '\\n' ' ')
printf '%s\\n' "$n fs=\${bad:-$fs}" "$n label=$label" "$n table=$table" "$n uses=\${u% }" "$n uuid=$uuid"
}`;

/** The script of the block device kind. */
export function blockDeviceScript(questions: readonly NumberedQuestion[]): string {
  const having = questions.filter(({ facets }) => facets.includes("layout")).map(({ number }) => number);
  return `${blockFunctions}
${having.length > 0 ? `${probeFunctions}\n${layoutFunction}\n` : ""}roots=
${having.length > 0 ? "roots=$(root_disks | tr '\\n' ' ') O=$(openers) L=$(all_uuids)\n" : ""}for x in ${numbered(questions)}; do n=\${x%%:*}
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
