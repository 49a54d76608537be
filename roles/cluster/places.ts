/** The directory on the host in which the day-two playbooks keep state between runs. */
export const memoryFolder = "/etc/furrow-harvester";

/** The marker file for maintenance: while it exists, the watchdog does not start any node. */
export const maintenanceMarker = "/etc/furrow-maintenance";

/**
 * Returns the path of a marker file that exists from the removal of the old node with this name until the new node is
 * part of the cluster.
 */
export function removedMarker(name: string): string {
  return `${memoryFolder}/${name}.removed`;
}

/**
 * Returns the path of a marker file that exists once a node has been reinstalled: from then on the node always joins,
 * even if it was the first one.
 */
export function rebuiltMarker(name: string): string {
  return `${memoryFolder}/${name}.rebuilt`;
}

/** The file with the names of the nodes, one per line, in the order in which they were shut down. */
export const powerOrder = `${memoryFolder}/power-order`;

/** The file that records when an unfinished shutdown checked that nothing was running on the cluster. */
export const shutdownChecked = `${memoryFolder}/shutdown-checked`;

/**
 * The file that names the etcd snapshot of an unfinished shutdown, and the node that it is on. It is written before the
 * snapshot is taken.
 */
export const snapshotRecord = `${memoryFolder}/etcd-snapshot`;

/**
 * The file with the prefix of the cluster whose disk images are on this host. It is written before the first image, and
 * stays as long as the images do.
 */
export const ownerRecord = `${memoryFolder}/cluster`;

/** Returns the path of the file that says how a node was installed, and which cluster it is in. */
export function fingerprintPath(name: string): string {
  return `${memoryFolder}/${name}.fingerprint`;
}
