import { role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { documentRoot } from "../cluster/cluster.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { formerExposure, formerWatchdog, noFiles } from "./left.ts";

/**
 * Removes what the shell scripts in rancher/harvester-cloud left behind and furrow replaces with its own versions: one
 * unit for both ports, a watchdog in root's crontab, and world-readable boot scripts and configurations that contain
 * tokens. Does not touch disks, the network or virtual machines: their own roles adopt them.
 */
export const originalScripts = role(
  {
    name: "original scripts",
    summary: "Remove leftovers of the original shell scripts that furrow replaces with its own",
    params: z.strictObject({ cluster: z.custom<Cluster>() }),
  },
  ({ cluster }) => [
    cluster.exposure !== false && t.service({ name: formerExposure, state: "stopped", enabled: false }),
    t.cron({ name: "watchdog of the original scripts", state: "absent", replaces: formerWatchdog }),
    noFiles({ paths: [...(cluster.exposure === false ? [] : [`/etc/systemd/system/${formerExposure}`]), ...files] }),
  ],
);

/**
 * The files of the original scripts, which supported up to five nodes. The first node creates the cluster, and the
 * second node's file has no number in its name.
 */
const files = [
  formerWatchdog,
  ...["default.ipxe", "vlan1.xml", "create_cloud_config.yaml", "join_cloud_config.yaml"].map(
    (name) => `${documentRoot}/${name}`,
  ),
  ...[2, 3, 4].map((number) => `${documentRoot}/join_cloud_config_${number}.yaml`),
];
