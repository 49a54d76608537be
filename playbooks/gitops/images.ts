/**
 * Manages the images of a Harvester cluster's virtual machines, and waits until they are downloaded. It needs the
 * cluster's kubeconfig on the controller, and contacts no host.
 *
 *     furrow run playbooks/gitops/images.ts -i local --var @images.yaml
 */
import { playbook } from "furrow";
import { vmImagesSchema } from "../../roles/vm-images/images.ts";
import { vmImages } from "../../roles/vm-images/role.ts";

export default playbook({
  name: "Harvester images",
  vars: vmImagesSchema,
  plays: [{ name: "Images", hosts: "all", tasks: ({ vars }) => [vmImages(vars)] }],
});
