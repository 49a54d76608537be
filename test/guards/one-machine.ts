import { machinesFit } from "../../roles/virtual-machines/machines-fit.ts";
import { answersOf, soundCluster } from "./examples.ts";
import { vmNetworkOf } from "./network-examples.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";

/** A machine as the vars describe it. */
export const wish = {
  name: "default/cp-2",
  networks: ["default/platform"],
  macs: ["52:54:00:30:00:02"],
  disks: [],
  run: "RerunOnFailure",
};
/** Explains `machinesFit` for one machine in a cluster with these machines and claims. */
export const fit = (
  machine: typeof wish,
  machines: object[],
  {
    claims = [],
    acceptVolumes = [],
    force = false,
  }: { claims?: object[]; acceptVolumes?: string[]; force?: boolean } = {},
): Explanation => {
  const rules = { acceptVolumes, force, volumesBy: "Harvester" as const };
  return explain(machinesFit({ kubeconfig: "k", machines: [machine], classes: [], ...rules }), {
    ...answersOf({ ...soundCluster, machines, claims, vmNetworks }),
    classes: [],
  });
};
const vmNetworks = [vmNetworkOf("platform", "vm", 30)];
