/**
 * A rack for the lab, with three virtual machines without an operating system: one with UEFI that boots over TFTP, one
 * with UEFI that boots over HTTP, and one with a BIOS. FURROW_LAB_NAME names the lab, whose only host serves the rack;
 * FURROW_ARTIFACTS is the URL of the artifacts.
 */
import { inventory } from "furrow";
import { labHosts } from "furrow/lab";
import { labInUse, smallCluster } from "../playbooks/small-cluster.ts";
import { machines, rackVersion } from "./machines.ts";

const lab = await labInUse();
const { version, token, password, sshAuthorizedKeys, artifacts } = smallCluster(lab, "rack", rackVersion);

export default inventory({
  hosts: {},
  sources: [labHosts({ name: lab.name, user: "root" })],
  vars: {
    version,
    token,
    password,
    sshAuthorizedKeys,
    artifacts,
    name: "rack",
    server: "10.9.0.1",
    network: "10.9.0.0/24",
    router: "10.9.0.1",
    dns: ["10.9.0.1"],
    vip: "10.9.0.120",
    skipChecks: true,
    nodes: machines.map(({ name, mac, address, firmware }) => ({ name, mac, address, firmware, device: "/dev/vda" })),
  },
});
