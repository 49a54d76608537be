/**
 * Has Harvester generate a support bundle, waits until it is ready, and says where to download it. A bundle with a
 * given name is generated only once: a rerun waits for the same one. It needs the cluster's kubeconfig on the
 * controller, and contacts no host.
 *
 *     furrow run playbooks/ops/support-bundle.ts -i local --var kubeconfig=harvester.kubeconfig \
 *       --var name=issue-1234 --var description="machines lose their network"
 */
import { playbook } from "furrow";
import { supportBundleSchema } from "../../roles/support-bundle/bundle.ts";
import { supportBundle } from "../../roles/support-bundle/role.ts";

export default playbook({
  name: "Harvester support bundle",
  vars: supportBundleSchema,
  plays: [{ name: "Support bundle", hosts: "all", tasks: ({ vars }) => [supportBundle(vars)] }],
});
