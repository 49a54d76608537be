import type { TreeFile } from "./tree.ts";

/*
 * A container has no devtmpfs of its own, and udevd does not start where /sys is read-only. But block events of the
 * kernel reach every network namespace, so udevd does work in a host once it is told to start; all that is missing is
 * the device node, which the kernel makes on a real machine and the rule below makes here. The rest (by-id, by-uuid,
 * by-partuuid, `udevadm settle`, what lsblk shows) is then Debian's own udev at work.
 *
 * Events of all block devices of the machine arrive. A device is the host's own if it is listed in /sys/block, over
 * which the lab lays a directory with just the host's disks.
 */

/** Where a host finds the list of its own disks: the machine's directory is bound here. */
export const diskListInside = "/run/lab-disks";

const nodeScript = `#!/bin/sh
# Called by udev for every block device: NAME MAJOR MINOR. Makes the node of the host's own disks and partitions and
# prints the disk's serial; fails for the disks of others.
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
 * Some kernels are built without any reader of partition tables: partitions exist only as long as a program has told
 * the kernel of each (parted does), and an order to read the table again (sfdisk gives it, and udevd after every write)
 * removes them all. On such a kernel a shared lock on the disk keeps udevd from giving that order (systemd.io,
 * BLOCK_DEVICE_LOCKING), and after others gave it partx reads the table in the kernel's stead.
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

const startsAnyway = "[Unit]\nConditionPathIsReadWrite=\n";

// nspawn mounts /sys last, over any bind of ours, and read-only; udevd writes to `uevent` when a node was written to.
const sysUnit = `[Unit]
Description=Let the host see its own disks only
DefaultDependencies=no
Before=systemd-udevd-kernel.socket systemd-udevd-control.socket systemd-udevd.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -e -c 'block=/sys/devices/virtual/block; mount --bind $$block $$block; mount -o remount,rw $$block; mount --bind ${diskListInside} /sys/block'
`;

const disksUnit = `[Unit]
Description=Nodes and links of the lab's disks
DefaultDependencies=no
Requires=furrow-lab-sys.service
Wants=systemd-udevd.service
After=furrow-lab-sys.service systemd-udevd.service
Before=local-fs-pre.target
Wants=local-fs-pre.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'for device in /sys/block/loop* /sys/block/loop*/loop*p*; do [ ! -e "$$device" ] || udevadm trigger --action=add "$$device"; done; udevadm settle'
`;

/** The files that make udev work in a lab host, for the disks the lab gives it. */
export const udevFiles: Readonly<Record<string, TreeFile>> = {
  "/usr/lib/furrow-lab/disk-node": { text: nodeScript, mode: "0755" },
  "/usr/lib/furrow-lab/read-table": { text: readTable, mode: "0755" },
  "/etc/udev/rules.d/00-furrow-lab.rules": { text: rules },
  "/etc/systemd/system/furrow-lab-sys.service": { text: sysUnit },
  "/etc/systemd/system/furrow-lab-keep@.service": { text: keepUnit },
  "/etc/systemd/system/furrow-lab-disks.service": { text: disksUnit },
  "/etc/systemd/system/sysinit.target.wants/furrow-lab-disks.service": { link: "../furrow-lab-disks.service" },
  ...Object.fromEntries(
    ["systemd-udevd.service", "systemd-udevd-kernel.socket", "systemd-udevd-control.socket"].map((unit) => [
      `/etc/systemd/system/${unit}.d/lab.conf`,
      { text: startsAnyway },
    ]),
  ),
  // Names of network interfaces are the lab's matter; host0 keeps its own.
  "/etc/udev/rules.d/80-net-setup-link.rules": { link: "/dev/null" },
};
