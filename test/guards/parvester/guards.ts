import { kindDefined, definitionPath } from "../../../roles/kubevirt-stack/kind-defined.ts";
import { multusRuns, oneMultus } from "../../../roles/kubevirt-stack/multus.ts";
import { dataVolumePath, imageFits } from "../../../roles/local-vms/image-fits.ts";
import { leavingOutdated, noMachines } from "../../../roles/parvester/no-machines.ts";
import { parvesterStatus } from "../../../roles/parvester/status.ts";
import { clusterWhole } from "../../../roles/rke2/cluster-whole.ts";
import { places } from "../../../roles/rke2/config.ts";
import type { Guard } from "../guard.ts";
import { imageUrl } from "./examples.ts";

const definition = "virtualmachines.kubevirt.io";
const hosts = ["harvester-1", "harvester-2", "harvester-3"];

const data = { type: "directory", mode: "0700", owner: "root", group: "root" };

/** Tasks that query a cluster: those for a cluster on ordinary hosts. */
export const parvesterGuards: readonly Guard[] = [
  {
    name: "clusterWhole",
    module: clusterWhole,
    call: (kubeconfig) => clusterWhole({ kubeconfig, hosts }),
    lists: ["nodes"],
    says: "guard",
  },
  {
    name: "kindDefined",
    module: kindDefined,
    call: (kubeconfig) => kindDefined({ kubeconfig, definition }),
    lists: [],
    object: definitionPath(definition),
    says: "guard",
  },
  {
    name: "oneMultus",
    module: oneMultus,
    call: (kubeconfig) => oneMultus({ kubeconfig, way: "rke2" }),
    lists: ["daemonSets"],
    says: "guard",
  },
  {
    name: "multusRuns",
    module: multusRuns,
    call: (kubeconfig) => multusRuns({ kubeconfig, way: "rke2", deadlineSeconds: 1 }),
    lists: ["daemonSets"],
    says: "wait",
  },
  {
    name: "imageFits",
    module: imageFits,
    call: (kubeconfig) => imageFits({ kubeconfig, namespace: "default", image: "fedora", source: imageUrl }),
    lists: [],
    object: dataVolumePath("default", "fedora"),
    says: "guard",
  },
  {
    name: "noMachines",
    module: noMachines,
    call: (kubeconfig) => noMachines({ kubeconfig, removeMachines: false, removeVolumes: false }),
    lists: ["machines", "instances"],
    allows: { machines: [], instances: [] },
    state: () => ({ "file:/var/lib/rancher/rke2/server/db": data }),
    says: "guard",
  },
  {
    name: "leavingOutdated",
    module: leavingOutdated,
    call: (kubeconfig) => leavingOutdated({ kubeconfig }),
    lists: ["machines", "instances"],
    state: () => ({ [`file:${places.leaving}`]: { type: "file", mode: "0600", owner: "root", group: "root" } }),
    says: "status",
  },
  {
    name: "parvesterStatus",
    module: parvesterStatus,
    call: (kubeconfig) => parvesterStatus({ kubeconfig }),
    lists: ["nodes", "machines", "daemonSets"],
    drivers: { kubeconfig: () => ({ server: "https://10.0.0.1:6443", ca: "a" }) },
    says: "status",
  },
];
