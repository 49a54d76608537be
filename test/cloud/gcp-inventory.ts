/**
 * A machine that provision-gcp has made at the fake, which is a host of the lab FURROW_LAB_NAME. Its keys are known from
 * its guest attributes alone; only its disks are called as the lab calls them. FURROW_ARTIFACTS is where boot artifacts
 * are served.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { generated, inventory } from "furrow";
import { gceInventory } from "furrow/cloud";
import { readLab } from "furrow/lab";

const artifacts = process.env["FURROW_ARTIFACTS"] ?? "";
const version = "v1.7.1";
const lab = await readLab(process.env["FURROW_LAB_NAME"] ?? "");
if (lab === undefined) throw new Error("there is no lab");
const folder = dirname(lab.identityFile);

export default inventory({
  hosts: {},
  sources: [
    gceInventory({
      filter: 'labels.made-by = "furrow"',
      groupBy: ["region"],
      user: ({ labels }) => labels["login"],
      vars: ({ disks }) => ({ disks: disks.map((_, at) => lab.hosts[0]?.disks[at]?.path) }),
    }),
  ],
  identityFile: lab.identityFile,
  knownHostsFile: join(folder, "nobody-wrote-this"),
  vars: {
    version,
    size: { processors: 1, memoryMiB: 256, diskGiB: 1 },
    emulation: "software",
    firmware: "bios",
    ready: { times: 3, deadlineSeconds: 600 },
    kubeconfig: { to: join(folder, "kubeconfig.yaml") },
    token: generated("cloud/token"),
    password: generated("cloud/password"),
    sshAuthorizedKeys: [readFileSync(`${lab.identityFile}.pub`, "utf8").trim()],
    artifacts: {
      kernel: { url: `${artifacts}/harvester-${version}-vmlinuz-amd64` },
      initrd: { url: `${artifacts}/harvester-${version}-initrd-amd64` },
      rootfs: { url: `${artifacts}/harvester-${version}-rootfs-amd64.squashfs` },
      iso: { url: `${artifacts}/harvester-${version}-amd64.iso` },
      checksums: `${artifacts}/sha512`,
    },
  },
});
