import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttps, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Issuer } from "../../issued.ts";
import { answerList, answerOfMachine } from "./lists.ts";
import { invalid, Refusal } from "./refusal.ts";
import { type Answer, answer } from "./routes.ts";
import { answerOfSubscription } from "./subscription.ts";
import type { FakeMachine } from "./views.ts";
import { type Failing, type Settings, subscription, World } from "./world.ts";

export { subscription } from "./world.ts";

/** A failure that is injected into the next matching calls. */
export interface Planned {
  /** Matches `METHOD path`, with the path below the subscription. */
  readonly on: RegExp;
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly retryAfter?: number;
  times: number;
}

/** The parameters that a request may have. */
const parameters = /^(api-version|\$skiptoken|\$expand|\$filter|\$top|\$orderby)$/;

/** The token that the fake accepts. */
export const token = "azure-fake-token";

/**
 * A fake, over HTTPS on 127.0.0.1, of a managed identity's token endpoint and of the part of Azure Resource Manager
 * that furrow uses. Request and response bodies follow the published REST specifications
 * (https://github.com/Azure/azure-rest-api-specs). The fake has one subscription. It models resource groups, virtual
 * networks with subnets, security groups, public addresses, network interfaces, disks and machines, and which of them
 * use each other. It also models long-running operations, during which it refuses other changes, and what remains when
 * a machine is deleted. It has sizes, images, quotas, features, registered services and permissions. It refuses unknown
 * paths, parameters, properties and values. Each page of a list has two entries. The `machines`, which inventories
 * list, were created by somebody else.
 */
export class AzureFake {
  readonly machines: FakeMachine[] = [];
  readonly settings: Settings = {
    addressOf: (number) => `127.31.0.${number}`,
    console: () => "",
    steps: 1,
    url: "",
  };
  world = new World(this.settings);
  /** All calls in order, each as `METHOD path` with the path below the subscription. */
  readonly calls: string[] = [];
  /** Each call that has a body, together with its body. */
  readonly sent: { readonly call: string; readonly body: unknown }[] = [];
  readonly planned: Planned[] = [];
  readonly failing: Failing[] = [];
  /** Called with the number of each call after the call has been performed; returns true to suppress the response. */
  cut: (call: number) => boolean = () => false;
  /** Whether the response to a call is lost. */
  lost: (call: string) => boolean = () => false;
  /** Whether a call is answered as if it had been performed, but changes nothing. */
  ignored: (call: string) => boolean = () => false;
  #isCut = false;

  /** Calls that change resources. */
  get changes(): string[] {
    return this.calls.filter((call) => !/^GET |retrieveBootDiagnosticsData$/.test(call));
  }

  /** Removes all resources. */
  wipe(): void {
    this.world = new World(this.settings);
    for (const list of [this.machines, this.calls, this.sent, this.planned, this.failing]) list.length = 0;
    this.heal();
  }

  /** Lets the fake respond again after its responses were cut off. */
  heal(): void {
    this.#isCut = false;
    this.cut = () => false;
    this.lost = () => false;
    this.ignored = () => false;
  }

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

