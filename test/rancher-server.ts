import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** The API token that the server accepts. */
export const rancherToken = "token-abc:secretsecret";

/** A small fake of a Rancher server: clusters, and registration tokens whose URL appears a moment later. */
export class RancherServer {
  clusters: { id: string; name: string; state: string; labels?: object }[] = [];
  tokens: { clusterId: string; asked: number }[] = [];
  /** The posted requests in order, each as its path and body. */
  posts: string[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      void bodyOf(request).then((body) => {
        const at = new URL(request.url ?? "/", "http://x");
        const known = request.headers.authorization === `Bearer ${rancherToken}`;
        const [status, answer] = known ? this.#answer(request.method ?? "GET", at, body) : [401, { type: "error" }];
        response.writeHead(status).end(JSON.stringify(answer));
      });
    });
  }

  /** Starts the server, which listens only on the loopback interface. */
  static async start(): Promise<RancherServer> {
    const rancher = new RancherServer();
    await new Promise<void>((resolve) => void rancher.#server.listen(0, "127.0.0.1", resolve));
    return rancher;
  }

  /** The server's URL, without a trailing slash. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The URL through which a cluster registers itself. */
  get registration(): string {
    return `${this.url}/v3/import/veryverysecret_c-m-1.yaml`;
  }

  /** Forgets all clusters, tokens and requests. */
  reset(): void {
    [this.clusters, this.tokens, this.posts] = [[], [], []];
  }

  close(): void {
    this.#server.close();
  }

  #answer(method: string, at: URL, body: Posted): [number, object] {
    if (method === "POST") {
      this.posts.push(`${at.pathname} ${JSON.stringify(body)}`);
      if (at.pathname === "/v3/clusters")
        this.clusters.push({ id: "c-m-1", name: body.name ?? "", state: "pending", labels: body.labels ?? {} });
      else this.tokens.push({ clusterId: body.clusterId ?? "", asked: 0 });
      return [201, {}];
    }
    if (at.pathname === "/v3/clusters")
      return [200, { data: this.clusters.filter(({ name }) => name === at.searchParams.get("name")) }];
    const own = this.tokens.filter(({ clusterId }) => clusterId === at.searchParams.get("clusterId"));
    for (const token of own) token.asked += 1;
    return [200, { data: own.map(({ asked }) => (asked > 1 ? { manifestUrl: this.registration } : {})) }];
  }
}

interface Posted {
  readonly name?: string;
  readonly labels?: object;
  readonly clusterId?: string;
}

async function bodyOf(request: IncomingMessage): Promise<Posted> {
  let text = "";
  for await (const part of request) text += String(part);
  return JSON.parse(text || "{}") as Posted;
}
