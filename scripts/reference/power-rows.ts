import type { CoverageRow } from "./coverage-row.ts";

/** The rows about shutdown and restart, in order. */
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
        "leaves the third node on, and says how far the shutdown got and how to continue or reverse it",
        "is finished by a rerun",
      ],
      "test/deploy/power-obstacles.deploy-torture.test.ts": [
        "changes nothing while $name",
        "says that the node does not react; a rerun finishes once the node reacts",
        "a shutdown whose host can no longer be reached is finished by a rerun",
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
        "%s stays under maintenance, and the error names the cause; a rerun finishes the restart",
        "does not end if another cluster answers at its address once the nodes are on",
      ],
      "test/deploy/power-obstacles.deploy-torture.test.ts": [
        "leaves the cluster in maintenance while the node's network does not work; a rerun ends the maintenance",
        "a restart fails while another cluster has the address; a rerun finishes the restart",
      ],
    },
    missing: "restoring the previous state of replicas, machines and add-ons",
  },
];

/** The row about bare-metal nodes. */
export const metalRows: readonly CoverageRow[] = [
  {
    id: "N10",
    capability:
      "Nodes are switched off in order, by IPMI or Redfish if configured; for the hypervisor (ESXi), the run only says what to do",
    roles: ["power"],
    playbooks: ["power-off.ts"],
    tests: {
      "roles/power/metal.programs.test.ts": [
        "are switched off from the last to the first, each as configured",
        "stay on if %s, in check mode and in a run",
        "%s switches no machine off, in check mode and in a run",
        "is refused, with and without force, and stays as it is (%s)",
        "continues with a cluster that no longer answers because of this shutdown",
        "the report says that the hypervisor is out of reach, and what the operator must do",
      ],
      "roles/power/metal.lab.test.ts": [
        "nodes with a controller are switched off in order, exactly once, as check mode predicted; with a guest running, all stay on",
        "a node without a controller shuts down through its own system, after the task has ended",
      ],
      "src/drivers/power/ipmi.programs.test.ts": [
        "is switched off exactly once, as check mode predicted; the password appears in no argument or output",
      ],
      "src/drivers/power/redfish.programs.test.ts": ["is checked before the password is sent"],
    },
    missing:
      "an etcd snapshot beforehand; a run with the controllers of physical machines; whether a node without a controller has lost power",
  },
];
