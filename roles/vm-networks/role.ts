import { role } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { inNamespaces } from "../cluster-answers/namespaces/namespaces-exist.ts";
import { onlyAfter } from "../cluster-guards/only-after.ts";
import { liveConfigs } from "./live-config.ts";
import { vmNetworksSchema, wantedConfigs } from "./networks.ts";
import { networksFit } from "./networks-fit.ts";
import { networksReady } from "./networks-ready.ts";
import { clusterNetworkObjects, networkConfigObjects, vmNetworkObject, wantedNetworks } from "./objects.ts";
import { placement } from "./placement.ts";
import { storageNetwork, storageNetworkFits } from "./storage-network.ts";
import { storageNetworkReady } from "./storage-network-ready.ts";

/**
 * Manages a Harvester cluster's cluster networks, their network configs, and the networks of its virtual machines.
 * Objects that are no longer listed are left in place.
 */
export const vmNetworks = role(
  {
    name: "vm networks",
    summary: "Manage the cluster networks of a Harvester cluster, and the networks of its virtual machines",
    params: vmNetworksSchema,
  },
  ({ kubeconfig, fieldManager, force, clusterNetworks, storageNetwork: storage, deadlineSeconds }) => {
    const own = { kubeconfig, fieldManager, force };
    const configs = wantedConfigs({ clusterNetworks });
    const networks = wantedNetworks(clusterNetworks);
    const [spaces] = inNamespaces(
      kubeconfig,
      networks.map(({ name, namespace }) => ({ name: `the network ${name}`, namespace })),
    );
    const fit = networksFit({ kubeconfig, configs }, onlyAfter(spaces));
    const storageFits = storage !== undefined && storageNetworkFits({ kubeconfig, storage, configs }, onlyAfter(fit));
    const guarded = onlyAfter(storageFits === false ? fit : storageFits);
    const live = networks.length > 0 ? liveConfigs({ kubeconfig, networks }, guarded) : undefined;
    return [
      spaces,
      fit,
      storageFits,
      live,
      clusterNetworkObjects(clusterNetworks).map((object) => t.kubeObject({ ...own, object }, guarded)),
      networkConfigObjects(clusterNetworks).map((object) => t.kubeObject({ ...own, object }, guarded)),
      configs.length > 0 && networksReady({ kubeconfig, configs, deadlineSeconds }),
      live !== undefined &&
        networks.map((network, index) => {
          const config = live.output.map((found) => found[index]?.config ?? network.config);
          const object = vmNetworkObject(network, config);
          const taken = force || live.output.map((found) => found[index]?.force ?? false);
          return t.kubeObject({ ...own, object, force: taken }, guarded);
        }),
      storage !== undefined && [
        storageNetwork({ kubeconfig, storage, configs }, guarded),
        storageNetworkReady({ kubeconfig, storage, deadlineSeconds }),
      ],
      placement({ kubeconfig }),
    ];
  },
);
