import { settingPath } from "../../roles/cluster-answers/one-object.ts";
import { doctorLists } from "../../roles/cluster-doctor/diagnosis.ts";
import { metricNames } from "../../roles/cluster-doctor/metrics.ts";
import { clusterFindings, clusterHealthy } from "../../roles/cluster-doctor/role.ts";
import { longhornHealthy, longhornLists, longhornReport } from "../../roles/longhorn-doctor/role.ts";
import { lossLists } from "../../roles/node-removal/loss.ts";
import { definedLists, definitionsThere } from "../../roles/rebuild/definitions.ts";
import { lostNodes, resetSetting } from "../../roles/rebuild/lost-nodes.ts";
import { newestSnapshot, quorumHeld } from "../../roles/rebuild/quorum.ts";
import { machineResources } from "../../roles/resources/machines.ts";
import { nodeResources } from "../../roles/resources/nodes.ts";
import { overcommitment, overcommitSetting } from "../../roles/resources/overcommit.ts";
import { spareNodes } from "../../roles/resources/spare-nodes.ts";
import { storageResources } from "../../roles/resources/storage.ts";
import { nodeVlans } from "../../roles/vm-networks/bridge-vlans.ts";
import type { Guard } from "./guard.ts";

/** Tasks that query a cluster: those of the reports. */
export const reportGuards: readonly Guard[] = [
  {
    name: "nodeResources",
    module: nodeResources,
    call: (kubeconfig) => nodeResources({ kubeconfig }),
    lists: ["nodes", "pods"],
    says: "report",
  },
  {
    name: "machineResources",
    module: machineResources,
    call: (kubeconfig) => machineResources({ kubeconfig }),
    lists: ["machines", "instances"],
    says: "report",
  },
  {
    name: "storageResources",
    module: storageResources,
    call: (kubeconfig) => storageResources({ kubeconfig }),
    lists: ["longhornNodes", "longhornSettings"],
    says: "report",
  },
  {
    name: "overcommitment",
    module: overcommitment,
    call: (kubeconfig) => overcommitment({ kubeconfig }),
    lists: ["nodes", "pods", "longhornSettings"],
    object: settingPath(overcommitSetting),
    says: "report",
  },
  {
    name: "spareNodes",
    module: spareNodes,
    call: (kubeconfig) => spareNodes({ kubeconfig }),
    lists: [...lossLists, "backingImages", "images", "pods"],
    says: "report",
  },
  {
    name: "longhornReport",
    module: longhornReport,
    call: (kubeconfig) => longhornReport({ kubeconfig }),
    lists: longhornLists,
    says: "report",
  },
  {
    name: "longhornHealthy",
    module: longhornHealthy,
    call: (kubeconfig) => longhornHealthy({ kubeconfig }),
    lists: longhornLists,
    says: "verdict",
  },
  {
    name: "clusterFindings",
    module: clusterFindings,
    call: (kubeconfig) => clusterFindings({ kubeconfig }),
    lists: doctorLists,
    says: "report",
  },
  {
    name: "clusterHealthy",
    module: clusterHealthy,
    call: (kubeconfig) => clusterHealthy({ kubeconfig }),
    lists: doctorLists,
    says: "verdict",
  },
  {
    name: "metricNames",
    module: metricNames,
    call: (kubeconfig) => metricNames({ kubeconfig, metrics: ["up"] }),
    lists: ["addons"],
    says: "report",
  },
  {
    name: "nodeVlans",
    module: nodeVlans,
    call: (kubeconfig) => nodeVlans({ kubeconfig }),
    lists: ["nodes", "vmNetworks", "networkStatuses"],
    says: "report",
    state: () => ({ "bridgeVlans:host": {}, "host:self": { hostname: "harvester-1" } }),
  },
  {
    name: "newestSnapshot",
    module: newestSnapshot,
    call: (kubeconfig) => newestSnapshot({ kubeconfig }),
    lists: ["nodes", "etcdSnapshots"],
    says: "status",
  },
  {
    name: "quorumHeld",
    module: quorumHeld,
    call: (kubeconfig) => quorumHeld({ kubeconfig }),
    lists: ["nodes"],
    says: "guard",
  },
  {
    name: "lostNodes",
    module: lostNodes,
    call: (kubeconfig) => lostNodes({ kubeconfig }),
    lists: [...lossLists, "backingImages", "images"],
    object: settingPath(resetSetting),
    says: "report",
  },
  {
    name: "definitionsThere",
    module: definitionsThere,
    call: (kubeconfig) => definitionsThere({ kubeconfig, defined: [] }),
    lists: definedLists,
    says: "report",
  },
];
