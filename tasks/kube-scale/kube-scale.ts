import { absent, refuse, type Refusal, seconds, task, z } from "../../src/authoring.ts";
import {
  type KubeAutoscaler,
  type KubeAutoscalers,
  kubeAutoscalers,
  kubeEnding,
  kubeFacts,
  kubeFactsOfScale,
  kubeName,
  type KubeScale,
  kubeScaled,
  kubeScaleTo,
  kubeScaling,
  objectOf,
} from "../../src/facts/catalogue.ts";
import { shared } from "../kube-object/params.ts";

const number = () =>
  z
    .int({ error: "a whole number, 0 or more" })
    .min(0, "a whole number, 0 or more")
    .max(2_147_483_647, "a number that the API can store: at most 2147483647");

const params = z.strictObject({
  apiVersion: shared.apiVersion().describe("API version of the kind: `apps/v1`"),
  kind: shared
    .kind()
    .describe("Kind of the object: `Deployment`, `StatefulSet`, or any kind with a `scale` subresource"),
  name: shared.name().describe("Name of the object"),
  namespace: shared.namespace().optional().describe("Namespace of the object; none for a cluster-scoped kind"),
  kubeconfig: shared.kubeconfig(),
  context: shared.context(),
  replicas: number().describe("Number of replicas that the object must have"),
  currentReplicas: number()
    .optional()
    .describe("Scale only if the object has this number of replicas now, or already has the wanted number"),
  allowAutoscaler: z
    .boolean()
    .default(false)
    .describe("Scale even if a HorizontalPodAutoscaler controls the number, or if the autoscalers cannot be read"),
  wait: z
    .boolean()
    .default(true)
    .describe(
      "Wait until that many replicas are running and, if the kind counts ready replicas, ready; with 0, until the pods are gone",
    ),
  deadlineSeconds: seconds().default(300).describe("Seconds after which the wait fails"),
});

type Params = z.output<typeof params>;

const web = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  name: "web",
  namespace: "shop",
  kubeconfig: "harvester.kubeconfig",
};

/** Scales a Kubernetes object to a number of replicas. */
export const kubeScale = task({
  name: "kubeScale",
  summary: "Scale a Kubernetes object to a number of replicas",
  params,
  examples: [
    { ...web, replicas: 3 },
    { ...web, replicas: 0, currentReplicas: 3, deadlineSeconds: 900 },
    { ...web, replicas: 5, wait: false },
  ],
  title: (p) => `kubeScale ${nameOf(p)} to ${p.replicas}`,
  cannotPredict: "whether earlier tasks cause a controller to create the object, or to change its number of replicas",
  disturbs: () => kubeFacts,
  mayProvide: kubeFactsOfScale,
})
  .facts((p) => ({
    scale: kubeScaled(p),
    // An autoscaler is in the namespace of the object that it scales.
    ...(!p.allowAutoscaler && p.namespace !== undefined && { autoscalers: kubeAutoscalers(p) }),
  }))
  .facts((p, { scale }) => ({
    ...(scale.problem === undefined && scale.replicas !== p.replicas && { server: kubeScaling(p, p.replicas) }),
    ...(scale.problem === undefined && p.wait && p.replicas === 0 && { ending: kubeEnding(p) }),
  }))
  .want((p, { scale, autoscalers, server, ending }) => {
    if (scale.problem !== undefined) return refuse(scale.problem);
    const refusal = fought(p, autoscalers) ?? otherNumber(p, scale);
    if (refusal !== undefined) return refusal;
    if (server?.problem !== undefined) return refuse(server.problem);
    return {
      scale: { replicas: p.replicas, ...(p.wait && followed(p, scale)) },
      ...(ending !== undefined && ending.unseen === undefined && { ending: { pods: [] } }),
    };
  })
  .steps((p, { change, now: { scale } }) => [
    (change.scale ?? change.ending) &&
      kubeScaleTo(
        p,
        {
          replicas: p.replicas,
          uid: scale.uid ?? "",
          currentReplicas: p.currentReplicas,
          deadlineSeconds: p.wait ? p.deadlineSeconds : undefined,
        },
        scale.replicas === p.replicas,
      ),
  ])
  .notes((p, { scale, autoscalers, server, ending }) => [
    ...(server?.unasked === undefined ? [] : [`not checked in advance: scale ${nameOf(p)} (${server.unasked})`]),
    ...(autoscalers?.autoscalers ?? []).map(
      ({ name }) => `the autoscaler ${name} is inactive while there are 0 replicas`,
    ),
    ...(p.wait && p.replicas > 0 && scale.ready === absent
      ? [`not waited for: whether the replicas of ${nameOf(p)} are ready, which the kind ${p.kind} does not report`]
      : []),
    ...(ending?.unseen === undefined
      ? []
      : [`not waited for: pods of ${nameOf(p)} that are being deleted but still run (${ending.unseen})`]),
    ...(p.wait || scale.running === p.replicas || scale.running === absent
      ? []
      : [`not waited for: ${scale.running} of ${p.replicas} replicas are running`]),
  ]);

function nameOf(p: Params): string {
  return kubeName(objectOf(p));
}

/** The numbers of replicas of an object once its controller has caught up. */
function followed({ replicas }: Params, { ready }: KubeScale) {
  return { running: replicas, isOutdated: false, ...(ready !== absent && { ready: replicas }) };
}

/** Refuses a number of replicas that an autoscaler would change back. */
function fought(p: Params, seen: KubeAutoscalers | undefined): Refusal | undefined {
  if (seen?.problem !== undefined) return refuse(seen.problem);
  // With 0 replicas, an autoscaler is inactive, unless it may choose 0 itself.
  const fighting = (seen?.autoscalers ?? []).filter(({ least }) => p.replicas > 0 || least === 0);
  if (fighting.length === 0) return undefined;
  const names = fighting.map(({ name }) => name).join(", ");
  return refuse({
    code: "autoscaled",
    message: `the HorizontalPodAutoscaler ${names} controls the number of replicas of ${nameOf(p)}, and would change it back`,
    hint: `${insteadOf(p, fighting)}, or set allowAutoscaler: true`,
  });
}

function insteadOf({ replicas }: Params, fighting: readonly KubeAutoscaler[]): string {
  const scaled = fighting.flatMap(({ scaledObject }) => scaledObject ?? []);
  return scaled.length === 0
    ? "Change the autoscaler's limits instead, delete it first"
    : `Annotate KEDA's ScaledObject ${scaled.join(", ")} with autoscaling.keda.sh/paused-replicas: "${replicas}" instead`;
}

/** Refuses to scale an object whose number of replicas is neither the expected nor the wanted one. */
function otherNumber(p: Params, { replicas }: KubeScale): Refusal | undefined {
  const { currentReplicas } = p;
  if (currentReplicas === undefined || replicas === currentReplicas || replicas === p.replicas) return undefined;
  return refuse({
    code: "other-number",
    message: `${nameOf(p)} is not scaled: its number of replicas is not the one in currentReplicas`,
    current: replicas === absent ? "no number" : String(replicas),
    expected: String(currentReplicas),
    hint: "Find out who changed it, then correct currentReplicas",
  });
}
