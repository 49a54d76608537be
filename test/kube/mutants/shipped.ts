import { imageObjects, vmImagesSchema } from "../../../roles/vm-images/images.ts";
import {
  networkConfigObjects,
  clusterNetworkObjects,
  vmNetworkObject,
  wantedNetworks,
} from "../../../roles/vm-networks/objects.ts";
import { vmNetworksSchema } from "../../../roles/vm-networks/networks.ts";
import { storageClassObjects, vmStorageSchema } from "../../../roles/vm-storage/storage.ts";
import { harvesterKinds } from "../harvester-kinds.ts";
import type { ObjectData } from "../on-server.ts";
import type { Schema } from "./mutants.ts";

/** Objects of one kind that our roles send. */
export interface Shipped {
  readonly kind: string;
  /** The kind's TypeScript type, as written after `satisfies`. */
  readonly type: string;
  /** The plural of the kind, in paths. */
  readonly plural: string;
  readonly schema: Schema;
  readonly objects: readonly ObjectData[];
}

interface Definition {
  readonly spec: {
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

const own = { kubeconfig: "harvester.kubeconfig" };

const text: Schema = { type: "string" };

/** The fields of StorageClass that we send (storage.k8s.io/v1 in Kubernetes' API reference). */
const storageClass: Schema = {
  required: ["provisioner"],
  properties: {
    provisioner: text,
    allowVolumeExpansion: { type: "boolean" },
    reclaimPolicy: text,
    volumeBindingMode: text,
    parameters: { type: "object", additionalProperties: text },
  },
};

/**
 * The objects that our roles send, from vars that use every param. Virtual machines are left out, because only a
 * cluster has their schema.
 */
export function shippedObjects(): Shipped[] {
  const { storageClasses } = vmStorageSchema.parse({
    ...own,
    storageClasses: {
      fast: { replicas: 2, diskTags: ["ssd"], nodeTags: ["rack1"], reclaim: "Retain", bind: "Immediate" },
    },
  });
  return [
    ...harvesterObjects(),
    {
      kind: "StorageClass",
      type: 'import("kubernetes-models/storage.k8s.io/v1/StorageClass").IStorageClass',
      plural: "storageclasses",
      schema: storageClass,
      objects: storageClassObjects(storageClasses),
    },
  ];
}

function harvesterObjects(): Shipped[] {
  const { clusterNetworks } = vmNetworksSchema.parse({
    ...own,
    clusterNetworks: {
      lan: {
        description: "for guests",
        mtu: 9000,
        uplinks: {
          rack1: { nodes: { rack: "1" }, nics: ["eno2", "eno3"], bond: "802.3ad" },
          rack2: { nodes: { rack: "2" }, nics: ["eno2"], bond: "active-backup" },
        },
        networks: { db: { vlan: 120 }, plain: { vlan: "untagged", namespace: "shop" } },
      },
    },
  });
  const { images } = vmImagesSchema.parse({
    ...own,
    images: {
      leap: {
        url: "https://download.example/leap.qcow2",
        checksum: "a".repeat(128),
        displayName: "Leap",
        description: "openSUSE",
        namespace: "shop",
      },
    },
  });
  const all: readonly ObjectData[] = [
    ...clusterNetworkObjects(clusterNetworks),
    ...networkConfigObjects(clusterNetworks),
    ...wantedNetworks(clusterNetworks).map((one) => vmNetworkObject(one, one.config)),
    ...imageObjects(images),
  ];
  const byKind = Map.groupBy(all, ({ kind }) => String(kind));
  return [...byKind].map(([kind, objects]) => {
    const found = (harvesterKinds as readonly Definition[]).find(({ spec }) => spec.names.kind === kind);
    const schema = found?.spec.versions[0]?.schema.openAPIV3Schema;
    if (found === undefined || schema === undefined) throw new Error(`${kind} is not defined in harvester-kinds.ts`);
    const type = `import("furrow/kubernetes").${kind}`;
    return { kind, type, plural: found.spec.names.plural, schema, objects };
  });
}
