import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { labPackages } from "../../src/lab/requirements.ts";

/** The packages that the suites need on a bare Debian 12 besides git, Node and npm, keyed by suite. */
export const debianPackages = {
  // netbase: /etc/services, in which OpenSSH looks up port names; bsdextrautils: hexdump.
  unit: [
    ..."openssh-client busybox mksh curl netcat-openbsd iproute2 openssl netbase xxd bsdextrautils shellcheck".split(
      " ",
    ),
    // ipmitool, and ipmi_sim, which simulates a machine's management controller.
    ..."ipmitool openipmi".split(" "),
  ],
  host: [
    ..."openssh-server sudo doas cron procps strace fish tcsh nftables mmdebstrap".split(" "),
    // Programs that the `download` and `unarchive` tasks use on a host, and tools that create archives for their tests.
    ..."curl wget bzip2 xz-utils zstd zip unzip python3".split(" "),
    // chrony: chronyd; grub-common: grub-editenv.
    ..."chrony grub-common".split(" "),
    // Tools that create the certificates of a stand-in node, both inside it and on this machine.
    "openssl",
    // Tools that create the file systems, partition tables and volumes that the disk task must refuse or create.
    ..."acl busybox fdisk gdisk xfsprogs btrfs-progs dosfstools exfatprogs f2fs-tools ntfs-3g jfsutils nilfs-tools".split(
      " ",
    ),
    ..."udftools lvm2 cryptsetup-bin bcache-tools squashfs-tools erofs-utils genisoimage".split(" "),
  ],
  // Packages that the lab needs, and tools that its tests use to observe it. The lab would install its packages itself,
  // but not while host tests run: packages add users, and a test compares /etc/passwd.
  lab: [...labPackages, "strace"],
  // mmdebstrap creates the root in which the API server is built, openssl creates the server's certificates, and
  // kubectl reads objects independently of furrow.
  kube: ["mmdebstrap", "openssl", "kubernetes-client"],
  // Ansible, because furrow must read Ansible inventories the same way.
  long: ["ansible-core"],
} as const;

/** True if apt can install missing packages. */
export function isDebian(): boolean {
  return existsSync("/etc/debian_version") && existsSync("/usr/bin/apt-get");
}

/** Programs that a machine may have from another package, which apt would refuse to overwrite. */
const fromElsewhere: Readonly<Record<string, string>> = { "kubernetes-client": "/usr/bin/kubectl" };

/**
 * The packages that dpkg does not list as installed and whose program is missing; all of them if dpkg does not exist.
 */
export function missingPackages(names: readonly string[]): string[] {
  const { stdout } = spawnSync("dpkg-query", ["--show", "--showformat", "${Package} ${db:Status-Status}\n", ...names], {
    encoding: "utf8",
  });
  const installed = new Set((stdout ?? "").split("\n"));
  return names.filter((name) => !installed.has(`${name} installed`) && !existsSync(fromElsewhere[name] ?? ""));
}

/** Installs packages, which is the only permanent change that the suites make to this machine. Throws if apt fails. */
export function installPackages(names: readonly string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  // Installed services must not start, because the suites start their own daemons.
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
