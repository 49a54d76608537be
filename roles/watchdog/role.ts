import { type Node, role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { clusterNodes } from "../cluster/cluster.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { maintenanceMarker } from "../cluster/places.ts";

const script = "/usr/local/sbin/furrow-node-watchdog";
const jobName = "harvester node watchdog";

/** Starts nodes that have gone down; checks every two minutes, unless the host is under maintenance. */
export const watchdog = role(
  {
    name: "watchdog",
    summary: "Start nodes that went down, and report paused ones, unless a maintenance marker exists",
    params: z.strictObject({ cluster: z.custom<Cluster>() }),
  },
  ({ cluster }) => [
    cluster.watchdog
      ? watchdogTasks(cluster)
      : [t.cron({ name: jobName, state: "absent" }), t.file({ path: script, state: "absent" })],
  ],
);

function watchdogTasks(cluster: Cluster): readonly Node[] {
  return [
    t.file({
      path: script,
      content: watchdogScript(clusterNodes(cluster).map(({ name }) => name)),
      mode: "0755",
      owner: "root",
    }),
    t.cron({
      name: jobName,
      schedule: "*/2 * * * *",
      command: `${script} 2>&1 | logger -t node-watchdog`,
    }),
  ];
}

/**
 * Returns the watchdog's script. It prints nothing if all nodes are running. While the marker exists, nodes that were
 * stopped on purpose stay stopped.
 */
export function watchdogScript(names: readonly string[]): string {
  return `#!/bin/sh
# Starts nested nodes of this host that are down. "touch ${maintenanceMarker}" pauses it, "rm ${maintenanceMarker}" resumes it.
[ ! -e ${maintenanceMarker} ] || exit 0
for node in ${names.join(" ")}; do
  state=$(LC_ALL=C virsh domstate "$node" 2>/dev/null) || { echo "$node is not defined"; continue; }
  case $state in
    running) ;;
    "shut off") echo "$node is $state: starting it"; virsh start "$node" ;;
    # libvirt keeps a crashed machine, and can start it only after it was destroyed.
    crashed) echo "$node is $state: starting it again"; virsh destroy "$node" && virsh start "$node" ;;
    *) echo "$node is $state: check it" ;;
  esac
done
`;
}
