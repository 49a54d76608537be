const topLevel =
  "bin boot dev etc home lib lib32 lib64 libx32 lost+found media mnt opt proc root run sbin srv sys tmp usr var";
const below = [
  "/boot/efi /boot/grub /boot/grub2 /etc/pam.d /etc/security /etc/ssh /etc/systemd /etc/systemd/system",
  "/usr/bin /usr/lib /usr/lib32 /usr/lib64 /usr/libexec /usr/libx32 /usr/local /usr/sbin /usr/share",
  "/lib/systemd /lib/systemd/system /usr/lib/systemd /usr/lib/systemd/system /usr/lib/pam.d",
  "/var/cache /var/lib /var/lib/dpkg /var/lib/rpm /var/lib/systemd /var/local /var/log /var/opt /var/spool /var/tmp",
];

const protectedPaths = new Set([
  "/",
  ...topLevel.split(" ").map((name) => `/${name}`),
  ...below.flatMap((line) => line.split(" ")),
]);

/** Paths where the kernel and udev show something other than data. The shared memory below /dev counts as data. */
const shownByKernel = /^\/(proc|sys|dev(?!\/(shm|mqueue)\/))\//;

/** Debian's library directory for one architecture: `/usr/lib/x86_64-linux-gnu`. */
const librariesOfArchitecture = /^(\/usr)?\/lib\/[^/]+-linux-[^/]+$/;

/**
 * True for a directory that every host needs, such as `/`, `/etc`, `/home` or `/usr/lib`, and for everything below
 * /proc, /sys and /dev. No task removes or empties such a directory. The removal kind checks on the host which files
 * the running init and shell use.
 */
export function isProtected(path: string): boolean {
  return protectedPaths.has(path) || shownByKernel.test(path) || librariesOfArchitecture.test(path);
}
