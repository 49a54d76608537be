import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { apply } from "../actors.ts";
import type { ApiServer } from "../server/api-server.ts";

/** The API token that the server accepts. */
export const apiToken = "token-admin:api-token-secret";

/** The kubeconfig that Rancher creates for a cluster, with its own token. */
export function rancherKubeconfig(token: string): string {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "harvester", cluster: { server: "https://rancher/k8s/clusters/c-m-1" } }],
    users: [{ name: "harvester", user: { token } }],
  };
  return JSON.stringify(config);
}

/** A token as Rancher stores it. */
export function tokenObject(name: string, more: object): object {
  return { apiVersion: "management.cattle.io/v3", kind: "Token", metadata: { name }, ...more };
}

/**
 * Simulates Rancher's API, which creates kubeconfigs and stores their tokens as objects in its cluster (v3, clusters).
 */
export class RancherActor {
  /** The number of kubeconfigs created so far. */
  made = 0;
  readonly #server: Server;

  constructor(cluster: ApiServer) {
    this.#server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
      const isKnown = request.headers.authorization === `Bearer ${apiToken}`;
      const answer = (status: number, body: object): void => void response.writeHead(status).end(JSON.stringify(body));
      if (!isKnown) return answer(401, { type: "error" });
      if (pathname !== "/v3/clusters/c-m-1") return answer(404, { type: "error" });
      if (request.method !== "POST") return answer(200, { type: "cluster", actions: { generateKubeconfig: "…" } });
      if (searchParams.get("action") !== "generateKubeconfig") return answer(422, { type: "error" });
      this.made += 1;
      const name = `kubeconfig-user-${this.made}`;
      apply(cluster, tokenObject(name, { ttl: 2_592_000_000, enabled: true }));
      return answer(200, { config: rancherKubeconfig(`${name}:made-secret-${this.made}`) });
    });
  }

  /** Starts the server. Returns its URL. */
  async up(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  down(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
