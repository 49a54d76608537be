import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Call } from "./call.ts";
import { answer } from "./routes.ts";
import { ApiFailure, CloudState } from "./state.ts";
import { answerOther, otherApis } from "./other-apis.ts";
import { project, zone } from "./place.ts";
import type { CloudSettings } from "./settings.ts";

export { project, zone } from "./place.ts";

/** A failure that is injected into the next matching calls. */
export interface Planned {
  /** Matches `METHOD path`. */
  readonly on: RegExp;
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  times: number;
}

/**
 * A fake of the part of the Compute Engine API that furrow uses, over HTTP on 127.0.0.1, for Google's own client. The
 * addresses that it assigns are in 127.0.0.0/8.
 */
export class GceFake {
  state = new CloudState();
  readonly settings: CloudSettings = {
    zones: [zone, "europe-west3-b", "us-central1-a", "asia-east1-a"],
    full: new Set(),
    quota: 1000,
    denied: new Set(),
    granted: new Set(),
    conditional: [],
    policies: {},
    limits: {},
    accounts: new Set(),
    keys: {},
    logins: {},
    self: "",
    projectMetadata: {},
    firewallPolicies: [],
    closed: new Set(),
    listLag: 0,
    hostKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFake"],
    addressOf: (number) => `127.20.0.${number}`,
  };
  /** All calls in order, each as `METHOD path`. */
  readonly calls: string[] = [];
  /** All permissions that were queried. */
  readonly asked = new Set<string>();
  readonly planned: Planned[] = [];
  /** Called with the number of each call after the call has been performed; returns true to suppress the response. */
  cut: (call: number) => boolean = () => false;
  /** Returns a substitute for the response to a call, `METHOD path`; undefined to keep the response. */
  instead: (call: string) => object | undefined = () => undefined;
  /** Called for each call, as `METHOD path`, after its response has been sent. */
  answered: (call: string) => void = () => undefined;
  /** False if the credentials have expired. */
  trusts = true;
  readonly #folder = mkdtempSync(join(tmpdir(), "furrow-gce-"));
  readonly #server: Server = createServer((request, response) => void this.#take(request, response));
  #isCut = false;

