/**
 * Sets the HTTP proxy of a Harvester cluster. It refuses a noProxy that lacks addresses of the cluster itself. It needs
 * the cluster's kubeconfig on the controller, and contacts no host.
 *
 *     furrow run playbooks/ops/http-proxy.ts -i local --var @proxy.yaml
 */
import { playbook } from "furrow";
import { httpProxySchema } from "../../roles/http-proxy/proxy.ts";
import { httpProxy } from "../../roles/http-proxy/role.ts";

export default playbook({
  name: "Harvester HTTP proxy",
  vars: httpProxySchema,
  plays: [{ name: "HTTP proxy", hosts: "all", tasks: ({ vars }) => [httpProxy(vars)] }],
});
