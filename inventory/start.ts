/**
 * The inventory for `npm start`: one lab host instead of a cloud VM, with a node small enough for software emulation,
 * and with stand-ins for the boot artifacts, which are served at the URL in FURROW_ARTIFACTS.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { generated, inventory } from "furrow";
import { labHosts, readLab } from "furrow/lab";

const name = process.env["FURROW_LAB_NAME"] ?? "start";
const artifacts = process.env["FURROW_ARTIFACTS"] ?? "http://127.0.0.1:8080";
const version = "v1.7.1";
const lab = await readLab(name);

/**
 * The file of digests that `npm start` writes for checks that run after its server has ended. Each line is `DIGEST
 * FILE`.
 */
const digests = lab === undefined ? "" : join(dirname(lab.identityFile), "sha512");
const known =
  process.env["FURROW_ARTIFACTS"] === undefined && existsSync(digests)
    ? new Map(
        readFileSync(digests, "utf8")
          .split("\n")
          .map((line) => [line.slice(130), `sha512:${line.slice(0, 128)}`]),
      )
    : undefined;

function artifact(file: string): { readonly url: string; readonly checksum?: string | undefined } {
  return { url: `${artifacts}/${file}`, ...(known && { checksum: known.get(file) }) };
}

export default inventory({
  hosts: {},
  sources: [labHosts({ name, user: "root" })],
  vars: {
    version,
    size: { processors: 1, memoryMiB: 256, diskGiB: 1 },
    emulation: "software",
    // BIOS boots faster under emulation; Harvester supports it up to v1.7.
    firmware: "bios",
    ready: { times: 3, deadlineSeconds: 600 },
    kubeconfig: {
      to: lab === undefined ? "./start-kubeconfig.yaml" : join(dirname(lab.identityFile), "kubeconfig.yaml"),
    },
    disks: lab?.hosts[0]?.disks.map(({ path }) => path) ?? [],
    token: generated("start/token"),
    password: generated("start/password"),
    // The SSH key for the lab's hosts also gives access to the nodes.
    sshAuthorizedKeys: lab === undefined ? [] : [readFileSync(`${lab.identityFile}.pub`, "utf8").trim()],
    artifacts: {
      kernel: artifact(`harvester-${version}-vmlinuz-amd64`),
      initrd: artifact(`harvester-${version}-initrd-amd64`),
      rootfs: artifact(`harvester-${version}-rootfs-amd64.squashfs`),
      iso: artifact(`harvester-${version}-amd64.iso`),
      ...(known === undefined && { checksums: `${artifacts}/sha512` }),
    },
  },
});
