/**
 * The inventory of a machine that was provisioned on a fake cloud: FURROW_CLOUD is `aws` or `gcp`. The machine is
 * really the host of the lab that FURROW_LAB_NAME names. Its host keys come only from the cloud. Its disks keep the
 * names that they have in the lab, and each cloud uses different disks. FURROW_ARTIFACTS is the URL of the boot
 * artifacts.
 */
import { dirname, join } from "node:path";
import { inventory } from "furrow";
import { ec2Inventory, gceInventory } from "furrow/cloud";
import { labInUse, smallCluster } from "../playbooks/small-cluster.ts";

const lab = await labInUse();
const folder = dirname(lab.identityFile);
const cloud = process.env["FURROW_CLOUD"] === "gcp" ? "gcp" : "aws";
const diskOf = (at: number): string | undefined => lab.hosts[0]?.disks[at]?.path;

const sources = {
  aws: ec2Inventory({
    regions: ["eu-test-1"],
    filters: { "tag:furrow": "*" },
    groupBy: ({ tags }) => `cluster-${tags["prefix"]}`,
    user: ({ tags }) => tags["login"],
    vars: ({ disks }) => ({ disks: disks.map((_, at) => diskOf(at)) }),
  }),
  gcp: gceInventory({
    filter: 'labels.made-by = "furrow"',
    groupBy: ["region"],
    user: ({ labels }) => labels["login"],
    vars: ({ disks }) => ({ disks: disks.map((_, at) => diskOf(at + 1)) }),
  }),
};

export default inventory({
  hosts: {},
  sources: [sources[cloud]],
  identityFile: lab.identityFile,
  knownHostsFile: join(folder, "nobody-wrote-this"),
  vars: {
    ...smallCluster(lab, "cloud", "v1.7.1"),
    firmware: "bios",
    ready: { times: 3, deadlineSeconds: 600 },
    kubeconfig: { to: join(folder, `${cloud}.yaml`) },
  },
});
