import type { TreeFile } from "./tree.ts";

/*
 * A container does not have its own devtmpfs, and if /sys is read-only, systemd skips udev and all devices in fstab.
 * But the kernel's block events reach every network namespace, so udevd works in a host with a writable /sys. Only the
 * device nodes are missing: on a real machine the kernel creates them; here, the rule below does. Debian's own
 * components do the rest (by-id, by-uuid, by-partuuid, `udevadm settle`, device units, the output of lsblk).
 *
 * A host receives the events of all block devices on the machine. A device belongs to the host if it is listed in
 * /sys/block, where the host's init mounts a directory that contains only the host's disks.
 */

/** The directory that lists a host's own disks, inside the host: a bind mount of a directory on the machine. */
export const diskListInside = "/run/lab-disks";

const nodeScript = `#!/bin/sh
# udev calls this for every block device with NAME MAJOR MINOR. For a disk of this host, or a partition of one, it makes
# the device node and prints the disk's serial. For the disks of other hosts it fails.
disk=$1 node=/dev/$1
case $1 in loop*p*) disk=\${1%p*} ;; esac
[ -e "/sys/block/$disk" ] || exit 1
file=$(cat "/sys/block/$disk/loop/backing_file") || exit 1
if [ ! -b "$node" ] || [ "$(stat -c '%Hr %Lr' "$node")" != "$2 $3" ]; then
  rm -f "$node"
  mknod -m 0660 "$node" b "$2" "$3" && chgrp disk "$node"
fi
serial=\${file##*/}
echo "\${serial%.img}"
`;

const rules = `SUBSYSTEM!="block", GOTO="lab_end"
ACTION=="remove", KERNEL=="loop*", RUN+="/bin/rm -f /dev/%k"
ACTION=="remove", GOTO="lab_end"
KERNEL=="loop*", PROGRAM="/usr/lib/furrow-lab/disk-node %k %M %m", GOTO="lab_own"
ENV{UDEV_DISABLE_PERSISTENT_STORAGE_RULES_FLAG}="1", OPTIONS+="nowatch", GOTO="lab_end"
LABEL="lab_own"
ENV{ID_SERIAL}="%c", ENV{ID_SERIAL_SHORT}="%c"
ENV{DEVTYPE}=="partition", SYMLINK+="disk/by-id/virtio-%c-part%n", GOTO="lab_end"
SYMLINK+="disk/by-id/virtio-%c"
ACTION=="add", RUN+="/usr/bin/systemctl start --no-block furrow-lab-keep@%k.service"
ACTION=="change", RUN+="/usr/lib/furrow-lab/read-table %k"
LABEL="lab_end"
`;

/*
 * Some kernels cannot read any partition table. On such a kernel, a partition exists only after a program has added it
 * (as parted does), and every request to re-read the table (sfdisk makes one, and udevd after each write) removes all
 * partitions. A shared lock on the disk therefore keeps udevd from making that request (systemd.io,
 * BLOCK_DEVICE_LOCKING), and after a request by another program, partx reads the table in place of the kernel.
 */
const noReader = "zcat /proc/config.gz 2>/dev/null | grep -q '^# CONFIG_EFI_PARTITION is not set'";

const keepUnit = `[Unit]
Description=Keep the partitions of %i: this kernel cannot read them from the disk
DefaultDependencies=no

[Service]
ExecCondition=/bin/sh -c "${noReader}"
ExecStart=/usr/bin/flock --shared /dev/%i /bin/sleep infinity
`;

const readTable = `#!/bin/sh
${noReader} || exit 0
set -- "$1" /sys/block/"$1"/"$1"p*
[ -e "$2" ] || partx --add "/dev/$1" 2>/dev/null || true
`;

/** The path of the host's first program, which prepares /sys and then executes systemd. */
export const initInside = "/usr/lib/furrow-lab/init";

// systemd-nspawn mounts /sys after all bind mounts, so /sys can only be changed from inside. Afterwards, only two parts
// of it are writable: the empty top directory, and the directories of the host's own devices, because udev writes to
// `uevent` there.
const init = `#!/bin/sh
mount -o remount,rw /sys
for part in /sys/devices/virtual/block /sys/devices/virtual/net; do
  mount --bind $part $part && mount -o remount,rw $part
done
mount --bind ${diskListInside} /sys/block
# systemd ignores udev if this file is missing when systemd starts. Later, udevd replaces the file with its socket.
mkdir -p /run/udev && : > /run/udev/control
exec /lib/systemd/systemd
`;

const disksUnit = `[Unit]
Description=Report to udev the devices that existed before it started
DefaultDependencies=no
Wants=systemd-udevd.service
After=systemd-udevd.service
Before=local-fs-pre.target
Wants=local-fs-pre.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'for device in /sys/devices/virtual/net/* /sys/block/loop* /sys/block/loop*/loop*p*; do [ ! -e "$$device" ] || set -- "$$@" "$$device"; done; udevadm trigger --action=add --settle "$$@"'
`;

/** The files that make udev work in a lab host, for the disks that the lab attaches. */
export const udevFiles: Readonly<Record<string, TreeFile>> = {
  "/usr/lib/furrow-lab/disk-node": { text: nodeScript, mode: "0755" },
  "/usr/lib/furrow-lab/read-table": { text: readTable, mode: "0755" },
  "/etc/udev/rules.d/00-furrow-lab.rules": { text: rules },
  [initInside]: { text: init, mode: "0755" },
  "/etc/systemd/system/furrow-lab-keep@.service": { text: keepUnit },
  "/etc/systemd/system/furrow-lab-devices.service": { text: disksUnit },
  "/etc/systemd/system/sysinit.target.wants/furrow-lab-devices.service": { link: "../furrow-lab-devices.service" },
  // systemd's own unit would request events for all devices on the machine; furrow-lab-devices.service requests events
  // only for the host's own devices.
  "/etc/systemd/system/systemd-udev-trigger.service": { link: "/dev/null" },
  // The lab names network interfaces; host0 keeps its name.
  "/etc/udev/rules.d/80-net-setup-link.rules": { link: "/dev/null" },
};