  /** Starts the server. Returns the environment variables with which Google's client finds the fake. */
  async start(): Promise<Record<string, string>> {
    await new Promise<void>((settle) => this.#server.listen(0, "127.0.0.1", settle));
    const { port } = this.#server.address() as AddressInfo;
    const token = join(this.#folder, "token");
    const credentials = join(this.#folder, "credentials.json");
    writeFileSync(token, "subject");
    // Workload identity (https://google.aip.dev/auth/4117), because only credentials of this type name the token server
    // in their file.
    const file = {
      type: "external_account",
      audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/fake",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      token_url: `http://127.0.0.1:${port}/v1/token`,
      credential_source: { file: token },
    };
    writeFileSync(credentials, JSON.stringify(file));
    this.#seed();
    return {
      GOOGLE_APPLICATION_CREDENTIALS: credentials,
      CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE: `http://127.0.0.1:${port}/compute/v1/`,
      ...otherApis(`http://127.0.0.1:${port}`),
      GOOGLE_CLOUD_PROJECT: project,
      METADATA_SERVER_DETECTION: "none",
    };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((settle) => this.#server.close(settle));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Removes all resources and restores the default settings. */
  wipe(): void {
    this.state = new CloudState();
    this.calls.length = 0;
    this.planned.length = 0;
    this.#seed();
    this.heal();
  }

  /** Lets the fake respond again after its responses were cut off. */
  heal(): void {
    this.#isCut = false;
    this.cut = () => false;
    this.instead = () => undefined;
  }

  /** Calls that change resources. Waits for operations and permission queries are not included. */
  get changes(): string[] {
    return this.calls.filter(
      (call) => !/^GET |\/wait$|[/:](testIamPermissions|getAncestry|getIamPolicy)$|\/tokeninfo$/.test(call),
    );
  }

  /** Names of the existing resources by collection, except for those that the provider supplies. */
  things(): Record<string, string[]> {
    const found: Record<string, string[]> = {};
    for (const [key, { automatic }] of this.state.things) {
      if (automatic === true) continue;
      const [collection = "", name = ""] = key.split("/").slice(-2);
      if (!/^(machineTypes|diskTypes|images)$/.test(collection)) (found[collection] ??= []).push(name);
    }
    return found;
  }

  #seed(): void {
    for (const at of this.settings.zones) {
      for (const [name, guestCpus, memoryMb, architecture] of types) {
        this.state.put(`projects/${project}/zones/${at}/machineTypes/${name}`, {
          name,
          guestCpus,
          memoryMb,
          architecture,
        });
      }
    }
    for (const at of this.settings.zones) {
      for (const [name, validDiskSize] of diskTypes) {
        this.state.put(`projects/${project}/zones/${at}/diskTypes/${name}`, { name, validDiskSize });
      }
    }
    const image = (of: string, name: string, family: string): unknown =>
      this.state.put(`projects/${of}/global/images/${name}`, { name, family, diskSizeGb: "10" });
    image("suse-cloud", "sles-15-sp7", "sles-15");
    image("debian-cloud", "debian-12-v1", "debian-12");
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (this.#isCut) return void request.socket.destroy();
    if (url.pathname === "/v1/token") return send(response, ...this.#token());
    const path = decodeURIComponent(url.pathname.replace(/^\/compute\/v1\//, ""));
    const text = Buffer.concat(parts).toString("utf8");
    const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
    const method = request.method ?? "GET";
    const number = this.calls.push(`${method} ${path}`);
    if (path.endsWith(":testIamPermissions") && Array.isArray(body["permissions"]))
      for (const name of body["permissions"]) this.asked.add(String(name));
    const [status, answered] = this.#answer(request, { method, path, query: url.searchParams, body });
    this.#isCut = this.cut(number);
    if (this.#isCut) return void request.socket.destroy();
    response.once("finish", () => this.answered(`${method} ${path}`));
    return send(response, status, answered);
  }

  #answer(request: IncomingMessage, call: Call): [number, object] {
    try {
      this.state.tick();
      if (!this.trusts || request.headers.authorization !== "Bearer fake") {
        throw new ApiFailure(401, "authError", "Request had invalid authentication credentials.");
      }
      const failure = this.planned.find(({ on, times }) => times > 0 && on.test(`${call.method} ${call.path}`));
      if (failure) {
        failure.times -= 1;
        throw new ApiFailure(failure.status, failure.reason, failure.message);
      }
      const instead = this.instead(`${call.method} ${call.path}`);
      if (instead !== undefined) return [200, instead];
      const other = answerOther(this.settings, call.method, call.path, call.body);
      return [200, other ?? answer(this.state, this.settings, call)];
    } catch (error) {
      // A bug in the fake must not look like a cloud that does not respond.
      if (!(error instanceof ApiFailure)) return [501, { error: { code: 501, message: String(error), errors: [] } }];
      const { status: code, reason, message } = error;
      const errors = [{ message, domain: "global", reason }];
      const info = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "googleapis.com" };
      return [code, { error: { code, message, errors, ...(/^[A-Z_]+$/.test(reason) && { details: [info] }) } }];
    }
  }

  #token(): [number, object] {
    if (!this.trusts) return [400, { error: "invalid_grant", error_description: "The subject token has expired." }];
    const type = "urn:ietf:params:oauth:token-type:access_token";
    return [200, { access_token: "fake", issued_token_type: type, token_type: "Bearer", expires_in: 3600 }];
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** https://cloud.google.com/compute/docs/reference/rest/v1/diskTypes */
const diskTypes = [
  ["pd-standard", "10GB-65536GB"],
  ["pd-balanced", "10GB-65536GB"],
  ["pd-ssd", "10GB-65536GB"],
  ["hyperdisk-balanced", "4GB-65536GB"],
] as const;

const types = [
  ["n2-standard-16", 16, 65_536, "X86_64"],
  ["n2-standard-32", 32, 131_072, "X86_64"],
  ["n4-standard-16", 16, 65_536, "X86_64"],
  ["e2-standard-16", 16, 65_536, "X86_64"],
  ["t2a-standard-16", 16, 65_536, "ARM64"],
] as const;
