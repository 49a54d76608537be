/**
 * Why a playbook of playbooks/gitops or playbooks/ops has no row: it changes nothing, so a kill leaves nothing behind.
 */
export const unkilled: Readonly<Record<string, string>> = {
  "gitops/doctor": "reads only: test/kube/reports/reports.kube.test.ts compares its requests with get and list",
  "gitops/rebuild": "reads only: test/kube/reports/reports.kube.test.ts compares its requests with get and list",
  "gitops/vlans": "reads only, the cluster and its nodes: roles/vm-networks/bridge-vlans.ts has no steps",
  "ops/external-ceph-nodes": "reads only, the nodes: roles/external-ceph/node.ts has no steps",
  "ops/guest-fstrim": "asks the cluster only: roles/guest-fstrim has no step that calls its API",
  "ops/iscsi-boot": "asks the nodes only, and no cluster: roles/iscsi-boot",
  "ops/longhorn-doctor": "reads only: test/kube/reports/reports.kube.test.ts compares its requests with get and list",
  "ops/resources": "reads only: test/kube/reports/reports.kube.test.ts compares its requests with get and list",
};
