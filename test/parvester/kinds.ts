import { definition, networkKinds, runningKinds } from "../kube/harvester-kinds.ts";

const text = { type: "string" };
const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const quantities = { type: "object", additionalProperties: { "x-kubernetes-int-or-string": true } };

/** Finds a kind by the name of its definition. */
function known(name: string): object {
  const found = [...networkKinds, ...runningKinds].find(
    (one) => (one as { metadata: { name: string } }).metadata.name === name,
  );
  if (found === undefined) throw new Error(`the tests have no kind ${name}`);
  return found;
}

/** Multus' kind, with the fields that its project publishes. */
export const attachmentKind: object = known("network-attachment-definitions.k8s.cni.cncf.io");

/** KubeVirt's machines, which its operator defines. */
export const machineKinds: readonly object[] = [
  known("virtualmachines.kubevirt.io"),
  known("virtualmachineinstances.kubevirt.io"),
];

const metadata = { type: "object" };
const root = (spec: object): object => ({
  type: "object",
  required: ["spec"],
  properties: { apiVersion: text, kind: text, metadata, spec, status: open },
});

/** KubeVirt's own object, which its manifest defines. */
export const kubeVirtKind: object = definition("kubevirt.io", "v1", "KubeVirt", "kubevirts", "Namespaced", root(open));

/** CDI's own object, which its manifest defines (cdi-operator.yaml; the fields that furrow sets). */
export const cdiKind: object = definition(
  "cdi.kubevirt.io",
  "v1beta1",
  "CDI",
  "cdis",
  "Cluster",
  root({
    type: "object",
    properties: {
      imagePullPolicy: { type: "string", enum: ["Always", "IfNotPresent", "Never"] },
      config: { type: "object", properties: { featureGates: { type: "array", items: text } } },
      infra: { type: "object", properties: { nodeSelector: { type: "object", additionalProperties: text } } },
      workload: { type: "object", properties: { nodeSelector: { type: "object", additionalProperties: text } } },
    },
  }),
);

/** CDI's volumes, which its operator defines: the fields of V1beta1DataVolumeSpec that furrow sets, and no others. */
export const dataVolumeKind: object = definition(
  "cdi.kubevirt.io",
  "v1beta1",
  "DataVolume",
  "datavolumes",
  "Namespaced",
  root({
    type: "object",
    properties: {
      contentType: { type: "string", enum: ["kubevirt", "archive"] },
      source: {
        type: "object",
        properties: {
          http: { type: "object", required: ["url"], properties: { url: text } },
          registry: { type: "object", properties: { url: text } },
          blank: { type: "object" },
          pvc: { type: "object", required: ["name", "namespace"], properties: { name: text, namespace: text } },
        },
      },
      storage: {
        type: "object",
        properties: {
          accessModes: { type: "array", items: text },
          resources: { type: "object", properties: { requests: quantities } },
          storageClassName: text,
        },
      },
    },
  }),
);
