import { kubernetesCall, type Refusal, refuse, task, z } from "../../src/authoring.ts";
import { askObject, decideOnObject } from "../cluster-answers/one-object.ts";

const name = "rook-ceph-mon-endpoints";

/** The path of Rook's list of monitors in the API. */
export function monitorsPath(namespace: string): string {
  return `${folder(namespace)}/${name}`;
}

const folder = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  namespace: z.string().describe("Namespace of the connection"),
  monitors: z.record(z.string(), z.string()).describe("Addresses of the monitors by name"),
});

const question = "which monitors Rook knows";

/**
 * Refuses a connection to other monitors, before anything is changed: with the keys of a different Ceph cluster, the
 * volumes of the connected one could not be mounted.
 */
export const sameMonitors = task({
  name: "sameMonitors",
  summary: "Refuse a connection to other Ceph monitors",
  params,
  examples: [],
  title: ({ namespace }) => `Rook knows no other Ceph monitors in ${namespace}`,
})
  .facts((p) => ({ monitors: askObject(p.kubeconfig, monitorsPath(p.namespace)) }))
  .want((p, now) =>
    decideOnObject(now.monitors, { kind: "ConfigMap", name }, question, (own) =>
      own === undefined ? {} : (otherMonitors(p, own) ?? {}),
    ),
  )
  .steps(() => []);

/** Says that Rook's list contains none of the monitors; undefined if it contains at least one of them. */
function otherMonitors(p: z.output<typeof params>, list: unknown): Refusal | undefined {
  const known = addressesIn(list);
  if (Object.values(p.monitors).some((address) => known?.includes(address))) return undefined;
  const place = `the ConfigMap ${p.namespace}/${name}`;
  return refuse({
    code: "other-monitors",
    message:
      known === undefined
        ? `${place} does not show which monitors Rook knows`
        : `Rook knows the monitors ${known.join(", ")}, but none of ${Object.values(p.monitors).join(", ")}`,
    hint: `Correct ceph.monitors (\`ceph mon dump\`); if all monitors of this Ceph cluster have moved, delete ${place}, and rerun`,
  });
}

/**
 * Gives Rook the first monitors of a Ceph cluster. Rook writes the monitors that it then finds into the same object
 * (addOrRemoveExternalMonitor in pkg/operator/ceph/cluster/mon/health.go of rook/rook), so an existing list is not
 * changed. A list without any of these monitors is refused: it belongs to a different Ceph cluster, or all monitors
 * have moved.
 */
export const monitorsKnown = task({
  name: "monitorsKnown",
  summary: "Give Rook the first monitors of a Ceph cluster",
  params,
  examples: [],
  title: ({ namespace }) => `Rook knows Ceph monitors in ${namespace}`,
})
  .facts((p) => ({ monitors: askObject(p.kubeconfig, monitorsPath(p.namespace)) }))
  .want((p, now) =>
    decideOnObject(now.monitors, { kind: "ConfigMap", name }, question, (own) =>
      own === undefined
        ? { monitors: { found: true as const, object: { data: dataOf(p.monitors) } } }
        : (otherMonitors(p, own) ?? {}),
    ),
  )
  .steps((p, { change }) => [
    change.monitors &&
      kubernetesCall(p.kubeconfig, "POST", folder(p.namespace), "give Rook the monitors of Ceph", {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name, namespace: p.namespace },
        data: dataOf(p.monitors),
      }),
  ]);

/** The list in Rook's form (deploy/examples/import-external-cluster.sh of rook/rook). */
function dataOf(monitors: Readonly<Record<string, string>>): Record<string, string> {
  const all = Object.entries(monitors).map(([own, address]) => `${own}=${address}`);
  return { data: all.join(","), mapping: "{}", maxMonId: "2" };
}

/** The addresses in Rook's list: `a=10.0.0.1:6789,b=10.0.0.2:6789`; undefined if the object contains no such list. */
function addressesIn(object: unknown): string[] | undefined {
  const { data } = z.looseObject({ data: z.looseObject({ data: z.string() }) }).safeParse(object);
  const all = data?.data.data.split(",").map((one) => /^[^=]+=(\S+)$/.exec(one.trim())?.[1]);
  return all?.every((one) => one !== undefined) === true ? all : undefined;
}
