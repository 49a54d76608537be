/** The two kinds of image: Debian as in a cloud image, and the same with libvirt and QEMU installed. */
export type ImageKind = "plain" | "libvirt";

/**
 * The packages, except Python, that Debian's own cloud images contain and that a task or a person at a shell may expect
 * to find.
 */
const plain: readonly string[] = [
  ..."systemd systemd-sysv systemd-timesyncd udev dbus libpam-systemd openssh-server sudo cron ca-certificates curl".split(
    " ",
  ),
  ..."iproute2 iputils-ping netbase nftables parted gdisk fdisk util-linux e2fsprogs dosfstools kmod procps psmisc".split(
    " ",
  ),
  ..."less nano apt-utils gnupg lsb-release xz-utils bzip2 file strace".split(" "),
];

/**
 * The packages that a host needs to run nested virtual machines under software emulation and to boot them over the
 * network.
 */
const libvirt: readonly string[] =
  "libvirt-daemon-system libvirt-clients virtinst qemu-system-x86 qemu-utils ovmf ipxe-qemu dnsmasq-base nginx-light".split(
    " ",
  );

/** The packages in an image, in addition to Debian's essential ones. */
export function imagePackages(kind: ImageKind): readonly string[] {
  return kind === "plain" ? plain : [...plain, ...libvirt];
}
