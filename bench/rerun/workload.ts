/**
 * The objects that the rerun benchmark maintains on each host: 50 of them, listed once for furrow's playbook and for
 * the floor.
 */

/** Packages that every Debian lab host has, so a rerun does not have to install any. */
export const packages = ["cron", "openssh-server", "sudo", "parted", "procps"] as const;

/** Paths of the directories. */
export const directories = Array.from({ length: 5 }, (_, index) => `/srv/bench/dir-${index}`);

/** Files with their content, about 1 KiB each. */
export const files = Array.from({ length: 25 }, (_, index) => ({
  path: `/srv/bench/dir-${index % 5}/file-${index}.conf`,
  content: `# file ${index}\n${`setting-${index} = value\n`.repeat(40)}`,
}));

/** systemd units that run on every lab host. */
export const units = ["cron", "ssh", "dbus", "systemd-journald", "systemd-logind"] as const;

/** Jobs in root's crontab. */
export const jobs = Array.from({ length: 10 }, (_, index) => ({
  name: `bench-${index}`,
  schedule: `${index} 4 * * *`,
  command: `/bin/true ${index}`,
}));
