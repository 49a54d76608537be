import type { V1VirtualMachine } from "@kubevirt-ui-ext/kubevirt-api/kubevirt";
import type { Given, VirtualMachineImage, VlanConfig } from "furrow/kubernetes";
import type { IConfigMap } from "kubernetes-models/v1/ConfigMap";
import { secret } from "furrow";
import { kubeObject } from "furrow/tasks";
import { expect, test } from "vitest";

const own = { kubeconfig: "harvester.kubeconfig", fieldManager: "shop" };
const spec = { clusterNetwork: "lan", uplink: { nics: ["eno2"], bondOptions: { mode: "802.3ad" as const } } };
const vlan = { apiVersion: "network.harvesterhci.io/v1beta1" as const, kind: "VlanConfig" as const };

test("a typed object can be a param of kubeObject, even with a secret in it", () => {
  const one = { ...vlan, metadata: { name: "lan" }, spec } satisfies VlanConfig;
  const image = {
    apiVersion: "harvesterhci.io/v1beta1",
    kind: "VirtualMachineImage",
    metadata: { name: "leap", namespace: "default" },
    spec: { displayName: "leap", sourceType: "download", url: secret.env("IMAGE_URL") },
  } satisfies VirtualMachineImage;
  expect([one, image].map((object) => kubeObject({ ...own, object }))).toHaveLength(2);
});

test("a wrong field of Harvester's kinds is a compiler error", () => {
  const named = { ...vlan, metadata: { name: "lan" } };
  const objects = [
    // @ts-expect-error the field is clusterNetwork
    { ...named, spec: { clusternetwork: "lan", uplink: {} } } satisfies VlanConfig,
    // @ts-expect-error no bond has this mode
    { ...named, spec: { ...spec, uplink: { bondOptions: { mode: "lacp" } } } } satisfies VlanConfig,
    // @ts-expect-error an MTU is a number
    { ...named, spec: { ...spec, uplink: { linkAttributes: { mtu: "9000" } } } } satisfies VlanConfig,
    // @ts-expect-error the uplink is missing
    { ...named, spec: { clusterNetwork: "lan" } } satisfies VlanConfig,
  ];
  expect(objects).toHaveLength(4);
});

test("types from other packages work with Given, and mistakes are still compiler errors", () => {
  const machine = (run: "Always" | "Halted") =>
    ({
      apiVersion: "kubevirt.io/v1",
      kind: "VirtualMachine",
      metadata: { name: "web", annotations: { note: secret.env("NOTE") } },
      spec: { runStrategy: run, template: { spec: { domain: { devices: {} } } } },
    }) satisfies Given<V1VirtualMachine>;
  // @ts-expect-error the field is data
  const web = { apiVersion: "v1", kind: "ConfigMap", metadata: {}, datas: {} } satisfies Given<IConfigMap>;
  expect([machine("Always"), web].map(({ kind }) => kind)).toEqual(["VirtualMachine", "ConfigMap"]);
});
