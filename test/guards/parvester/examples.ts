import { vmNetworkOf } from "../network-examples.ts";

/** The DaemonSet of RKE2's own Multus, on three nodes. */
export const multusSet: object = {
  metadata: { name: "rke2-multus", namespace: "kube-system" },
  status: { desiredNumberScheduled: 3, numberReady: 3 },
};

/** The URL of the image that the example objects name. */
export const imageUrl = "https://example.org/fedora-40-1.14.qcow2";

/** Returns an object that a guard for a cluster on ordinary hosts requests by path instead of in a list. */
export function parvesterSingleOf(path: string): object | undefined {
  const name = path.split("/").at(-1) ?? "";
  if (path.includes("/customresourcedefinitions/virtualmachines."))
    return { kind: "CustomResourceDefinition", metadata: { name } };
  if (path.includes("/network-attachment-definitions/"))
    return { kind: "NetworkAttachmentDefinition", ...vmNetworkOf(name, "vm", 30) };
  if (!path.includes("/datavolumes/")) return undefined;
  return { kind: "DataVolume", metadata: { name }, spec: { source: { http: { url: imageUrl } } } };
}
