const topLevel =
  "bin boot dev etc home lib lib32 lib64 libx32 lost+found media mnt opt proc root run sbin srv sys tmp usr var";
const below = [
  "/boot/efi /boot/grub /boot/grub2 /etc/ssh /etc/systemd /etc/systemd/system",
  "/usr/bin /usr/lib /usr/lib32 /usr/lib64 /usr/libexec /usr/libx32 /usr/local /usr/sbin /usr/share",
  "/var/cache /var/lib /var/lib/dpkg /var/lib/rpm /var/local /var/log /var/opt /var/spool /var/tmp",
];

const protectedPaths = new Set([
  "/",
  ...topLevel.split(" ").map((name) => `/${name}`),
  ...below.flatMap((line) => line.split(" ")),
]);

/** True for a directory that no host can do without: `/`, `/etc`, `/home`, `/usr/lib` … Nothing removes or empties it. */
export function isProtected(path: string): boolean {
  return protectedPaths.has(path);
}
