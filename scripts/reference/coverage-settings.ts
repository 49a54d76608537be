import type { CoverageRow } from "./coverage-row.ts";

const certificates = { roles: ["certificates", "cluster-settings"], playbooks: ["ops/certificates.ts"] };
const argoOnServer = "test/kube/settings/argo.kube.test.ts";
const settingsOnServer = "test/kube/settings/cluster-settings.kube.test.ts";

/** The rows about Argo CD. */
export const argoRows: readonly CoverageRow[] = [
  {
    id: "G1",
    capability: "The cluster is registered with Argo CD, with a token that is renewed",
    roles: ["argo-cluster"],
    playbooks: ["gitops/register.ts"],
    tests: {
      [argoOnServer]: [
        "is registered: check mode says what the run will do, and a second run changes nothing",
        "gets a new token before the old one expires, and whenever the cluster does not accept the old one",
        "is refused, and nothing changes, if the certificate of the API is not for the URL",
      ],
    },
    missing: "a client certificate instead of a token",
  },
  {
    id: "G2",
    capability: "Applications of the cluster in Argo CD: synced and healthy, or the reason why they are not",
    roles: ["argo-apps"],
    playbooks: ["gitops/apps.ts"],
    tests: {
      [argoOnServer]: [
        "are created, and waited for until they are synced and healthy; a second run changes nothing",
        "that cannot be compared fail with Argo CD's own reason, and converge when its cause is fixed",
        "that belong to other owners are refused, and nothing changes",
        "of a set whose clusterLabels change, or that is adopted, are not deleted along with everything that they deployed",
        "of a set are not deleted when a label is removed from the file of gitops/register",
      ],
    },
  },
];

/** The row about Harvester's pages. */
export const pagesRows: readonly CoverageRow[] = [
  {
    id: "G14",
    capability: "Name and certificate of the Harvester UI",
    roles: ["ui-certificate", "cluster-settings"],
    playbooks: ["gitops/ui.ts"],
    tests: {
      [settingsOnServer]: [
        "is set, and the run waits until the pages show it; a second run changes nothing; no output shows the key",
        "is refused if nodes could no longer join",
      ],
      "roles/ui-certificate/role.test.ts": ["must resolve to the virtual address, or to an address that the vars list"],
    },
    missing: "Rancher's server-url is read and compared, but never changed: the agents on the nodes depend on it",
  },
];

/** The rows about certificates and the token. */
export const certificateRows: readonly CoverageRow[] = [
  {
    id: "O3",
    capability: "Certificates of RKE2, KubeVirt and the ingress",
    ...certificates,
    tests: {
      "test/kube/settings/certificates.kube.test.ts": [
        "without autoRotate, a run only reports the certificates of each node, KubeVirt and the pages",
        "Harvester renews what is due, and the run waits for it; a second run changes nothing",
      ],
    },
    missing: "renewing expired certificates: the run is refused, with the commands for each node",
  },
  {
    id: "O4",
    capability: "Rotation of RKE2's token is refused, with the reason",
    ...certificates,
    tests: { "roles/certificates/role.test.ts": ["refuse a rotation of RKE2's token, with the reason"] },
  },
];

/** The row about the HTTP proxy. */
export const proxyRows: readonly CoverageRow[] = [
  {
    id: "O6",
    capability: "The HTTP proxy, refused if the cluster would use it for its own addresses",
    roles: ["http-proxy", "cluster-settings"],
    playbooks: ["ops/http-proxy.ts"],
    tests: {
      [settingsOnServer]: [
        "is set: check mode says what the run will do, a second run changes nothing, no output shows a password",
        "is refused, and nothing changes, if noProxy lacks addresses of the cluster",
      ],
    },
  },
];

/** The row about Rancher's cloud credentials. */
export const credentialRows: readonly CoverageRow[] = [
  {
    id: "O5",
    capability: "A Rancher cloud credential that has expired is found and replaced",
    roles: ["cloud-credential"],
    playbooks: ["ops/cloud-credential.ts"],
    tests: {
      "test/kube/settings/cloud-credential.kube.test.ts": [
        "a credential that cannot be renewed is refused in check mode and in a run, and nothing changes",
        "expired credentials are renewed, the others are kept, and a second run changes nothing",
      ],
    },
    missing: "retrying machines that failed in the meantime: a note says where to look",
  },
];

/** The row about storage outside the cluster. */
export const cephRows: readonly CoverageRow[] = [
  {
    id: "O12",
    capability: "External Ceph through Rook: operator, keys, classes; csi-driver-config merged, not replaced",
    roles: ["external-ceph"],
    playbooks: ["ops/external-ceph.ts", "ops/external-ceph-nodes.ts"],
    tests: {
      "test/kube/ceph/external-ceph.kube.test.ts": [
        "is connected: check mode says what the run will do, a second run changes nothing, no output shows a key",
        "leaves alone the drivers and fields that others added to the setting",
        "does not overwrite a setting that has changed since it was read",
        "is refused with %s, in check mode and in a run",
        "becomes the default storage class if a var asks for it; a second run changes nothing",
      ],
      "roles/external-ceph/role.test.ts": ["are prepared if the folders are mounts and the modules are loaded"],
    },
    missing: "object storage, RADOS namespaces, metrics of Ceph; the configuration of nodes is checked, not changed",
  },
];
