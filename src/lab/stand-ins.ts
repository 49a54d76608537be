import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { FurrowError } from "../core/errors.ts";
import { cpioArchive, type CpioEntry } from "./cpio.ts";
import { labStateDir } from "./places.ts";
import type { OnProgress } from "./progress.ts";
import { fulfilRequirements } from "./requirements.ts";
import { command } from "./shell.ts";

/** Drivers a nested node needs to reach its network, in the order in which they are loaded. */
const modules = [
  "virtio_ring",
  "virtio",
  "virtio_pci_legacy_dev",
  "virtio_pci_modern_dev",
  "virtio_pci",
  "failover",
  "net_failover",
  "virtio_net",
];

/** What stands in for a node's installer: it fetches the configuration its kernel arguments name, and says so. */
const init = `#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /etc
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t devtmpfs dev /dev
exec >/dev/console 2>&1 </dev/console
for module in ${modules.join(" ")}; do [ ! -e /lib/$module.ko ] || insmod /lib/$module.ko; done
ip link set eth0 up
udhcpc -i eth0 -n -q -t 10 -s /lease
url=$(tr ' ' '\\n' </proc/cmdline | sed -n 's/^harvester.install.config_url=//p')
for try in 1 2 3 4 5; do wget -q -O /etc/config "$url" && break; sleep 2; done
name=$(sed -n 's/.*"hostname": *"\\([^"]*\\)".*/\\1/p' /etc/config)
mode=$(sed -n 's/.*"mode": *"\\([a-z]*\\)".*/\\1/p' /etc/config | head -n 1)
[ -n "$name" ] && echo "stand-in: $name ($mode) has its configuration from $url" || echo "no configuration from $url"
while :; do sleep 3600; done
`;

/** What udhcpc calls with a lease (busybox's udhcpc/simple.script has the variables). */
const lease = `#!/bin/busybox sh
[ "$1" = bound ] || [ "$1" = renew ] || exit 0
ip addr add "$ip/$mask" dev "$interface"
[ -z "$router" ] || ip route add default via "$router"
`;

/** Names of the stand-ins, beside the list of their SHA-512 digests, \`sha512\`. */
export type StandInNames = Readonly<Record<"kernel" | "initrd" | "rootfs" | "iso", string>>;

/**
 * Makes small stand-ins for a Harvester release's boot artifacts: Debian's cloud kernel, an initramfs of busybox that
 * fetches the node's configuration, and two text files in place of root file system and ISO. Built once and kept.
 *
 * @returns the folder that holds them under the given names
 * @throws FurrowError E_LAB when the packages cannot be fetched
 */
export async function standIns(names: StandInNames, onProgress: OnProgress = () => undefined): Promise<string> {
  const base = join(labStateDir(), "stand-ins");
  if (!existsSync(join(base, "done"))) await build(base, onProgress);
  const folder = await mkdtemp(join(base, "named-"));
  const list: string[] = [];
  for (const part of ["kernel", "initrd", "rootfs", "iso"] as const) {
    await copyFile(join(base, part), join(folder, names[part]));
    list.push(
      `${createHash("sha512")
        .update(await readFile(join(base, part)))
        .digest("hex")}  ${names[part]}`,
    );
  }
  await writeFile(join(folder, "sha512"), `${list.join("\n")}\n`);
  return folder;
}

async function build(base: string, onProgress: OnProgress): Promise<void> {
  onProgress("fetching a kernel and busybox for the stand-ins");
  await fulfilRequirements(onProgress);
  await rm(base, { recursive: true, force: true });
  const work = join(base, "work");
  await mkdir(work, { recursive: true });
  const root = join(work, "root");
  for (const name of [await kernelPackage(), "busybox-static"]) {
    await command(["sh", "-c", 'cd "$1" && apt-get download -q "$2"', "sh", work, name]);
  }
  for (const file of await readdir(work)) {
    if (file.endsWith(".deb")) await command(["dpkg-deb", "-x", join(work, file), root]);
  }
  await rename(await find(join(root, "boot"), /^vmlinuz/), join(base, "kernel"));
  await writeFile(join(base, "initrd"), await initramfs(root));
  await writeFile(join(base, "rootfs"), "stands in for a root file system\n");
  await writeFile(join(base, "iso"), "stands in for an ISO image\n");
  await rm(work, { recursive: true });
  await writeFile(join(base, "done"), "");
}

/** The package behind the metapackage of Debian's smallest kernel. */
async function kernelPackage(): Promise<string> {
  const { stdout } = await command(["apt-cache", "depends", "linux-image-cloud-amd64"]);
  const name = /Depends: (linux-image-\S+)/.exec(stdout)?.[1];
  if (name !== undefined) return name;
  throw new FurrowError("E_LAB", {
    what: "the package index knows no kernel package linux-image-cloud-amd64",
    hint: "Run `apt-get update` and try again",
  });
}

async function find(folder: string, pattern: RegExp): Promise<string> {
  const name = (await readdir(folder)).find((entry) => pattern.test(entry));
  if (name !== undefined) return join(folder, name);
  throw new FurrowError("E_LAB", { what: `${folder} has no file like ${pattern.source}` });
}

async function initramfs(root: string): Promise<Buffer> {
  const found = await command(["find", root, "-name", "*.ko", "-path", "*/modules/*"]);
  const byName = new Map(found.stdout.split("\n").map((path) => [/([^/]+)\.ko$/.exec(path)?.[1] ?? "", path]));
  const entries: CpioEntry[] = [
    ...["bin", "lib", "dev"].map((path) => ({ path, mode: 0o040755 })),
    { path: "dev/console", mode: 0o020600, device: [5, 1] },
    { path: "bin/busybox", mode: 0o100755, data: await readFile(await find(join(root, "bin"), /^busybox$/)) },
    { path: "init", mode: 0o100755, data: Buffer.from(init) },
    { path: "lease", mode: 0o100755, data: Buffer.from(lease) },
  ];
  for (const name of modules) {
    const path = byName.get(name);
    if (path !== undefined) entries.push({ path: `lib/${name}.ko`, mode: 0o100644, data: await readFile(path) });
  }
  return gzipSync(cpioArchive(entries));
}
