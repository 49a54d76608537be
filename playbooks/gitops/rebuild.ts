/**
 * Shows what to do after a Harvester cluster has lost a node or its quorum, and changes nothing. If a node is down, it
 * reports what is lost with that node, and the steps in order; to see this for a node that is still up, name that node
 * in `node`. If etcd has lost its quorum, the run is refused; the error names the newest snapshot and the steps to take
 * by hand. If it is given the vars files of the other playbooks in this folder, it also shows which of the objects in
 * these files the cluster has, in the order in which they are created. It needs the cluster's kubeconfig on the
 * controller, and contacts no host.
 *
 *     furrow run playbooks/gitops/rebuild.ts -i local --var kubeconfig=harvester.kubeconfig --var @networks.yaml
 */
import { playbook } from "furrow";
import { rebuild, rebuildSchema } from "../../roles/rebuild/role.ts";

export default playbook({
  name: "Recovery steps after a loss in a Harvester cluster",
  vars: rebuildSchema,
  plays: [{ name: "Rebuild", hosts: "all", tasks: ({ vars }) => [rebuild(vars)] }],
});
