/**
 * The inventory that makes a page's cluster small enough for a lab host. It is read after the page's own inventory, and
 * changes no hosts, disks, logins or secrets.
 */
import { homedir } from "node:os";
import { join } from "node:path";
import { inventory } from "furrow";
import { smallCluster } from "../../playbooks/small-cluster.ts";

const cluster = smallCluster({ identityFile: join(homedir(), ".ssh/id_ed25519") }, "unused", "v1.7.1");
const { version, size, emulation, artifacts } = cluster;

export default inventory({
  hosts: {},
  vars: { version, size, emulation, artifacts, firmware: "bios", ready: { times: 3, deadlineSeconds: 600 } },
});
