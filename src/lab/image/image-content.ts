import type { AptSources } from "./apt-sources.ts";
import type { ImageKind } from "./image-packages.ts";
import { udevFiles } from "./image-udev.ts";
import type { TreeFile } from "./tree.ts";
import { homeOf, labUsers } from "../machine/users.ts";

/** The files in an image that do not come from packages. */
export function imageFiles(sources: AptSources): Readonly<Record<string, TreeFile>> {
  return {
    "/etc/apt/sources.list": { text: lines(...sources.lines) },
    "/etc/apt/apt.conf.d/10lab": {
      text: lines('Acquire::Retries "3";', 'Acquire::Languages "none";', ...sources.options),
    },
    "/etc/default/locale": { text: lines("LANG=C.UTF-8") },
    "/etc/sudoers.d/lab": { text: lines("admin ALL=(ALL:ALL) NOPASSWD: ALL"), mode: "0440" },
    ...udevFiles,
  };
}

/** The script that `sh -e` runs inside a new image. */
export function imageScript(kind: ImageKind): string {
  const users = labUsers.filter(({ name }) => name !== "root");
  return lines(
    ...users.map(({ name }) => `useradd --create-home --shell /bin/bash ${name}`),
    ...labUsers.map((user) => `install -d -m 0700 -o ${user.name} -g ${user.name} ${homeOf(user)}/.ssh`),
    "usermod --append --groups sudo furrow",
    ...labUsers.map(({ name, password }) => `echo '${name}:${password}' | chpasswd`),
    // Each host gets its own SSH keys and machine id.
    "rm -f /etc/ssh/ssh_host_*",
    ": > /etc/machine-id",
    "systemctl enable systemd-networkd.service",
    // Mask the units that would change a host during a test, or print a login prompt that nobody uses.
    "systemctl mask apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer fstrim.timer dpkg-db-backup.timer",
    "systemctl mask console-getty.service getty@tty1.service systemd-networkd-wait-online.service systemd-timesyncd.service",
    ...(kind === "libvirt" ? ["systemctl disable nginx.service"] : []),
    // mmdebstrap leaves its own apt options in this file, including a proxy that is no longer running.
    "rm -f /etc/apt/apt.conf.d/99mmdebstrap",
    "rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin",
  );
}

function lines(...all: readonly string[]): string {
  return `${all.join("\n")}\n`;
}
