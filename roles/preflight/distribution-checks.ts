import type { HostFacts, Node } from "../../src/authoring.ts";
import { bootProgramName, clusterNodes, tftpRoot } from "../cluster/cluster.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { exposedPorts } from "../exposure/role.ts";
import { familyOf } from "../host-packages/families.ts";
import { guestPorts } from "../vm-network/guest-firewall.ts";
import { firewallOpen } from "./firewall-open.ts";
import { packageFiles } from "./package-files.ts";
import { profilesAllow } from "./profiles-allow.ts";

/** Returns the checks that depend on how a distribution is set up: its packages, its confinement and its firewall. */
export function distributionChecks(cluster: Cluster, facts: HostFacts): readonly Node[] {
  const files = Object.entries(familyOf(facts).files).map(([path, name]) => ({ path, package: name }));
  const boots = {
    profile: "usr.sbin.dnsmasq",
    path: `${tftpRoot}/${bootProgramName}`,
    folder: tftpRoot,
  };
  const images = clusterNodes(cluster)
    .flatMap((node) => [node, ...node.extraDisks])
    .map(({ mountPoint }) => ({
      profile: "usr.lib.libvirt.virt-aa-helper",
      path: `${mountPoint}/harvester-data.qcow2`,
      folder: mountPoint,
    }));
  const zones = [
    { zone: "libvirt", ports: guestPorts(cluster), who: "the nodes" },
    { zone: "", ports: exposedPorts(cluster), who: "the cluster's users" },
  ];
  return [
    firewallOpen({ zones, opened: cluster.openFirewall }),
    packageFiles({ files }),
    profilesAllow({ reads: [...(cluster.firmware === "uefi" ? [boots] : []), ...images] }),
  ];
}
