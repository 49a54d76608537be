import { blockFunctions, contentFunctions } from "../../src/facts/catalogue.ts";

/**
 * The scripts of the disk task's steps. Each script takes the locks, verifies that the disk is still the same and that
 * nothing uses it, and checks again what would be overwritten, because time has passed since the facts were read. A
 * dry run of wipefs, for a type that does not exist, opens the disk exclusively (O_EXCL), which fails if anything has
 * opened the disk or one of its partitions exclusively.
 * Arguments of all scripts: DEVICE SERIAL BYTES. A partition table is given as three pairs of first sector and
 * base64-encoded bytes.
 */
const opening = `${blockFunctions}
${contentFunctions}
fail() { echo "$*" >&2; exit 1; }
dev=$1 serial=$2 size=$3; shift 3
find_block "$dev" || fail "$dev is gone"
mkdir -p -m 0700 /run/furrow && exec 8> "/run/furrow/disk-$b.lock" || exit 1
flock -w 60 8 || fail "another run is using $dev"
exec 9< "$d"
flock -n 9 || flock -s -w 60 9 || fail "another program holds the lock on $dev"
serial_of || r=
[ "$r" = "$serial" ] || fail "$dev is now a disk with the serial '$r', not '$serial'"
areas
[ "$bytes" = "$size" ] || fail "$dev now has $bytes bytes, not $size"
claimed() { [ -b "$1" ] && ! wipefs -q -n -a -t furrow "$1" > /dev/null 2>&1; }
O=$(openers) N=$(namespaces)
in_use=$(uses_of "$s"; for q in "$s/$b"*; do [ -e "$q/partition" ] && uses_of "$q"; done; uses_elsewhere claimed)
[ -z "$in_use" ] || fail "$dev is in use: $in_use"
i=0
until claim=$(wipefs -q -n -a -t furrow "$d" 2>&1); do
[ $i -lt 5 ] || fail "something has exclusive use of $dev or of a partition on it: $claim"
i=$((i + 1)); sleep 1
done
case $b in *[0-9]) p=\${b}p1;; *) p=\${b}1;; esac
put() { printf %s "$2" | base64 -d | dd of="$d" bs="$sector" seek="$1" conv=notrunc,fsync 2> /dev/null || fail "$dev cannot be written"; }
put_table() { put "$5" "$6"; put "$3" "$4"; put "$1" "$2"; }
known() { [ -d "$s/$p" ] && [ "$(cat "$s/$p/start" "$s/$p/size" | tr '\\n' ' ')" = "$(($1 / 512)) $(($2 / 512)) " ]; }
node() {
i=0
until known "$1" "$2"; do
[ $i -lt 10 ] || fail "the kernel does not see partition 1 of $dev"
partx -u "$d" > /dev/null 2>&1 || blockdev --rereadpt "$d" > /dev/null 2>&1
known "$1" "$2" || sleep 1
i=$((i + 1))
done
read -r m < "$s/$p/dev"
p=/dev/$p i=0
until [ -b "$p" ] || [ $i -ge 3 ]; do sleep 1; i=$((i + 1)); done
if [ ! -b "$p" ] || [ "$(stat -c '%t %T' "$p")" != "$(printf '%x %x' "\${m%:*}" "\${m#*:}")" ]; then
rm -f "$p" && mknod -m 0660 "$p" b "\${m%:*}" "\${m#*:}" || fail "$p cannot be created"
fi
}
probe() {
x=$(blkid -p -o udev -- "$p"); rc=$?
t=$(echo "$x" | sed -n 's/^ID_FS_TYPE=//p;s/^ID_PART_TABLE_TYPE=/table-/p')
t=$t:$(echo "$x" | sed -n 's/^ID_FS_UUID_ENC=//p')
case $rc$t in 0:|2*) t=none;; 0*) ;; *) t=several;; esac
}
closing() {
exec 8>&- 9<&-
[ ! -e /run/udev/control ] || udevadm settle --timeout=20 || :
}
`;

/**
 * Writes the partition table with both marks to a blank disk. Arguments: thoroughness or `none`, hash of both areas,
 * table.
 */
export const partitionScript = `${opening}
same_areas "$2" || fail "the partition table of $dev has been changed in the meantime"
if [ "$1" != none ]; then data_of "$1"; [ $data = none ] || fail "$dev holds data ($data)"; fi
x=$(wipefs -i -O TYPE "$d") || fail "$dev cannot be probed"
for t in $x; do case $t in gpt|PMBR) ;; *) fail "$dev holds a signature: $t";; esac; done
shift 2
put_table "$@"
partx -u "$d" > /dev/null 2>&1
closing
`;

