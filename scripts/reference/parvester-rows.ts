import type { CoverageRow } from "./coverage-row.ts";

const lab = "test/parvester/parvester.long.test.ts";
const rke2 = "roles/rke2/role.test.ts";
const stack = "roles/kubevirt-stack/role.test.ts";
const vms = "roles/local-vms/role.test.ts";
const hosts = "roles/vm-hosts/role.test.ts";
const playbooks = ["parvester.ts"];
const made = "is created, from nothing to a machine that accepts a login";
const simulated = "RKE2 itself: the tests use a stand-in for it";

/** The rows about a cluster on ordinary hosts. */
export const parvesterRows: readonly CoverageRow[] = [
  {
    id: "P1",
    capability: "A pinned release of RKE2, from a tarball with a checksum, or from a mirror",
    roles: ["rke2"],
    playbooks,
    tests: { [lab]: [made], [rke2]: ["is fetched from RKE2's releases, or from the mirror"] },
    missing: simulated,
  },
  {
    id: "P2",
    capability:
      "The first server, then the others one by one, then agents; no file with a secret is readable by others",
    roles: ["rke2"],
    playbooks: ["parvester.ts", "parvester-add-node.ts"],
    tests: {
      [lab]: [
        made,
        "does not change in a second run",
        "refuses a different token, and an upgrade with a host that has not joined it",
        "gets an agent; a second run changes nothing",
        "a cluster of one host is created after another one was destroyed there; a second run changes nothing",
      ],
      [rke2]: [
        "of a server: the token is in a separate file, the kubeconfig has mode 0600, and Multus is the first CNI",
      ],
      "test/parvester/kills.long.test.ts": [
        "a killed deployment on three empty hosts is finished by the next run, as if it had not been killed",
      ],
    },
    missing: simulated,
  },
  {
    id: "P3",
    capability: "A host must be able to run machines, or a reason must be given; it must have the bridge",
    roles: ["vm-hosts"],
    playbooks,
    tests: {
      [hosts]: ["the refusal says which check fails and why; a note gives the reason why a failure is excused"],
      [lab]: ["is refused before anything changes if a host lacks the bridge"],
    },
  },
  {
    id: "P4",
    capability: "KubeVirt, with a wait until it is available; virtctl",
    roles: ["kubevirt-stack"],
    playbooks,
    tests: { [lab]: [made] },
    missing: "the operator itself: the tests use a stand-in for it",
  },
  {
    id: "P5",
    capability: "Storage in directories on the nodes; CDI, with a wait until it is available",
    roles: ["kubevirt-stack"],
    playbooks,
    tests: { [lab]: [made, "does not change in a second run"] },
    missing: "the operator itself: the tests use a stand-in for it",
  },
  {
    id: "P6",
    capability: "Multus from RKE2 or from a manifest, never both",
    roles: ["kubevirt-stack"],
    playbooks,
    tests: { [stack]: ["comes from RKE2 or from the manifest, never from both"] },
  },
  {
    id: "P7",
    capability:
      "A bridge on every host, in its own network configuration; a change that cuts the connection is reverted automatically",
    roles: ["vm-hosts"],
    playbooks,
    tests: {
      [hosts]: ["%s"],
      "tasks/network-interface/network-interface.long.test.ts": [
        "$what: the host answers again, unchanged",
        "with the controller killed: the host answers again, unchanged",
        "stays after the deadline and after a reboot",
      ],
    },
    missing: "tests of wicked on a host; for bonds and VLANs, only the files are tested",
  },
  {
    id: "P8",
    capability: "Networks for machines, images by URL or digest, empty volumes",
    roles: ["local-vms"],
    playbooks,
    tests: {
      [lab]: [made],
      [vms]: [
        "is a volume that is filled immediately and not deleted afterwards",
        "that exists is never replaced by a different one",
      ],
    },
    missing: "images from a file on the controller, through CDI's upload proxy",
  },
  {
    id: "P9",
    capability: "Machines with cloud-init, a static address and no plain-text password; furrow checks the login",
    roles: ["local-vms"],
    playbooks,
    tests: {
      [lab]: [made, "has a machine whose cloud-init contains its key, its address and no password"],
      [vms]: ["lets the user in with a key or a password hash, and nobody over SSH with a password"],
    },
    missing: "the machine itself: another lab host stands in for it",
  },
  {
    id: "P10",
    capability: "The run says that machines cannot migrate; status, upgrade by version, destroy",
    roles: ["parvester", "rke2"],
    playbooks: ["parvester-status.ts", "parvester-upgrade.ts", "parvester-destroy.ts"],
    tests: {
      [lab]: [
        "is shown by parvester-status, which changes nothing",
        "is upgraded by version, and refuses a downgrade",
        "is destroyed only if its machine may be lost; a second run changes nothing",
      ],
      "roles/parvester/role.test.ts": ["a run ends by saying where the machines are, and that they cannot migrate"],
    },
  },
];
