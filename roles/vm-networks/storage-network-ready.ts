import { refuse, seconds, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn } from "../cluster-answers/answers.ts";
import { askObject, decideOnObject, settingPath } from "../cluster-answers/one-object.ts";
import { settingState } from "../cluster-answers/setting.ts";
import { storageNetworkSchema } from "./networks.ts";
import { noSetting, storageSetting } from "./storage-network.ts";

const question = "whether the storage-network setting has taken effect";

const hint = "Look at the conditions of the storage-network setting, and at the log of harvester in harvester-system";

/** Harvester creates the network in its own namespace, with this prefix (pkg/utils of its network controller). */
const madeName = /^harvester-system\/storagenetwork-/;

/** Waits until Harvester has given Longhorn its storage network. */
export const storageNetworkReady = task({
  name: "storageNetworkReady",
  summary: "Wait until Longhorn uses its storage network",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    storage: storageNetworkSchema.describe("The network that Longhorn's replication must use"),
    intervalSeconds: seconds().default(5).describe("Seconds between two checks"),
    deadlineSeconds: seconds().default(300).describe("Seconds after which the wait fails"),
  }),
  examples: [],
  title: () => "Longhorn has its storage network",
})
  .facts((p) => ({
    setting: askObject(p.kubeconfig, settingPath(storageSetting)),
    ...askCluster(p.kubeconfig, "vmNetworks"),
  }))
  .want((p, { setting, ...answers }) =>
    decideOn(answers, ["vmNetworks"], question, ({ vmNetworks }) =>
      decideOnObject(setting, { kind: "Setting", name: storageSetting }, question, (object) => {
        if (object === undefined) return noSetting();
        const { clusterNetwork, vlan, range, exclude } = p.storage;
        const isMade = vmNetworks.some(
          (one) =>
            madeName.test(one.name) &&
            one.clusterNetwork === clusterNetwork &&
            one.vlan === vlan &&
            one.range === range &&
            one.excluded.toSorted().join() === exclude.toSorted().join(),
        );
        const { isConfigured, why, unreportedSince } = settingState(object);
        if (unreportedSince !== undefined)
          return refuse({
            code: "not-ready",
            message: `Harvester has not reported the state of the ${storageSetting} setting since it changed at ${unreportedSince}`,
            hint,
          });
        // The condition alone may still refer to Longhorn's previous network.
        if (isMade && isConfigured) return {};
        const without = exclude.length === 0 ? "" : ` without ${exclude.join(", ")}`;
        return refuse({
          code: "not-ready",
          message: isMade
            ? `Harvester has not finished configuring Longhorn: ${why}`
            : `Harvester has not created the network with VLAN ${vlan} and ${range}${without} on ${clusterNetwork}: ${why}`,
          hint,
        });
      }),
    ),
  )
  .wait((p) => ({
    intervalSeconds: p.intervalSeconds,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: "Longhorn to use its storage network",
  }));
