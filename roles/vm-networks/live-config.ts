import { type KubernetesAnswer, match, Refusal, task, z } from "../../src/authoring.ts";
import { defaultMtu } from "../cluster-answers/network-objects.ts";
import { askObject, decideOnObject, lookAtObject, type ObjectName } from "../cluster-answers/one-object.ts";
import { managementNetwork } from "./networks.ts";

const network = z.strictObject({
  name: z.string().describe("Name of the network"),
  namespace: z.string().describe("Namespace of the network"),
  clusterNetwork: z.string().describe("Cluster network whose bridge the network uses"),
  labels: z.record(z.string(), z.string()).describe("Labels that it must have"),
  config: z.string().describe("Config that it must have, as JSON"),
});

/** A network of virtual machines as it must be. */
export type WantedNetwork = z.output<typeof network>;

/** What is sent for a network. */
export interface SentConfig {
  readonly config: string;
  /** True if the config replaces a config of Harvester's that differs only in the MTU. */
  readonly force: boolean;
}

/**
 * Outputs the configs to send for networks, in the order of the networks. Harvester writes the MTU into a network's
 * config. The config is a single field, so Harvester then owns all of it. If the cluster's config means the same as the
 * wanted one, the cluster's config is sent unchanged; if it differs only in the MTU, it may be replaced. Any other
 * difference is a conflict with its owner.
 */
export const liveConfigs = task({
  name: "liveConfigs",
  summary: "Find out which configs the networks of virtual machines have",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    networks: z.array(network).min(1).describe("The networks"),
  }),
  examples: [],
  title: () => "the configs of the networks for virtual machines",
})
  .facts((p) => ({ live: p.networks.map((one) => askObject(p.kubeconfig, networkPath(one))) }))
  .want((p, { live }) => {
    const decisions = p.networks.map((one, index) =>
      decideOnObject(answerAt(live, index), nameOf(one), `which config ${one.namespace}/${one.name} has`, () => ({})),
    );
    return decisions.find((one) => one instanceof Refusal) ?? {};
  })
  .steps(() => [])
  .outputs((p, { live }) =>
    p.networks.map((one, index): SentConfig => {
      const look = lookAtObject(answerAt(live, index), nameOf(one));
      return sentConfig(one, "seen" in look ? look.seen : undefined);
    }),
  );

/** The path of a network in the API. */
export function networkPath({ namespace, name }: Pick<WantedNetwork, "namespace" | "name">): string {
  return `/apis/k8s.cni.cncf.io/v1/namespaces/${namespace}/network-attachment-definitions/${name}`;
}

function answerAt(answers: readonly KubernetesAnswer[], index: number): KubernetesAnswer {
  return answers[index] as KubernetesAnswer;
}

function nameOf({ name }: WantedNetwork): ObjectName {
  return { kind: "NetworkAttachmentDefinition", name };
}

const liveSchema = z.looseObject({
  metadata: z.looseObject({ labels: z.record(z.string(), z.string()).default({}) }),
  spec: z.looseObject({ config: z.string() }),
});

/** The config to send, given the network in the cluster. */
export function sentConfig(wanted: WantedNetwork, object: unknown): SentConfig {
  const live = liveSchema.safeParse(object).data;
  const [own, theirs] = [partsOf(wanted.config), partsOf(live?.spec.config ?? "")];
  if (live === undefined || own === undefined || theirs === undefined || !isEqual(own.rest, theirs.rest))
    return { config: wanted.config, force: false };
  // The MTU of the management network is part of each node's installation.
  const isSameMtu = wanted.clusterNetwork === managementNetwork || own.mtu === theirs.mtu;
  if (isSameMtu) return { config: live.spec.config, force: false };
  const { labels } = live.metadata;
  return {
    config: wanted.config,
    force: Object.entries(wanted.labels).every(([label, value]) => (labels[label] ?? value) === value),
  };
}

const partsSchema = z.looseObject({ mtu: z.int().nonnegative().default(0) });

/** A config without its MTU, and the MTU; undefined if it is not a JSON object. */
function partsOf(config: string): { readonly mtu: number; readonly rest: object } | undefined {
  try {
    const { mtu, ...rest } = partsSchema.parse(JSON.parse(config));
    return { mtu: mtu || defaultMtu, rest };
  } catch {
    return undefined;
  }
}

function isEqual(one: object, other: object): boolean {
  return match(one, other) === "same" && match(other, one) === "same";
}
