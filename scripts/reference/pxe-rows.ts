import type { CoverageRow } from "./coverage-row.ts";

const rackLab = "test/pxe/rack.long.test.ts";
const notTried = "tests on SUSE and Red Hat hosts";

/** The rows about network boot. */
export const pxeRows: readonly CoverageRow[] = [
  {
    id: "N7",
    capability: "DHCP pools for the VLANs of virtual machines, kept apart from static addresses",
    roles: ["pxe-server"],
    playbooks: ["pxe.ts"],
    tests: {
      "tasks/dhcp-server/dhcp-server.test.ts": [
        "case 79: refuses a pool that contains a static address or the virtual address",
      ],
      "tasks/dhcp-server/dhcp-server.long.test.ts": [
        "gives unknown clients an address from a pool, but nothing to boot, and no route if there is no router",
      ],
      "roles/pxe-server/role.programs.test.ts": ["is refused if a pool contains a host of the inventory"],
    },
    missing: "the server needs an interface in each VLAN: there is no relay",
  },
  {
    id: "N8",
    capability:
      "A PXE server for a rack: DHCP or proxy-DHCP, TFTP, HTTP, UEFI and BIOS, a configuration for each MAC address",
    roles: ["pxe-server", "pxe-status"],
    playbooks: ["pxe.ts", "pxe-status.ts"],
    tests: {
      [rackLab]: [
        "a second DHCP server is found and named, and nothing is served",
        "nobody but nginx can read the passwords, and each node gets only its own configuration",
        "machines that boot with UEFI over TFTP, with UEFI over HTTP, or with a BIOS each install their own configuration and join; an unknown machine gets nothing",
      ],
      "roles/pxe-server/rack.test.ts": [
        "with BIOS firmware from v1.8 on, and the error says why; earlier versions accept it",
        "with Secure Boot, and the error says why",
      ],
    },
    missing: notTried,
  },
  {
    id: "N9",
    capability:
      "Configurations for nodes with static addresses, and a management network with a bond, a VLAN and an MTU",
    roles: ["pxe-server"],
    playbooks: ["pxe.ts"],
    tests: {
      "roles/pxe-server/rack.test.ts": [
        "case 77: with the bond mode balance-oxr, listing the valid modes",
        "case 78: with static addresses and no name servers",
      ],
      "roles/pxe-server/role.programs.test.ts": [
        "has the bond, VLAN and MTU of all nodes, but the node's own settings take precedence",
      ],
    },
    missing: "tests of bonds and VLANs on real switches",
  },
];
