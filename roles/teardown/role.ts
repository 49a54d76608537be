import { role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { airGapTable } from "../air-gap/role.ts";
import { documentRoot } from "../cluster/cluster.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { clusterNodes } from "../cluster/nodes.ts";
import { maintenanceMarker, memoryFolder } from "../cluster/places.ts";
import { exposureUnit, filterTable } from "../exposure/role.ts";
import { suseFilterUnit } from "../host-packages/suse.ts";
import { watchdog } from "../watchdog/role.ts";

/** Removes a cluster from its host. Keeps the data disks and, unless requested otherwise, the nodes' disk images. */
export const teardown = role(
  {
    name: "teardown",
    summary: "Remove the cluster from the host; its data stays unless you ask to remove it",
    params: z.strictObject({ cluster: z.custom<Cluster>(), removeDisks: z.boolean() }),
  },
  ({ cluster, removeDisks }) => [
    // The watchdog is removed first, because it would start nodes that are being removed.
    watchdog({ cluster: { ...cluster, watchdog: false } }),
    (cluster.exposure === false ? [] : cluster.exposure.ports).map((port) => [
      t.service({ name: exposureUnit(port), state: "stopped", enabled: false }),
      t.file({ path: `/etc/systemd/system/${exposureUnit(port)}`, state: "absent" }),
    ]),
    clusterNodes(cluster).map(({ name }) => t.libvirtDomain({ name, state: "absent", force: true, removeDisks })),
    t.libvirtNet({ name: cluster.network.name, state: "absent" }),
    t.service({ name: "nginx", state: "stopped", enabled: false }),
    t.file({ path: documentRoot, state: "absent", recursive: true }),
    t.nftables({ table: filterTable, state: "absent" }),
    t.nftables({ table: airGapTable, state: "absent" }),
    t.service({ name: suseFilterUnit, enabled: false }),
    t.file({ path: `/etc/systemd/system/${suseFilterUnit}.service`, state: "absent" }),
    t.file({ path: memoryFolder, state: "absent", recursive: true }),
    t.file({ path: maintenanceMarker, state: "absent" }),
  ],
);
