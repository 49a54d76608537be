import { readFile } from "node:fs/promises";
import { request } from "node:https";
import { parse } from "yaml";

interface Kubeconfig {
  readonly clusters: readonly {
    readonly cluster: {
      readonly server: string;
      readonly "tls-server-name"?: string;
      readonly "certificate-authority-data": string;
    };
  }[];
  readonly users: readonly {
    readonly user: { readonly "client-certificate-data": string; readonly "client-key-data": string };
  }[];
}

/** A node as the cluster's API describes it. */
export interface KubernetesNode {
  readonly name: string;
  readonly ready: boolean;
  /** The parts of the node's labels after `node-role.kubernetes.io/`, sorted. */
  readonly roles: readonly string[];
}

/**
 * Queries a cluster as kubectl would: at the kubeconfig's server, with the kubeconfig's certificates and server name.
 * With an object, creates that object.
 */
export async function ask(kubeconfig: string, path: string, create?: object): Promise<unknown> {
  return send(kubeconfig, create === undefined ? "GET" : "POST", path, create);
}

/** Deletes an object. */
export async function remove(kubeconfig: string, path: string): Promise<unknown> {
  return send(kubeconfig, "DELETE", path);
}

async function send(kubeconfig: string, method: string, path: string, create?: object): Promise<unknown> {
  const { clusters, users } = parse(await readFile(kubeconfig, "utf8")) as Kubeconfig;
  const [cluster, user] = [clusters[0]?.cluster, users[0]?.user];
  if (cluster === undefined || user === undefined) throw new Error(`${kubeconfig} is not a kubeconfig`);
  const decoded = (text: string): Buffer => Buffer.from(text, "base64");
  const options = {
    ca: decoded(cluster["certificate-authority-data"]),
    cert: decoded(user["client-certificate-data"]),
    key: decoded(user["client-key-data"]),
    ...(cluster["tls-server-name"] !== undefined && { servername: cluster["tls-server-name"] }),
  };
  return new Promise((resolve, reject) => {
    const asked = request(new URL(path, cluster.server), { ...options, method }, (response) => {
      let text = "";
      response.on("data", (data: Buffer) => (text += data.toString("utf8")));
      response.on("end", () => resolve(JSON.parse(text)));
    });
    const body = create === undefined ? "" : JSON.stringify(create);
    asked.on("error", reject).setHeader("content-length", Buffer.byteLength(body));
    asked.end(body);
  });
}

/** The nodes of a cluster. */
export async function nodesOf(kubeconfig: string): Promise<KubernetesNode[]> {
  const { items } = (await ask(kubeconfig, "/api/v1/nodes")) as {
    items: {
      metadata: { name: string; labels: Record<string, string> };
      status: { conditions: { type: string; status: string }[] };
    }[];
  };
  return items.map(({ metadata: { name, labels }, status: { conditions } }) => ({
    name,
    ready: conditions.some(({ type, status }) => type === "Ready" && status === "True"),
    roles: Object.keys(labels)
      .filter((label) => label.startsWith("node-role.kubernetes.io/"))
      .map((label) => label.split("/")[1] ?? "")
      .toSorted(),
  }));
}
