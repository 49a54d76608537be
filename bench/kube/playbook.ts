import { playbook, z } from "furrow";
import { kubeManifest } from "furrow/tasks";

/** Applies one manifest. */
export default playbook({
  name: "A manifest",
  vars: z.strictObject({ kubeconfig: z.string(), manifest: z.string() }),
  plays: [
    {
      name: "objects",
      hosts: "all",
      tasks: ({ vars }) => [
        kubeManifest({ kubeconfig: vars.kubeconfig, fieldManager: "furrow-bench", path: vars.manifest }),
      ],
    },
  ],
});
