import { task, z } from "../../src/authoring.ts";
import { askCluster, lookAt, unseenTexts } from "../cluster-answers/answers.ts";

/** Reports which machines are running with an older definition. */
export const restartShown = task({
  name: "restartShown",
  summary: "Report which virtual machines apply a change only at their next start",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    machines: z.array(z.string()).describe("The machines: NAMESPACE/NAME"),
  }),
  examples: [],
  title: () => "machines that need a restart",
})
  .facts((p) => askCluster(p.kubeconfig, "machines"))
  .want(() => ({}))
  .steps(() => [])
  .notes((p, now) => {
    const look = lookAt(now, "machines");
    const seen = "seen" in look ? look.seen.machines : [];
    return [
      ...("unseen" in look ? unseenTexts(look.unseen) : []),
      ...seen.flatMap(({ name, needsRestart }) => {
        if (!p.machines.includes(name) || needsRestart === false) return [];
        if (needsRestart === undefined)
          return [`KubeVirt has not reported yet whether ${name} must be restarted to apply its changes`];
        const [namespace = "", own = ""] = name.split("/");
        return [
          `${name} applies its changes at its next start: restart it, for example with virtctl restart ${own} -n ${namespace}`,
        ];
      }),
    ];
  });
