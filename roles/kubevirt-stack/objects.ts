import type {
  V1beta1CDI,
  V1beta1CDISpecImagePullPolicyEnum,
} from "@kubevirt-ui-ext/kubevirt-api/containerized-data-importer";

/** KubeVirt's own object, as in its release's kubevirt-cr.yaml. */
export function kubeVirtObject({ emulation }: { readonly emulation: boolean }) {
  return {
    apiVersion: "kubevirt.io/v1",
    kind: "KubeVirt",
    metadata: { name: "kubevirt", namespace: "kubevirt" },
    spec: {
      imagePullPolicy: "IfNotPresent",
      configuration: { developerConfiguration: { useEmulation: emulation } },
    },
  };
}

/**
 * CDI's own object, as in its release's cdi-cr.yaml. With the feature gate, CDI leaves it to the first consumer to
 * choose the node of a local volume (doc/waitforfirstconsumer-storage-handling.md in
 * kubevirt/containerized-data-importer).
 */
export function cdiObject() {
  const linux = { nodeSelector: { "kubernetes.io/os": "linux" } };
  return {
    apiVersion: "cdi.kubevirt.io/v1beta1",
    kind: "CDI",
    metadata: { name: "cdi" },
    spec: {
      imagePullPolicy: "IfNotPresent" as V1beta1CDISpecImagePullPolicyEnum,
      config: { featureGates: ["HonorWaitForFirstConsumer"] },
      infra: linux,
      workload: linux,
    },
  } satisfies V1beta1CDI;
}