  /**
   * Starts the servers. Returns the environment variables with which the SDK and furrow find the fake and its token
   * endpoint.
   */
  async start(): Promise<Record<string, string>> {
    this.#issuer.authority("authority");
    this.#issuer.issue("server", "authority", "IP:127.0.0.1");
    const server = createHttps(
      { key: this.#issuer.text("server.key"), cert: this.#issuer.text("server.crt") },
      (request, response) => void this.#take(request, response),
    );
    this.#server = server;
    await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
    await new Promise<void>((settle) => this.#tokens.listen(0, "127.0.0.1", settle));
    const portOf = (one: { address: () => unknown }): number => (one.address() as AddressInfo).port;
    this.settings.url = `https://127.0.0.1:${portOf(server)}`;
    return {
      AZURE_RESOURCE_MANAGER_URL: this.settings.url,
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
    const given = { access_token: token, expires_on, resource: "https://management.azure.com", token_type: "Bearer" };
    const refusal = { statusCode: 400, message: "No managed identity", correlationId: "x" };
    send(response, isKnown ? 200 : 400, isKnown ? given : refusal);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    if (this.#isCut) return void request.socket.destroy();
    const url = new URL(request.url ?? "/", this.settings.url);
    if (url.pathname.startsWith("/console/")) return this.#giveConsole(url, response);
    const path = decodeURIComponent(url.pathname).replace(`/subscriptions/${subscription}/`, "");
    const call = `${request.method} ${path}`;
    const number = this.calls.push(call);
    const planned = this.planned.find(({ on, times }) => times > 0 && on.test(call));
    const { status, body, operation } = this.#answer(
      request,
      url,
      path,
      Buffer.concat(parts).toString("utf8"),
      planned,
    );
    this.#isCut = this.cut(number);
    if (this.#isCut || this.lost(call)) return void request.socket.destroy();
    const headers: Record<string, string> = { "content-type": "application/json" };
    if (planned?.retryAfter !== undefined) headers["retry-after"] = String(planned.retryAfter);
    if (operation !== undefined) {
      const link = `${this.settings.url}/subscriptions/${subscription}/providers/operations/${operation.id}?api-version=2024-01-01`;
      // Resource groups report operations only in the older way.
      const isGroup = !operation.on.includes("/providers/");
      headers[isGroup ? "location" : "azure-asyncoperation"] = link;
      headers["retry-after"] = "0";
    }
    response.writeHead(status, headers);
    response.end(body === undefined ? undefined : JSON.stringify(body));
  }

  /** The serial console, behind a signed link that needs no login. */
  #giveConsole({ pathname, searchParams }: URL, response: ServerResponse): void {
    const isSigned = searchParams.get("sig") === "signature";
    response.writeHead(isSigned ? 200 : 403, { "content-type": "text/plain" });
    const name = decodeURIComponent(pathname.slice("/console/".length));
    response.end(isSigned ? this.settings.console(name, Number(searchParams.get("count"))) : "");
  }

  #answer(
    { method = "GET", headers }: IncomingMessage,
    url: URL,
    path: string,
    text: string,
    planned: Planned | undefined,
  ): Answer {
    try {
      if (headers.authorization !== `Bearer ${token}`) {
        throw new Refusal(401, "AuthenticationFailed", "Authentication failed.");
      }
      if (planned) {
        planned.times -= 1;
        throw new Refusal(planned.status, planned.code, planned.message);
      }
      return this.#answerKnown(method, url, path, text === "" ? undefined : JSON.parse(text), headers["if-match"]);
    } catch (error) {
      // A bug in the fake must not look like a cloud that does not respond.
      const { status, code, message } =
        error instanceof Refusal ? error : { status: 501, code: "Bug", message: String(error) };
      return { status, body: { error: { code, message } } };
    }
  }

  #answerKnown(method: string, url: URL, path: string, body: unknown, ifMatch: string | undefined): Answer {
    const { searchParams: query, pathname } = url;
    const unknown = [...query.keys()].find((name) => !parameters.test(name));
    if (unknown !== undefined) throw invalid("InvalidParameter", `unknown parameter ${unknown}`);
    if (!/^20\d\d-\d\d-\d\d$/.test(query.get("api-version") ?? "")) {
      throw invalid("MissingApiVersionParameter", "The api-version query parameter (?api-version=) is required.");
    }
    const [, of] = /^\/subscriptions\/([^/]+)\//.exec(pathname) ?? [];
    if (of !== subscription) {
      throw new Refusal(404, "SubscriptionNotFound", `The subscription '${of}' could not be found.`);
    }
    const call = `${method} ${path}`;
    if (body !== undefined) this.sent.push({ call, body });
    if (this.ignored(call)) return { status: 200, body: {} };
    const failing = this.failing.find(({ on, times }) => times > 0 && on.test(call));
    if (failing) failing.times -= 1;
    const { world } = this;
    const { steps } = this.settings;
    const operation = /^GET providers\/operations\/(.+)$/.exec(call)?.[1];
    if (operation !== undefined) return this.#stateOf(operation);
    const request = { method, path, query, body, ifMatch, failing, steps };
    const answered = answerOfSubscription(world, request) ?? answerList(world, this.machines, url, call);
    if (answered !== undefined) return answered;
    const [, group = "", type = "", name = "", below = ""] =
      /^resourceGroups\/([^/]+)\/providers\/(Microsoft\.\w+\/\w+)\/([^/]+)(?:\/(.+))?$/i.exec(path) ?? [];
    if (name === "") throw new Refusal(404, "InvalidResourceType", `unknown: ${call}`);
    const id = `/subscriptions/${subscription}/resourceGroups/${group}/providers/${type}/${name}`;
    const given = answerOfMachine(this.machines, call, { group, type, name, below });
    return given ?? answer(world, { ...request, id, group, type, name, below });
  }

  #stateOf(id: string): Answer {
    const { world } = this;
    const found = world.operations.get(id);
    if (found === undefined) throw new Refusal(404, "NotFound", `The operation ${id} was not found.`);
    const isGroup = !found.on.includes("/providers/");
    if (isGroup && found.status === "InProgress") {
      world.advance(found.on);
      return { status: 202, operation: found };
    }
    if (isGroup) return { status: 200 };
    const { status, error } = found;
    world.advance(found.on);
    return {
      status: 200,
      body: {
        id,
        status,
        ...(status === "Failed" && error && { error: { code: error.code, message: error.message } }),
      },
    };
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
