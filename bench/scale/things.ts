import { packages, units } from "../rerun/workload.ts";

const installed = [
  ...packages,
  ...(
    "adduser apt base-files base-passwd bash bsdutils bzip2 ca-certificates coreutils curl dash dbus " +
    "debconf debianutils diffutils dpkg e2fsprogs fdisk file findutils gdisk gnupg gpg grep " +
    "gzip hostname iproute2 kmod less login mawk mount nano netbase nftables openssl " +
    "passwd perl-base psmisc sed strace systemd tar tzdata udev"
  ).split(" "),
];

const active = [
  ...units,
  ...(
    "systemd-networkd systemd-udevd systemd-sysctl systemd-sysusers systemd-modules-load " +
    "systemd-network-generator systemd-remount-fs systemd-tmpfiles-setup systemd-tmpfiles-setup-dev systemd-update-utmp " +
    "systemd-user-sessions systemd-journal-flush dbus.socket systemd-initctl.socket systemd-journald-dev-log.socket " +
    "systemd-journald.socket systemd-networkd.socket systemd-udevd-control.socket systemd-udevd-kernel.socket systemd-ask-password-console.path " +
    "systemd-ask-password-wall.path basic.target cryptsetup.target getty.target graphical.target " +
    "integritysetup.target local-fs-pre.target local-fs.target multi-user.target network-pre.target " +
    "network.target paths.target remote-fs.target slices.target sockets.target " +
    "swap.target sysinit.target timers.target veritysetup.target systemd-tmpfiles-clean.timer " +
    "system.slice user.slice init.scope -.slice -.mount"
  ).split(" "),
];

/** Fifty objects of the same kinds as in the rerun benchmark. */
export interface Fifty {
  readonly packages: readonly string[];
  readonly directories: readonly string[];
  readonly files: readonly { readonly path: string; readonly content: string }[];
  readonly units: readonly string[];
  readonly jobs: readonly { readonly name: string; readonly schedule: string; readonly command: string }[];
}

/**
 * Ten groups of fifty objects. The packages and units are those that every lab host has; everything else is different
 * in each group.
 */
export const groups: readonly Fifty[] = Array.from({ length: 10 }, (_, group) => ({
  packages: installed.slice(group * 5, group * 5 + 5),
  directories: range(5).map((index) => `/srv/bench-scale/${group}/dir-${index}`),
  files: range(25).map((index) => ({
    path: `/srv/bench-scale/${group}/dir-${index % 5}/file-${index}.conf`,
    content: `# file ${index} of ${group}\n${`setting-${index} = value\n`.repeat(40)}`,
  })),
  units: active.slice(group * 5, group * 5 + 5),
  jobs: range(10).map((index) => ({
    name: `bench-scale-${group}-${index}`,
    schedule: `${index} ${group} * * *`,
    command: `/bin/true ${group} ${index}`,
  })),
}));

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}
