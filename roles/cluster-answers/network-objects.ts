import { z } from "../../src/authoring.ts";

const name = z.string().min(1);
const selector = z.record(z.string(), z.string()).default({});

const managed = z.array(
  z.looseObject({ time: z.string().optional(), fieldsV1: z.record(z.string(), z.unknown()).default({}) }),
);

/** When the spec of an object was last changed, according to its managed fields; undefined if they do not show it. */
function specChanged(entries: z.output<typeof managed>): string | undefined {
  return entries
    .flatMap(({ time, fieldsV1 }) => (time !== undefined && "f:spec" in fieldsV1 ? [time] : []))
    .toSorted()
    .at(-1);
}

/**
 * The MTU of a network config that sets no MTU, or sets it to 0 (pkg/utils/consts.go of Harvester's network
 * controller).
 */
export const defaultMtu = 1500;

/**
 * A network config: the NICs that connect nodes to a cluster network (Harvester's VlanConfig, network.harvesterhci.io,
 * v1beta1). A missing field gets the value that the controller assumes.
 */
export const networkConfigSchema = z
  .looseObject({
    metadata: z.looseObject({
      name,
      deletionTimestamp: z.string().optional(),
      managedFields: managed.default([]),
    }),
    spec: z.looseObject({
      clusterNetwork: name,
      nodeSelector: selector,
      uplink: z.looseObject({
        nics: z.array(name).default([]),
        linkAttributes: z.looseObject({ mtu: z.int().nonnegative().default(0) }).default({ mtu: 0 }),
      }),
    }),
  })
  .transform(({ metadata, spec: { clusterNetwork, nodeSelector, uplink } }) => ({
    name: metadata.name,
    clusterNetwork,
    nodes: nodeSelector,
    nics: uplink.nics,
    mtu: uplink.linkAttributes.mtu || defaultMtu,
    isDeleted: metadata.deletionTimestamp !== undefined,
    changed: specChanged(metadata.managedFields),
  }));

/** The parts of a network config that the guards use. */
export type NetworkConfigObject = z.output<typeof networkConfigSchema>;

const condition = z.looseObject({
  type: name,
  status: z.enum(["True", "False", "Unknown"]),
  message: z.string().default(""),
  lastUpdateTime: z.string().default(""),
});

/** The state of a cluster network on a node (Harvester's VlanStatus). The controller writes one for each node. */
export const networkStatusSchema = z
  .looseObject({
    metadata: z.looseObject({ name }),
    status: z.looseObject({
      clusterNetwork: name,
      vlanConfig: name,
      node: name,
      conditions: z.array(condition).default([]),
    }),
  })
  .transform(({ status: { clusterNetwork, vlanConfig, node, conditions } }) => {
    const ready = conditions.find(({ type }) => type === "ready");
    return {
      clusterNetwork,
      config: vlanConfig,
      node,
      ready: ready?.status === "True",
      message: ready?.message ?? "",
      /** When the controller last wrote this status; empty if the controller did not record the time. */
      updated: ready?.lastUpdateTime ?? "",
    };
  });

const link = z
  .looseObject({
    name,
    index: z.int().optional(),
    masterIndex: z.int().optional(),
    state: z.enum(["up", "down"]).optional(),
  })
  .transform(({ name: own, index, masterIndex, state }) => ({ name: own, index, master: masterIndex, state }));

/** The network interfaces that the controller saw on nodes (Harvester's LinkMonitor). */
export const linkMonitorSchema = z
  .looseObject({
    metadata: z.looseObject({ name }),
    status: z
      .looseObject({ linkStatus: z.record(z.string(), z.array(link).nullable()).default({}) })
      .default({ linkStatus: {} }),
  })
  .transform(({ metadata, status: { linkStatus } }) => ({ name: metadata.name, links: linkStatus }));

/** The parts of a link monitor that the guards use. */
export type LinkMonitorObject = z.output<typeof linkMonitorSchema>;

const bridgeConfig = z.looseObject({
  type: z.literal("bridge"),
  bridge: z.string().regex(/-br$/),
  vlan: z.int().default(0),
  ipam: z.looseObject({ range: z.string().optional(), exclude: z.array(z.string()).nullish() }).default({}),
});

/** A network of virtual machines (a NetworkAttachmentDefinition, k8s.cni.cncf.io, v1). */
export const vmNetworkSchema = z
  .looseObject({
    metadata: z.looseObject({ name, namespace: name }),
    spec: z.looseObject({ config: z.string() }),
  })
  .transform(({ metadata, spec }) => {
    const bridge = bridgeOf(spec.config);
    return {
      name: `${metadata.namespace}/${metadata.name}`,
      /**
       * The cluster network whose bridge this network uses; undefined for a network of another kind, such as an
       * overlay.
       */
      clusterNetwork: bridge?.bridge.replace(/-br$/, ""),
      vlan: bridge?.vlan,
      /** The subnet from which the plug-in assigns addresses; Longhorn's storage network has one. */
      range: bridge?.ipam.range,
      /** The parts of the subnet from which the plug-in assigns no addresses. */
      excluded: bridge?.ipam.exclude ?? [],
    };
  });

function bridgeOf(config: string): z.output<typeof bridgeConfig> | undefined {
  try {
    return bridgeConfig.safeParse(JSON.parse(config)).data;
  } catch {
    return undefined;
  }
}
