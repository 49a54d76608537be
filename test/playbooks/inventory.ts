/** Three nodes on one lab host, the third a witness. The nodes boot with UEFI, as Harvester does from v1.8 on. */
import { inventory } from "furrow";
import { labHosts } from "furrow/lab";
import { labInUse, smallCluster } from "./small-cluster.ts";

const lab = await labInUse();

export default inventory({
  hosts: {},
  sources: [labHosts({ name: lab.name, user: "root" })],
  vars: {
    ...smallCluster(lab, "three", "v1.8.1"),
    nodes: 3,
    witness: true,
    ready: { times: 3, deadlineSeconds: 900 },
    disks: lab.hosts[0]?.disks.map(({ path }) => path) ?? [],
  },
});
