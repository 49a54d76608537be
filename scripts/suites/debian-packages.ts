import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { labPackages } from "../../src/lab/requirements.ts";

/** What the suites need beside git, Node and npm on a bare Debian 12, by suite. */
export const debianPackages = {
  // netbase: /etc/services, by which OpenSSH knows a port's name; bsdextrautils: hexdump.
  unit: "openssh-client busybox mksh curl netcat-openbsd iproute2 openssl netbase xxd bsdextrautils shellcheck".split(
    " ",
  ),
  host: [
    ..."openssh-server sudo doas cron procps strace fish tcsh nftables mmdebstrap".split(" "),
    // What download and unarchive use on a host, and what makes archives for them.
    ..."curl wget bzip2 xz-utils zstd zip unzip python3".split(" "),
    // What makes the certificates of a stand-in node, there and here.
    "openssl",
    // What makes file systems, tables and volumes for the disk task to refuse or to make.
    ..."acl busybox fdisk gdisk xfsprogs btrfs-progs dosfstools exfatprogs f2fs-tools ntfs-3g jfsutils nilfs-tools".split(
      " ",
    ),
    ..."udftools lvm2 cryptsetup-bin bcache-tools squashfs-tools erofs-utils genisoimage".split(" "),
  ],
  // What the lab needs, and what its tests watch it with. The lab would install it itself, but not beside tests of hosts:
  // packages bring users, and a test compares /etc/passwd.
  lab: [...labPackages, "strace"],
  // Whose inventories are read as it reads them.
  long: ["ansible-core"],
} as const;

/** True where apt can install what is missing. */
export function isDebian(): boolean {
  return existsSync("/etc/debian_version") && existsSync("/usr/bin/apt-get");
}

/** Those of the packages that dpkg does not know as installed; all of them where there is no dpkg. */
export function missingPackages(names: readonly string[]): string[] {
  const { stdout } = spawnSync("dpkg-query", ["--show", "--showformat", "${Package} ${db:Status-Status}\n", ...names], {
    encoding: "utf8",
  });
  const installed = new Set((stdout ?? "").split("\n"));
  return names.filter((name) => !installed.has(`${name} installed`));
}

/** Installs packages; the only thing on this machine that the suites change for good. Throws where apt fails. */
export function installPackages(names: readonly string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  // Nothing of what is installed is to start here: the suites start their own daemons.
  const install = ["install", "--yes", "--quiet", "--no-install-recommends", ...names];
  for (const args of [["update", "--quiet"], install]) {
    const { status, stderr } = spawnSync("apt-get", args, {
      env,
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe"],
    });
    if (status !== 0) throw new Error(`apt-get ${args[0] ?? ""} failed: ${stderr}`);
  }
}
