/** Directory on the host for state that the day-two playbooks keep between runs. */
export const memoryFolder = "/etc/furrow-harvester";

/** While this file exists, the watchdog starts nothing. */
export const maintenanceMarker = "/etc/furrow-maintenance";

/** Exists after the old node of this name was removed and before the new one is part of the cluster. */
export function removedMarker(name: string): string {
  return `${memoryFolder}/${name}.removed`;
}

/** Exists once a node was reinstalled: from then on it always joins, even if it was the first node. */
export function rebuiltMarker(name: string): string {
  return `${memoryFolder}/${name}.rebuilt`;
}

/** Names of the nodes, one per line, in the order in which they were switched off. */
export const powerOrder = `${memoryFolder}/power-order`;
