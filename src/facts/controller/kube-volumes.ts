import { type KubeKind, kubeIdentity, type KubeObjectData } from "./kube-object.ts";

/** The kinds of objects that hold data: volumes, and KubeVirt's DataVolumes, which create and own them. */
export const kubeVolumeKinds: readonly KubeKind[] = [
  { apiVersion: "v1", kind: "PersistentVolumeClaim" },
  { apiVersion: "cdi.kubevirt.io/v1beta1", kind: "DataVolume" },
];

const metadata = { name: "" };
const names = new Set(kubeVolumeKinds.map((kind) => kubeIdentity({ ...kind, metadata }).kind));

/** True for an object that holds data; the version of its kind does not matter. */
export function isKubeVolume(object: KubeObjectData): boolean {
  return names.has(kubeIdentity(object).kind);
}
