import { refuse, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn } from "../cluster-answers/answers.ts";

/** The lists that show the permissions of accounts. */
export const rightsLists = ["clusterRoleBindings"] as const;

/** Refuses if Argo CD's account has cluster-wide permissions beyond those of the role that it should have. */
export const rightsBounded = task({
  name: "rightsBounded",
  summary: "Refuse if Argo CD's account has permissions that it should not have",
  params: z.strictObject({
    kubeconfig: z.string().describe("Kubeconfig of the cluster to register"),
    account: z
      .strictObject({ namespace: z.string(), name: z.string(), clusterRole: z.string() })
      .describe("ServiceAccount of Argo CD, and the ClusterRole that it should have"),
  }),
  examples: [],
  title: ({ account }) => `${account.namespace}/${account.name} has no permissions beyond ${account.clusterRole}`,
})
  .facts((p) => askCluster(p.kubeconfig, ...rightsLists))
  .want((p, now) =>
    decideOn(now, rightsLists, "which permissions Argo CD's account has", ({ clusterRoleBindings }) => {
      const { namespace, name, clusterRole } = p.account;
      // Nothing can add to an administrator's permissions.
      if (clusterRole === "cluster-admin") return {};
      const more = clusterRoleBindings.filter(
        ({ role, subjects }) =>
          role !== `ClusterRole ${clusterRole}` && subjects.includes(`ServiceAccount ${namespace}/${name}`),
      );
      if (more.length === 0) return {};
      return refuse({
        code: "other-rights",
        message: `${namespace}/${name} should have ${clusterRole}, but also has ${more.map(({ name: own, role }) => `${role} through the ClusterRoleBinding ${own}`).join(", ")}`,
        hint: `Delete the unwanted bindings, and rerun: kubectl delete clusterrolebinding ${more.map((one) => one.name).join(" ")}. Or set account.name to another account`,
      });
    }),
  )
  .steps(() => []);
