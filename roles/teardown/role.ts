import { role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { airGapTable } from "../air-gap/role.ts";
import { documentRoot, tftpRoot } from "../cluster/cluster.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { clusterNodes } from "../cluster/nodes.ts";
import {
  maintenanceMarker,
  memoryFolder,
  powerOrder,
  rebuiltMarker,
  removedMarker,
  shutdownChecked,
  snapshotRecord,
} from "../cluster/places.ts";
import { exposedPorts, exposureUnit, filterTable } from "../exposure/role.ts";
import { suseFilterUnit } from "../host-packages/suse.ts";
import { nothingHere, tracesOfCluster } from "../identity/cluster-here.ts";
import { forgetKubeconfig } from "../identity/forget-kubeconfig.ts";
import { imagesOf, ownImagesOf } from "../identity/role.ts";
import { deletableImages } from "../identity/deletable-images.ts";
import { kubeconfigPath } from "../kubeconfig/path.ts";
import { guestFirewallGone } from "../vm-network/guest-firewall.ts";
import { watchdog } from "../watchdog/role.ts";
import { noForeignFiles } from "./foreign-files.ts";
import { lostMemory } from "./lost-memory.ts";
import { nodesNotServed } from "./web-server.ts";

/**
 * Removes a cluster from its host. Keeps the data disks and, unless requested otherwise, the nodes' disk images; with
 * the images it also keeps the record of the cluster that they belong to.
 */
export const teardown = role(
  {
    name: "teardown",
    summary: "Remove the cluster from the host; its data stays unless you ask to remove it",
    params: z.strictObject({ cluster: z.custom<Cluster>(), removeDisks: z.boolean(), publicAddress: z.string() }),
  },
  ({ cluster, removeDisks, publicAddress }) => [
    nothingHere(tracesOfCluster(cluster)),
    ownImagesOf(cluster, "accept"),
    removeDisks && deletableImages({ images: imagesOf(cluster) }),
    lostMemory({ names: clusterNodes(cluster).map(({ name }) => name) }),
    [documentRoot, tftpRoot].map((path) => noForeignFiles({ path })),
    // The watchdog is removed first, because it would start nodes that are being removed.
    watchdog({ cluster: { ...cluster, watchdog: false } }),
    (cluster.exposure === false ? [] : cluster.exposure.ports).map((port) => [
      t.service({ name: exposureUnit(port), state: "stopped", enabled: false }),
      t.file({ path: `/etc/systemd/system/${exposureUnit(port)}`, state: "absent" }),
    ]),
    // A disk that a user has attached is kept.
    clusterNodes(cluster).map(({ name }) =>
      t.libvirtDomain({ name, state: "absent", force: true, removeDisks: removeDisks && filesOf(cluster, name) }),
    ),
    // An earlier run may have removed the machines and kept their images.
    removeDisks && imagesOf(cluster).map(({ file }) => t.file({ path: file, state: "absent" })),
    t.libvirtNet({ name: cluster.network.name, state: "absent" }),
    cluster.openFirewall && [
      guestFirewallGone(),
      exposedPorts(cluster).length > 0 &&
        t.firewalld({ ports: exposedPorts(cluster), state: "absent", optional: true }),
    ],
    t.file({ path: "/etc/systemd/system/nginx.service.d/furrow.conf", state: "absent" }),
    t.service({ name: "nginx", state: "stopped", enabled: false }),
    nodesNotServed({ root: documentRoot }),
    t.file({ path: documentRoot, state: "absent", recursive: true }),
    t.file({ path: tftpRoot, state: "absent", recursive: true }),
    t.nftables({ table: filterTable, state: "absent" }),
    t.nftables({ table: airGapTable, state: "absent" }),
    t.service({ name: suseFilterUnit, enabled: false }),
    t.file({ path: `/etc/systemd/system/${suseFilterUnit}.service`, state: "absent" }),
    cluster.kubeconfig !== false &&
      forgetKubeconfig({
        kubeconfig: kubeconfigPath(cluster),
        nodes: clusterNodes(cluster).map(({ name }) => name),
        publicAddress,
      }),
    removeDisks
      ? t.file({ path: memoryFolder, state: "absent", recursive: true })
      : runMarkers(cluster).map((path) => t.file({ path, state: "absent" })),
    t.file({ path: maintenanceMarker, state: "absent" }),
  ],
);

function filesOf(cluster: Cluster, name: string): string[] {
  return imagesOf(cluster).flatMap(({ node, file }) => (node === name ? file : []));
}

/** Returns the files that day-two playbooks leave for their next run. */
function runMarkers(cluster: Cluster): string[] {
  const ofNodes = clusterNodes(cluster).flatMap(({ name }) => [removedMarker(name), rebuiltMarker(name)]);
  return [powerOrder, shutdownChecked, snapshotRecord, ...ofNodes];
}
