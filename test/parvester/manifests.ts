import { attachmentKind, cdiKind, kubeVirtKind } from "./kinds.ts";

const namespace = (name: string): object => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

function workload(kind: "Deployment" | "DaemonSet", name: string, within: string, image: string): object {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name, namespace: within },
    spec: {
      ...(kind === "Deployment" && { replicas: 1 }),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name, image }] } },
    },
  };
}

/** A manifest with these objects, in the form that a release has: YAML documents (JSON is valid YAML). */
const manifest = (...objects: readonly object[]): string =>
  objects.map((one) => `---\n${JSON.stringify(one, undefined, 2)}\n`).join("");

/**
 * Small manifests in place of the releases' own, with the real names, namespaces and kinds. `release` is in their
 * images, so a newer release differs.
 */
export const manifests = {
  kubevirt: (release: string): string =>
    manifest(
      namespace("kubevirt"),
      kubeVirtKind,
      workload("Deployment", "virt-operator", "kubevirt", `quay.io/kubevirt/virt-operator:${release}`),
    ),
  cdi: (release: string): string =>
    manifest(
      namespace("cdi"),
      cdiKind,
      workload("Deployment", "cdi-operator", "cdi", `quay.io/kubevirt/cdi-operator:${release}`),
    ),
  localPath: (release: string): string =>
    manifest(
      namespace("local-path-storage"),
      workload(
        "Deployment",
        "local-path-provisioner",
        "local-path-storage",
        `rancher/local-path-provisioner:${release}`,
      ),
      {
        apiVersion: "storage.k8s.io/v1",
        kind: "StorageClass",
        metadata: { name: "local-path" },
        provisioner: "rancher.io/local-path",
        volumeBindingMode: "WaitForFirstConsumer",
        reclaimPolicy: "Delete",
      },
    ),
  multus: (release: string): string =>
    manifest(
      attachmentKind,
      workload("DaemonSet", "kube-multus-ds", "kube-system", `ghcr.io/k8snetworkplumbingwg/multus-cni:${release}`),
    ),
};

/** The Multus that RKE2 installs from its own chart, with `cni: multus, canal`. */
export const rke2Multus: readonly object[] = [
  attachmentKind,
  workload("DaemonSet", "rke2-multus", "kube-system", "rancher/hardened-multus-cni:v4.0.2"),
];
