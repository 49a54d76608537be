import { type KubernetesAnswer, kubernetesCall, match, Refusal, refuse, task, z } from "../../src/authoring.ts";
import { subnetOf } from "../../src/facts/catalogue.ts";
import { type Answers, askCluster, decideOn, lookAt, type Seen } from "../cluster-answers/answers.ts";
import { volumeInUse } from "../cluster-answers/longhorn/volumes.ts";
import { askObject, decideOnObject, lookAtObject, settingPath, versionOf } from "../cluster-answers/one-object.ts";
import { askOthers, askTrial, trialNotes, trialProblem } from "../cluster-answers/setting-trial.ts";
import { matchingNodes } from "./matching.ts";
import {
  managementNetwork,
  type StorageNetwork,
  storageNetworkSchema,
  type WantedConfig,
  wantedConfigSchema,
} from "./networks.ts";

/** The name of the setting in Harvester (pkg/settings/settings.go). */
export const storageSetting = "storage-network";

/** The query that is sent before the storage network changes. */
export const storageLists = ["nodes", "networkConfigs", "instances", "volumes"] as const;

type Cluster = Seen<(typeof storageLists)[number]>;

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  storage: storageNetworkSchema.describe("The network that Longhorn's replication must have"),
  configs: z.array(wantedConfigSchema).describe("Network configs that earlier tasks apply"),
});

/**
 * Manages Harvester's `storage-network` setting. To change it, Harvester stops everything that uses a volume, so a
 * change is refused while a virtual machine is running or a volume is attached.
 */
export const storageNetwork = task({
  name: "storageNetwork",
  summary: "Set the network that carries Longhorn's replication",
  params,
  examples: [],
  title: ({ storage }) => `Longhorn's replication on ${storage.clusterNetwork}, VLAN ${storage.vlan}`,
})
  .facts((p) => ({
    setting: askObject(p.kubeconfig, settingPath(storageSetting)),
    ...askCluster(p.kubeconfig, ...storageLists),
  }))
  .facts((p, now) => askTrial(p.kubeconfig, storageSetting, newValue(p, now)))
  .facts((p, now) => askOthers(p.kubeconfig, now.trial))
  .want((p, now) => {
    const decision = decide(p, now);
    return decision instanceof Refusal ? decision : (trialProblem(storageSetting, now) ?? decision);
  })
  .steps((p, { change, now }) => [
    change.setting &&
      kubernetesCall(p.kubeconfig, "PATCH", settingPath(storageSetting), "set the storage network", {
        metadata: { resourceVersion: versionOf(now.setting) },
        value: settingText(p.storage),
      }),
  ])
  .notes((p, now) => {
    const look = lookAtObject(now.setting, { kind: "Setting", name: storageSetting });
    return "seen" in look && !isSame(look.seen?.["value"], p.storage)
      ? [
          "Longhorn's pods restart, and pods that use volumes stop while the network changes",
          ...trialNotes(storageSetting, now),
        ]
      : [];
  });

/** Before anything else changes, refuses a change of the storage network that the role could not make. */
export const storageNetworkFits = task({
  name: "storageNetworkFits",
  summary: "Refuse a change to the storage network that cannot be made now",
  params,
  examples: [],
  title: () => "the storage network can be set as requested",
})
  .facts((p) => ({
    setting: askObject(p.kubeconfig, settingPath(storageSetting)),
    ...askCluster(p.kubeconfig, ...storageLists),
  }))
  .facts((p, now) =>
    // Harvester denies a network that earlier tasks have yet to create.
    askTrial(p.kubeconfig, storageSetting, areInPlace(p.configs, now) ? newValue(p, now) : undefined),
  )
  .facts((p, now) => askOthers(p.kubeconfig, now.trial))
  .want((p, now) => {
    const decision = decide(p, now);
    return decision instanceof Refusal ? decision : (trialProblem(storageSetting, now) ?? {});
  })
  .steps(() => []);

type Now = Answers<(typeof storageLists)[number]> & { readonly setting: KubernetesAnswer };

/** The new value of the setting; undefined if the setting stays unchanged, or must not be changed. */
function newValue(p: z.output<typeof params>, now: Now): string | undefined {
  const decision = decide(p, now);
  return !(decision instanceof Refusal) && "setting" in decision ? settingText(p.storage) : undefined;
}

/** True if the cluster has all of these network configs already. */
function areInPlace(configs: readonly WantedConfig[], now: Now): boolean {
  const look = lookAt(now, "networkConfigs");
  if ("unseen" in look) return false;
  return configs.every(({ name, clusterNetwork, nodes, nics, mtu }) =>
    look.seen.networkConfigs.some(
      ({ isDeleted, nodes: own, ...config }) =>
        !isDeleted &&
        match(config, { name, clusterNetwork, nics, mtu }) === "same" &&
        match(own, nodes) === "same" &&
        match(nodes, own) === "same",
    ),
  );
}

