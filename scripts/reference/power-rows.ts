import type { CoverageRow } from "./coverage-row.ts";

/** The rows of shutdown and restart, in order. */
export const powerRows: readonly CoverageRow[] = [
  {
    id: "O1",
    capability: "A cluster is shut down: an etcd snapshot first, then the nodes in order",
    roles: ["power"],
    playbooks: ["harvester-shutdown.ts"],
    tests: {
      "roles/power/snapshot.programs.test.ts": [
        "is taken once, on the first management node, before any node is shut down",
      ],
      "roles/power/power.programs.test.ts": [
        "switches nodes off, the last first, and keeps a disk that the inventory does not list",
      ],
      "roles/power/obstacles.programs.test.ts": [
        "leaves the third on, says how far it has come and how to go on or back",
        "is finished by a rerun",
      ],
      "test/deploy/power-obstacles.deploy-torture.test.ts": [
        "changes nothing while $name",
        "says that the node does not react; a rerun finishes once it does",
        "a shutdown whose host cannot be reached any more is finished by a rerun",
      ],
    },
    missing: "guests, add-ons and workloads are not shut down by furrow: it refuses a cluster that uses them",
  },
  {
    id: "O2",
    capability: "A cluster is started in the recorded order",
    roles: ["power"],
    playbooks: ["harvester-restart.ts"],
    tests: {
      "roles/power/power.programs.test.ts": [
        "starts the nodes in reverse order, clears its marker and keeps a disk that the inventory does not list",
      ],
      "roles/power/obstacles.programs.test.ts": [
        "%s stays under maintenance and names it; a rerun finishes it",
        "does not end if another cluster answers at its address once the nodes are on",
      ],
      "test/deploy/power-obstacles.deploy-torture.test.ts": [
        "keeps the maintenance while the node's network does not work; a rerun ends it",
        "a restart does not end while another cluster has the address; a rerun does",
      ],
    },
    missing: "replicas, machines and add-ons as they were",
  },
];
