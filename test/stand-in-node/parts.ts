import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { withAptCache } from "../../src/lab/image/apt-cache-start.ts";
import { aptSources, labRelease } from "../../src/lab/image/apt-sources.ts";
import { command } from "../../src/lab/machine/shell.ts";

/** The Debian packages that a stand-in is built from; mmdebstrap adds their dependencies. */
export const standInPackages: readonly string[] = [
  // The node: kernel, small tools, SSH, sudo, TLS, and the runtime of its programs.
  ..."linux-image-cloud-amd64 busybox-static dropbear-bin sudo openssl e2fsprogs python3.11-minimal libpython3.11-stdlib python3-yaml".split(
    " ",
  ),
  // The node's disk: boot loaders for BIOS and UEFI, and tools that fill a FAT file system without mounting it.
  ..."syslinux syslinux-common systemd-boot-efi mtools".split(" "),
];

/** Runs a command in new namespaces, so that everything that the command starts ends with it. */
const apart: readonly string[] = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"];

/** Unpacks the packages into `folder` without configuring or starting any of them. */
export async function unpackParts(folder: string, stateDir: string): Promise<void> {
  const sources = await aptSources();
  const options = ['Acquire::Retries "3"', ...sources.options.map((line) => line.replace(/;$/, ""))];
  await withAptCache(stateDir, sources, (proxy) =>
    command([
      ...apart,
      "mmdebstrap",
      "--mode=root",
      "--variant=extract",
      `--include=${standInPackages.join(",")}`,
      ...[...options, `Acquire::http::Proxy "${proxy}"`].map((option) => `--aptopt=${option}`),
      labRelease,
      folder,
      ...sources.lines,
    ]),
  );
}

/** Runs a program from the unpacked packages, with the packages' libraries and a separate /proc. */
export async function inParts(parts: string, argv: readonly string[]): Promise<string> {
  await mkdir(join(parts, "proc"), { recursive: true });
  const enter = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"';
  return (await command([...apart, "sh", "-c", enter, parts, ...argv])).stdout;
}

/** The path on this machine of a file from an unpacked package. */
export function partOf(parts: string, path: string): string {
  return join(parts, path);
}
