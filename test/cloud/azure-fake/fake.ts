import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttps, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Issuer } from "../../issued.ts";
import { addressView, interfaceView, type FakeMachine, machineView } from "./views.ts";

/** The subscription that the fake has. */
export const subscription = "00000000-0000-4000-8000-000000000001";

/** An error answer, as in the specification's CloudError. */
interface Failure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** A failure that is injected into the next matching calls. */
interface Planned extends Failure {
  readonly on: RegExp;
  times: number;
}

/**
 * A fake of the questions that furrow asks Azure Resource Manager, over HTTPS on 127.0.0.1, with the answers of the
 * published REST specifications (https://github.com/Azure/azure-rest-api-specs), and of the token endpoint of a managed
 * identity. It refuses unknown paths, parameters and versions. Pages have two entries.
 */
export class AzureFake {
  readonly machines: FakeMachine[] = [];
  /** The paths of all questions, in order. */
  readonly calls: string[] = [];
  readonly planned: Planned[] = [];
  /** The file with the certificate of the authority, for NODE_EXTRA_CA_CERTS. */
  get authorityFile(): string {
    return this.#issuer.path("authority.crt");
  }
  /** The certificate of the authority. */
  get authority(): string {
    return this.#issuer.text("authority.crt");
  }
  readonly #folder = mkdtempSync(join(tmpdir(), "furrow-azure-"));
  readonly #issuer = new Issuer(this.#folder);
  readonly #tokens = createHttp((request, response) => this.#giveToken(request, response));
  #server: Server | undefined;

  /** Starts the servers. Returns the environment variables with which the SDK and furrow find them. */
  async start(): Promise<Record<string, string>> {
    this.#issuer.authority("authority");
    this.#issuer.issue("server", "authority", "IP:127.0.0.1");
    const server = createHttps(
      { key: this.#issuer.text("server.key"), cert: this.#issuer.text("server.crt") },
      (request, response) => this.#take(request, response),
    );
    this.#server = server;
    await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
    await new Promise<void>((settle) => this.#tokens.listen(0, "127.0.0.1", settle));
    const portOf = (one: { address: () => unknown }): number => (one.address() as AddressInfo).port;
    return {
      AZURE_RESOURCE_MANAGER_URL: `https://127.0.0.1:${portOf(server)}`,
      AZURE_SUBSCRIPTION_ID: subscription,
      AZURE_TOKEN_CREDENTIALS: "ManagedIdentityCredential",
      IDENTITY_ENDPOINT: `http://127.0.0.1:${portOf(this.#tokens)}/token`,
      IDENTITY_HEADER: "fake",
    };
  }

  async stop(): Promise<void> {
    for (const server of [this.#server, this.#tokens]) {
      server?.closeAllConnections();
      await new Promise((settle) => server?.close(settle));
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #giveToken({ headers, url = "" }: IncomingMessage, response: ServerResponse): void {
    const isKnown = headers["x-identity-header"] === "fake" && url.startsWith("/token?");
    const expires_on = String(Math.floor(Date.now() / 1000) + 3600);
    const token = { access_token: "token", expires_on, resource: "https://management.azure.com", token_type: "Bearer" };
    const refusal = { statusCode: 400, message: "No managed identity", correlationId: "x" };
    send(response, isKnown ? 200 : 400, isKnown ? token : refusal);
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", `https://${request.headers.host}`);
    this.calls.push(url.pathname);
    const answer = this.#answer(request, url);
    if (!("status" in answer)) return send(response, 200, answer);
    const { status, code, message } = answer as Failure;
    send(response, status, { error: { code, message } });
  }

  #answer({ method, headers }: IncomingMessage, url: URL): object {
    if (headers.authorization !== "Bearer token") return fails(401, "AuthenticationFailed", "Authentication failed.");
    const failure = this.planned.find(({ on, times }) => times > 0 && on.test(url.pathname));
    if (failure) {
      failure.times -= 1;
      return fails(failure.status, failure.code, failure.message);
    }
    const unknown = [...url.searchParams.keys()].find((name) => !/^(api-version|\$skiptoken)$/.test(name));
    if (unknown !== undefined) return fails(400, "InvalidParameter", `unknown parameter ${unknown}`);
    if (!/^20\d\d-\d\d-\d\d$/.test(url.searchParams.get("api-version") ?? "")) {
      return fails(400, "MissingApiVersionParameter", "The api-version query parameter (?api-version=) is required.");
    }
    const [, of, group, sort = "", name, more] = questions.exec(url.pathname) ?? [];
    if (method !== "GET" || of === undefined) return fails(404, "InvalidResourceType", `unknown: ${url.pathname}`);
    if (of !== subscription) return fails(404, "SubscriptionNotFound", `The subscription '${of}' could not be found.`);
    const inGroup = this.machines.filter((one) => group === undefined || one.group === group.toLowerCase());
    if (group !== undefined && inGroup.length === 0) {
      return fails(404, "ResourceGroupNotFound", `Resource group '${group}' could not be found.`);
    }
    if (more === "instanceView") {
      const machine = inGroup.find((one) => one.name === name);
      if (machine === undefined) return fails(404, "ResourceNotFound", `The Resource '${name}' was not found.`);
      const statuses = ["ProvisioningState/succeeded", `PowerState/${machine.state}`];
      return { statuses: statuses.map((code) => ({ code, level: "Info" })) };
    }
    if (sort === "virtualMachines") return pageOf(inGroup.map(machineView), url);
    if (sort === "networkInterfaces") return pageOf(inGroup.map(interfaceView), url);
    return pageOf(inGroup.filter(({ address }) => address !== "").map(addressView), url);
  }
}

const questions =
  /^\/subscriptions\/([^/]+)(?:\/resourceGroups\/([^/]+))?\/providers\/(?:Microsoft\.Compute\/(?=virtualMachines)|Microsoft\.Network\/(?=networkInterfaces|publicIPAddresses))([^/]+)(?:\/([^/]+)\/(instanceView))?$/;

function fails(status: number, code: string, message: string): Failure {
  return { status, code, message };
}

/** A page of a list: its entries, and the link to the next page if there is one. */
function pageOf(all: readonly object[], url: URL): object {
  const at = Number(url.searchParams.get("$skiptoken") ?? 0);
  const next = new URL(url);
  next.searchParams.set("$skiptoken", String(at + 2));
  return { value: all.slice(at, at + 2), ...(at + 2 < all.length && { nextLink: next.href }) };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
