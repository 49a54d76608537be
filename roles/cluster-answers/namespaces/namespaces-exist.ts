import { absent, onlyRead, refuse, task, z } from "../../../src/authoring.ts";
import { kubeNamespace } from "../../../src/facts/catalogue.ts";

/** Refuses namespaces that the cluster does not have, before anything is changed. */
export const namespacesExist = task({
  name: "namespacesExist",
  summary: "Refuse namespaces that the cluster does not have",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    namespaces: z
      .record(z.string(), z.array(z.string()))
      .describe("The required namespaces, each with the objects that need it"),
  }),
  examples: [],
  title: ({ namespaces }) => {
    const names = Object.keys(namespaces);
    return `the cluster has the namespace${names.length === 1 ? "" : "s"} ${names.join(", ")}`;
  },
})
  .facts((p) => ({ found: Object.keys(p.namespaces).map((name) => onlyRead(kubeNamespace(p, name))) }))
  .want(({ namespaces }, { found }) => {
    const missing = Object.entries(namespaces).filter((_one, index) => found[index] === absent);
    if (missing.length === 0) return {};
    const first = missing.map(([name]) => `kubectl create namespace ${name}`);
    return refuse({
      code: "no-namespace",
      message: `the cluster does not have ${missing.map(([name, users]) => `the namespace ${name}, which ${users.join(" and ")} ${users.length === 1 ? "needs" : "need"}`).join("; ")}`,
      hint: `Create it first (${first.join("; ")}), or correct the vars`,
    });
  })
  .steps(() => []);

/**
 * The tasks that refuse missing namespaces; none if only `default` is used, which every cluster has.
 *
 * @param users objects and the namespaces that they are created in
 */
export function inNamespaces(
  kubeconfig: string,
  users: readonly { readonly name: string; readonly namespace: string }[],
) {
  const others = users.filter(({ namespace }) => namespace !== "default");
  if (others.length === 0) return [];
  const grouped = Map.groupBy(others, ({ namespace }) => namespace);
  const namespaces = Object.fromEntries([...grouped].map(([key, all]) => [key, all.map(({ name }) => name)]));
  return [namespacesExist({ kubeconfig, namespaces })];
}