function decide({ storage, configs }: z.output<typeof params>, { setting, ...answers }: Now) {
  const question = "which storage network the cluster has";
  return decideOnObject(setting, { kind: "Setting", name: storageSetting }, question, (own) => {
    if (own === undefined) return noSetting();
    // Harvester treats the same data, if it is written differently, as a different network, and would set up the
    // storage network again.
    if (isSame(own["value"], storage)) return {};
    return decideOn(answers, storageLists, "whether the storage network may change", (seen) => {
      const misfits = misfitsOf(storage, configs, seen);
      if (misfits.length > 0)
        return refuse({
          code: "network-conflict",
          message: `the storage network does not fit the cluster: ${misfits.join("; ")}`,
          hint: "Give every node the cluster network, or choose a larger subnet",
        });
      const uses = usesOf(seen);
      return uses.length === 0
        ? { setting: { found: true as const, object: { value: settingText(storage) } } }
        : refuse({
            code: "storage-in-use",
            message: `the storage network cannot be changed: ${uses.join("; ")}`,
            hint: "Shut down the machines, and stop what uses the volumes; Harvester does not restart them automatically",
          });
    });
  });
}

/** Refuses a cluster that does not have the setting. */
export function noSetting(): Refusal {
  return refuse({
    code: "no-setting",
    message: `Harvester has no setting ${storageSetting}`,
    hint: "Check which version of Harvester the cluster runs: the setting has existed since v1.1",
  });
}

/** The setting's value: a JSON string. */
export function settingText({ vlan, clusterNetwork, range, exclude }: StorageNetwork): string {
  return JSON.stringify({ vlan, clusterNetwork, range, ...(exclude.length > 0 && { exclude }) });
}

const valueSchema = z.looseObject({
  vlan: z.int(),
  clusterNetwork: z.string(),
  range: z.string(),
  exclude: z.array(z.string()).nullish(),
});

/** True if a setting's value means this network, however the value is written. */
export function isSame(value: unknown, { vlan, clusterNetwork, range, exclude }: StorageNetwork): boolean {
  if (typeof value !== "string") return false;
  const read = valueSchema.safeParse(parsed(value));
  return (
    read.success &&
    read.data.vlan === vlan &&
    read.data.clusterNetwork === clusterNetwork &&
    read.data.range === range &&
    (read.data.exclude ?? []).toSorted().join() === exclude.toSorted().join()
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Longhorn needs two addresses on each node, and twice as many while it is being upgraded (Storage Network, IP range).
 */
const addressesPerNode = 4;

/** Reasons why the network would not work even if nothing used a volume. */
function misfitsOf(
  storage: StorageNetwork,
  configs: readonly WantedConfig[],
  { nodes, networkConfigs }: Cluster,
): string[] {
  const needed = matchingNodes(nodes, { nodes: {} }).map(({ name }) => name);
  const own = [...configs, ...networkConfigs].filter(({ clusterNetwork }) => clusterNetwork === storage.clusterNetwork);
  const connected = new Set(own.flatMap((config) => matchingNodes(nodes, config).map(({ name }) => name)));
  const without = storage.clusterNetwork === managementNetwork ? [] : needed.filter((node) => !connected.has(node));
  const addresses = sizeOf(storage.range) - storage.exclude.reduce((sum, one) => sum + sizeOf(one), 0);
  const wanted = addressesPerNode * needed.length;
  return [
    ...(without.length > 0 ? [`${without.join(", ")} would not have ${storage.clusterNetwork}`] : []),
    ...(addresses < wanted
      ? [`${storage.range} leaves ${addresses} addresses, and ${needed.length} nodes need ${wanted}`]
      : []),
  ];
}

function usesOf({ instances, volumes }: Cluster): string[] {
  const running = instances.filter((one) => one.running).map(({ name }) => name);
  const attached = volumes.filter(({ state }) => state !== "detached").map(volumeInUse);
  return [
    ...(running.length > 0 ? [`virtual machines are running: ${running.toSorted().join(", ")}`] : []),
    ...(attached.length > 0 ? [`volumes are in use: ${attached.toSorted().join(", ")}`] : []),
  ];
}

/** The number of addresses in a subnet. */
function sizeOf(cidr: string): number {
  const { first = 0, last = -1 } = subnetOf(cidr) ?? {};
  return last - first + 1;
}
