/** Three nodes on one lab host, the third a witness, as Harvester is from v1.8 on: by UEFI. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { generated, inventory } from "furrow";
import { labHosts, readLab } from "furrow/lab";

const name = process.env["FURROW_LAB_NAME"] ?? "";
const artifacts = process.env["FURROW_ARTIFACTS"] ?? "";
const version = "v1.8.1";
const lab = await readLab(name);
if (lab === undefined) throw new Error(`there is no lab ${name}`);

export default inventory({
  hosts: {},
  sources: [labHosts({ name, user: "root" })],
  vars: {
    version,
    nodes: 3,
    witness: true,
    size: { processors: 1, memoryMiB: 256, diskGiB: 1 },
    emulation: "software",
    ready: { times: 3, deadlineSeconds: 900 },
    kubeconfig: { to: join(dirname(lab.identityFile), "kubeconfig.yaml") },
    disks: lab.hosts[0]?.disks.map(({ path }) => path) ?? [],
    token: generated("three/token"),
    password: generated("three/password"),
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