/**
 * Creates the file system on a partition with both marks, syncs it, then gives the partition its final name. Arguments:
 * hash of both areas, start and size of the partition, the wanted `TYPE:UUID`, every `TYPE:UUID` that furrow may have
 * created (in one word), final table, then mkfs and its arguments. If furrow's file system already exists, it must be
 * incomplete or empty.
 */
export const formatScript = `${opening}
same_areas "$1" || fail "the partition table of $dev has been changed in the meantime"
node "$2" "$3"
probe
case $t in
none) ;;
*) case " $5 " in *" $t "*) ;; *) fail "$p holds a signature that is not furrow's: $t";; esac
unshare -m sh -c '
mkdir -p /run/furrow/look
case $2 in ext4:*) o=ro,noload;; xfs:*) o=ro,norecovery;; *) o=ro;; esac
mount -t "\${2%%:*}" -o "$o" "$1" /run/furrow/look 2> /dev/null || exit 0
[ -z "$(ls -A /run/furrow/look | grep -vx lost+found)" ]
' look "$p" "$t" || fail "$p holds files, although it is marked as unfinished"
wipefs -q -a "$p" || exit 1;;
esac
want=$4; shift 5
first=$1 second=$3 third=$5 one=$2 two=$4 three=$6; shift 6
"$@" "$p" < /dev/null || fail "$1 failed"
blockdev --flushbufs "$p" || exit 1
probe
[ "$t" = "$want" ] || fail "$1 left $t on $p, not $want"
put_table "$first" "$one" "$second" "$two" "$third" "$three"
closing
`;

/**
 * Finishes renaming the partition after an interruption. Arguments: hash of both areas, start and size, `TYPE:UUID`,
 * final table.
 */
export const finishScript = `${opening}
same_areas "$1" || fail "the partition table of $dev has been changed in the meantime"
node "$2" "$3"
probe
[ "$t" = "$4" ] || fail "$p holds $t, not $4"
shift 4
put_table "$@"
closing
`;

/** Erases all signatures and the first and last 64 MiB of an unused disk. Takes only the common arguments. */
export const wipeScript = `${opening}
[ -n "$serial" ] || fail "$dev has no serial that identifies it"
for q in "$s/$b"*; do [ -e "$q/partition" ] && [ -b "/dev/\${q##*/}" ] && { wipefs -q -a "/dev/\${q##*/}" || exit 1; }; done
wipefs -q -a "$d" || exit 1
at=$(( bytes / 1048576 - 64 ))
[ $at -ge 0 ] || at=0
head -c $((bytes - at * 1048576)) /dev/zero | dd of="$d" bs=1048576 seek=$at conv=notrunc,fsync 2> /dev/null || fail "$dev cannot be written"
dd if=/dev/zero of="$d" bs=1048576 count=$(( bytes / 1048576 < 64 ? bytes / 1048576 : 64 )) conv=notrunc,fsync 2> /dev/null || fail "$dev cannot be written"
partx -d "$d" > /dev/null 2>&1
closing
`;

/**
 * Mounts a volume of the disk. Arguments: DEVICE NUMBER NODE UUID TYPE OPTIONS MOUNT-POINT; NUMBER is empty for a file
 * system on the whole disk. The script makes systemd reload fstab first: with the old fstab, systemd would unmount the
 * volume immediately.
 */
export const mountScript = `${blockFunctions}
fail() { echo "$*" >&2; exit 1; }
dev=$1 number=$2 node=$3 uuid=$4 type=$5 options=$6 point=$7
find_block "$dev" || fail "$dev is gone"
exec 9< "$d"
flock -s -w 60 9 || fail "another program holds the lock on $dev"
if [ -n "$number" ]; then
[ -e "$s/\${node##*/}" ] || partx -u "$d" || exit 1
i=0
until [ -b "$node" ] || [ $i -ge 3 ]; do sleep 1; i=$((i + 1)); done
[ -b "$node" ] || { read -r m < "$s/\${node##*/}/dev" && mknod -m 0660 "$node" b "\${m%:*}" "\${m#*:}"; } || exit 1
fi
found=$(blkid -p -s UUID -o value -- "$node")
[ "$found" = "$uuid" ] || fail "$node holds the file system $found, not $uuid"
[ ! -d /run/systemd/system ] || systemctl daemon-reload || exit 1
exec 9<&-
mount -t "$type" -o "$options" -- "$node" "$point"
`;

/** Makes systemd read the changed fstab, if systemd is running. */
export const reloadScript = "[ ! -d /run/systemd/system ] || systemctl daemon-reload";
