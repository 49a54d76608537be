import { etcdCondition, machineOf } from "../../guards/examples.ts";
import type { ApiServer } from "../server/api-server.ts";

/** Ready nodes with etcd votes and addresses. */
export function nodes(...names: readonly string[]): object[] {
  return names.map((name, at) => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        "kubernetes.io/hostname": name,
        "node-role.kubernetes.io/control-plane": "true",
        "node-role.kubernetes.io/etcd": "true",
      },
    },
    spec: { podCIDR: `10.52.${at}.0/24`, podCIDRs: [`10.52.${at}.0/24`] },
    status: {
      addresses: [{ type: "InternalIP", address: `192.168.10.1${at + 1}` }],
      conditions: [{ type: "Ready", status: "True", reason: "x", message: "" }, etcdCondition()],
    },
  }));
}

/** Three nodes. */
export const threeNodes: readonly object[] = nodes("harvester-1", "harvester-2", "harvester-3");

/** A Harvester object. */
export function harvester(kind: string, object: object): object {
  return { apiVersion: "harvesterhci.io/v1beta1", kind, ...object };
}

/** A Harvester setting. */
export function setting(name: string, more: object = {}): object {
  return harvester("Setting", { metadata: { name }, ...more });
}

/** A ConfigMap. */
export function configMap(name: string, namespace: string, data: object): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data };
}

/** The ConfigMap with the virtual address. */
export function vip(ip: string): object {
  return configMap("vip", "harvester-system", { enabled: "true", ip });
}

/** A virtual machine with a run strategy. */
export function machine(name: string, runStrategy: string): object {
  const { spec, ...more } = machineOf(name) as { readonly spec: object };
  return { apiVersion: "kubevirt.io/v1", kind: "VirtualMachine", ...more, spec: { ...spec, runStrategy } };
}

/** The certificate of the API server's authority, in the ConfigMap in which a cluster publishes it. */
export function authorityOf(server: ApiServer): object {
  const view = "--output=jsonpath={.clusters[0].cluster.certificate-authority-data}";
  const text = server.kubectl(["config", "view", "--raw", view]);
  return configMap("kube-root-ca.crt", "kube-system", { "ca.crt": Buffer.from(text, "base64").toString("utf8") });
}

/** Text, encoded for the data of a Secret. */
export const base64 = (text: string): string => Buffer.from(text).toString("base64");
