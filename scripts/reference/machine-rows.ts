import type { CoverageRow } from "./coverage-row.ts";

/** The role and the playbook that manage virtual machines. */
export const machines = { roles: ["virtual-machines"], playbooks: ["gitops/vms.ts"] };

/** The tests of virtual machines and storage on a real API server. */
export const othersOnServer = "test/kube/storage-and-vms.kube.test.ts";

/** The rows about virtual machines. */
export const machineRows: readonly CoverageRow[] = [
  {
    id: "G7",
    capability: "Virtual machines with volumes from images, networks, MAC addresses and cloud-init",
    ...machines,
    tests: {
      [othersOnServer]: [
        "are created from their images and run; a second run changes nothing; no output shows their secrets",
      ],
    },
  },
  {
    id: "G8",
    capability: "Machines with a GPU, Windows machines, machines that cannot migrate",
    ...machines,
    tests: {
      [othersOnServer]: [
        "are refused, and nothing changes, while the add-on is off, or the device is missing or not claimed",
        "are created on that node; the run says that they cannot be live-migrated; a second run changes nothing",
        "are refused, and nothing changes, if another machine has the device",
      ],
      "roles/virtual-machines/devices.test.ts": [
        "are refused if another device in the same IOMMU group is not listed, because Harvester would add it automatically",
        "are in the definition with their node, and Windows gets the settings of Harvester's template",
        "gives KubeVirt's and Harvester's reasons for other machines, and says what is not known yet",
      ],
    },
    missing: "claims of devices, USB devices and virtual GPUs; a TPM that keeps its state",
  },
  {
    id: "G9",
    capability: "Machines of other owners are never changed",
    ...machines,
    tests: { [othersOnServer]: ["that belong to another owner are refused, and nothing changes"] },
  },
];
