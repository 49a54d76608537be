import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { generated } from "furrow";
import { type Lab, readLab } from "furrow/lab";

/** The lab that FURROW_LAB_NAME names; the tests deploy to its host. Throws if the lab does not exist. */
export async function labInUse(): Promise<Lab> {
  const name = process.env["FURROW_LAB_NAME"] ?? "";
  const lab = await readLab(name);
  if (lab === undefined) throw new Error(`there is no lab ${name}`);
  return lab;
}

/**
 * Vars for a cluster whose nodes are small enough for software emulation on a lab host and accept the lab's key for
 * logins. FURROW_ARTIFACTS is the URL of the boot artifacts.
 *
 * @param secrets the label under which its token and password are stored
 */
export function smallCluster({ identityFile }: Pick<Lab, "identityFile">, secrets: string, version: string) {
  const artifacts = `${process.env["FURROW_ARTIFACTS"] ?? ""}/harvester-${version}`;
  return {
    version,
    size: { processors: 1, memoryMiB: 256, diskGiB: 1 },
    emulation: "software",
    kubeconfig: { to: join(dirname(identityFile), "kubeconfig.yaml") },
    token: generated(`${secrets}/token`),
    password: generated(`${secrets}/password`),
    sshAuthorizedKeys: [readFileSync(`${identityFile}.pub`, "utf8").trim()],
    artifacts: {
      kernel: { url: `${artifacts}-vmlinuz-amd64` },
      initrd: { url: `${artifacts}-initrd-amd64` },
      rootfs: { url: `${artifacts}-rootfs-amd64.squashfs` },
      iso: { url: `${artifacts}-amd64.iso` },
      checksums: `${process.env["FURROW_ARTIFACTS"] ?? ""}/sha512`,
    },
  };
}
