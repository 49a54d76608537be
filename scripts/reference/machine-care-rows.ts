import type { CoverageRow } from "./coverage-row.ts";

/** The row about guests that trim their file systems. */
export const trimRows: readonly CoverageRow[] = [
  {
    id: "O7",
    capability: "Guests trim less, on affected releases only; the commands for Windows are printed",
    roles: ["guest-fstrim"],
    playbooks: ["ops/guest-fstrim.ts"],
    tests: {
      "roles/guest-fstrim/role.test.ts": [
        "stay as they are with %s",
        "stay as they are if the version is not a release: the run is refused (%s)",
        "that run Windows or cannot be reached are named, with what to do by hand",
      ],
      "roles/guest-fstrim/role.long.test.ts": [
        "in a cluster with v1.3.0 gets a trim time of its own, as check mode predicted; the package's file stays unchanged",
      ],
      "roles/guest-fstrim/no-discard.host.test.ts": [
        "remounts file systems without discard, as check mode predicted, each only once, whatever their names",
      ],
      "src/drivers/guests/inventory.programs.test.ts": ["are hosts that are reached through their node"],
    },
    missing: "reverting its changes after an upgrade of Harvester",
  },
];

/** The row about nodes that boot over iSCSI. */
export const iscsiRows: readonly CoverageRow[] = [
  {
    id: "O8",
    capability: "iSCSI (iBFT) boot: kernel parameters, once in every boot entry; an upgrade keeps them",
    roles: ["iscsi-boot"],
    playbooks: ["ops/iscsi-boot.ts"],
    tests: {
      "roles/iscsi-boot/role.test.ts": [
        "stay unchanged if they already contain the words, and are changed otherwise",
        "writes the environment exactly once, on a release that reads it, as check mode predicts",
        "changes the entries on an older release, and says that an upgrade undoes the change",
        "leaves a node without iBFT alone, and finds the table in ACPI too",
      ],
      "roles/iscsi-boot/boot-parameters.host.test.ts": [
        "changes grub.cfg on a partition that is mounted read-only, exactly once and as check mode predicted",
        "writes an environment that GRUB's own tool reads",
      ],
    },
    missing: "on releases whose system does not read /oem/grubenv, an upgrade reverts it; booting a node from iSCSI",
  },
];
