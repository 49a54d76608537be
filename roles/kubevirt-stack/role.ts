import { type OrRef, role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { architectures, type Rke2 } from "../rke2/rke2.ts";
import { multusRuns, oneMultus } from "./multus.ts";
import { cdiObject, kubeVirtObject } from "./objects.ts";
import { fileUrl, type Stack } from "./stack.ts";

/** The field manager: the name under which the cluster records which fields furrow owns. */
export const fieldManager = "furrow-parvester";

/** Installs KubeVirt, CDI, local-path-provisioner and Multus in a cluster, and waits until they are available. */
export const kubevirtStack = role(
  {
    name: "kubevirt stack",
    summary: "Install KubeVirt, CDI, local-path-provisioner and Multus in a cluster, from pinned manifests",
    params: z.strictObject({
      kubeconfig: z.custom<OrRef<string>>(),
      stack: z.custom<Stack>(),
      mirror: z.string().optional(),
      multus: z.enum(["rke2", "manifest"]),
      emulation: z.boolean(),
    }),
  },
  ({ kubeconfig, stack: { kubevirt, cdi, localPath, multusManifest, stackSeconds }, mirror, multus, emulation }) => {
    const as = { kubeconfig, fieldManager };
    const wait = { kubeconfig, deadlineSeconds: stackSeconds };
    const defined = (name: string) =>
      t.kubeWait({
        ...wait,
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        name,
        condition: "Established",
      });
    const way = { kubeconfig, way: multus, deadlineSeconds: stackSeconds };
    return [
      oneMultus(way),
      multus === "manifest" &&
        multusManifest !== undefined &&
        t.kubeManifest({
          ...as,
          url: fileUrl("multus", multusManifest.version, "multus-daemonset.yml", mirror),
          checksum: multusManifest.manifest,
        }),
      defined("network-attachment-definitions.k8s.cni.cncf.io"),
      multusRuns(way),
      t.kubeManifest({
        ...as,
        url: fileUrl("local-path", localPath.version, "local-path-storage.yaml", mirror),
        checksum: localPath.manifest,
      }),
      t.kubeWait({
        ...wait,
        apiVersion: "apps/v1",
        kind: "Deployment",
        name: "local-path-provisioner",
        namespace: "local-path-storage",
        condition: "Available",
      }),
      t.kubeManifest({
        ...as,
        url: fileUrl("kubevirt", kubevirt.version, "kubevirt-operator.yaml", mirror),
        checksum: kubevirt.operator,
      }),
      defined("kubevirts.kubevirt.io"),
      t.kubeObject({ ...as, object: kubeVirtObject({ emulation }) }),
      t.kubeWait({
        ...wait,
        apiVersion: "kubevirt.io/v1",
        kind: "KubeVirt",
        name: "kubevirt",
        namespace: "kubevirt",
        condition: "Available",
      }),
      t.kubeManifest({
        ...as,
        url: fileUrl("cdi", cdi.version, "cdi-operator.yaml", mirror),
        checksum: cdi.operator,
      }),
      defined("cdis.cdi.kubevirt.io"),
      t.kubeObject({ ...as, object: cdiObject() }),
      t.kubeWait({ ...wait, apiVersion: "cdi.kubevirt.io/v1beta1", kind: "CDI", name: "cdi", condition: "Available" }),
      defined("datavolumes.cdi.kubevirt.io"),
    ];
  },
);

/** Installs KubeVirt's `virtctl` program on a server, if its digest is given. */
export const virtctl = role(
  {
    name: "virtctl",
    summary: "Install KubeVirt's virtctl program on a host",
    params: z.strictObject({
      kubevirt: z.custom<Stack["kubevirt"]>(),
      rke2: z.custom<Pick<Rke2, "mirror">>(),
      architecture: z.string(),
    }),
  },
  ({ kubevirt: { version, virtctl: digests }, rke2: { mirror }, architecture }) => {
    const arch = (architectures as Readonly<Record<string, "amd64" | "arm64">>)[architecture] ?? "amd64";
    const checksum = digests[arch];
    if (checksum === undefined) return [];
    return [
      t.download({
        url: fileUrl("kubevirt", version, `virtctl-${version}-linux-${arch}`, mirror),
        path: "/usr/local/bin/virtctl",
        checksum,
        mode: "0755",
        owner: "root",
        group: "root",
      }),
    ];
  },
);
