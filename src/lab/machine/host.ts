import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { hostFiles } from "./host-files.ts";
import type { LabHost } from "../lab.ts";
import type { LabNetwork } from "./network.ts";
import { command } from "./shell.ts";
import { writeTree } from "../image/tree.ts";

/**
 * Describes a host without its disks; the result depends only on the lab's directory and the host's name and address.
 */
export function describeHost(labDirectory: string, name: string, address: string): LabHost {
  const directory = join(labDirectory, "hosts", name);
  return {
    name,
    address,
    port: 22,
    user: "root",
    directory,
    rootDir: join(directory, "root"),
    upperDir: join(directory, "upper"),
    disks: [],
    consoleFile: join(directory, "console.log"),
  };
}

/**
 * Mounts the host's own layer over the image and writes the host's identity.
 *
 * @returns the host's line for known_hosts
 */
export async function prepareHost(
  host: LabHost,
  image: string,
  network: LabNetwork,
  nameServers: readonly string[],
  authorizedKey: string,
): Promise<string> {
  const work = join(host.directory, "work");
  for (const directory of [host.rootDir, host.upperDir, work]) await mkdir(directory, { recursive: true });
  // Nothing in a lab survives a crash of the machine, so no write has to wait for the disk (`volatile`). Directories
  // that come from the image can be renamed, as on a real host (`redirect_dir`).
  const options = [`lowerdir=${image}`, `upperdir=${host.upperDir}`, `workdir=${work}`, "redirect_dir=on", "volatile"];
  await command(["mount", "-t", "overlay", "-o", options.join(","), "overlay", host.rootDir]);
  const key = join(host.directory, "host_key");
  await command(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", host.name, "-f", key]);
  const hostKey = { secret: await readFile(key, "utf8"), public: await readFile(`${key}.pub`, "utf8") };
  await writeTree(
    host.rootDir,
    hostFiles({ name: host.name, address: host.address, network, nameServers, authorizedKey, hostKey }),
  );
  return `${host.address} ${hostKey.public.split(" ").slice(0, 2).join(" ")}\n`;
}
