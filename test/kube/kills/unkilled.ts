/**
 * Why a playbook in playbooks/gitops or playbooks/ops has no row: it changes nothing, so a kill leaves nothing behind.
 */
export const unkilled: Readonly<Record<string, string>> = {
  "gitops/doctor": "only reads: test/kube/reports/reports.kube.test.ts checks that it sends only get and list requests",
  "gitops/rebuild":
    "only reads: test/kube/reports/reports.kube.test.ts checks that it sends only get and list requests",
  "gitops/vlans": "only reads from the cluster and its nodes: roles/vm-networks/bridge-vlans.ts has no steps",
  "ops/external-ceph-nodes": "only reads from the nodes: roles/external-ceph/node.ts has no steps",
  "ops/guest-fstrim": "only queries the cluster: roles/guest-fstrim has no step that calls its API",
  "ops/iscsi-boot": "only queries the nodes, and no cluster: roles/iscsi-boot",
  "ops/longhorn-doctor":
    "only reads: test/kube/reports/reports.kube.test.ts checks that it sends only get and list requests",
  "ops/resources": "only reads: test/kube/reports/reports.kube.test.ts checks that it sends only get and list requests",
};
