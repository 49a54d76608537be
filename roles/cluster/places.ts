/** Folder of the host for what the day-two playbooks must remember between two runs. */
export const memoryFolder = "/etc/furrow-harvester";

/** While this is there, the watchdog starts nothing. */
export const maintenanceMarker = "/etc/furrow-maintenance";

/** There once the old node of this name is removed and the new one is not part of the cluster yet. */
export function removedMarker(name: string): string {
  return `${memoryFolder}/${name}.removed`;
}

/** There once a node was installed a second time: it joins ever after, also if it was the first. */
export function rebuiltMarker(name: string): string {
  return `${memoryFolder}/${name}.rebuilt`;
}

/** Names of the nodes, one a line, in the order in which they were switched off. */
export const powerOrder = `${memoryFolder}/power-order`;
