import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { accessActions, type Action } from "./access.ts";
import { machineActions } from "./machines.ts";
import { networkActions } from "./network.ts";
import { serviceQuota } from "./quotas.ts";
import { serviceSetting } from "./settings.ts";
import { storageActions } from "./storage.ts";
import { ApiError, type Param, parseQuery, text, xml } from "./wire.ts";
import { type Behaviour, World } from "./world.ts";

/** One call that the fake received. */
export interface Call {
  /** Number of the call, counted from 1. */
  readonly number: number;
  readonly region: string;
  readonly action: string;
  readonly params: Readonly<Record<string, Param>>;
  /** False if the call only reads. */
  readonly mutating: boolean;
}

/**
 * A fault that a test injects into a call: an error instead of the action, or no response after the action, as if the
 * caller had been killed.
 */
export type Verdict = ApiError | "silence" | undefined;

/** Hooks and settings of a fake. */
export interface FakeOptions extends Partial<Behaviour> {
  /** Called before each call is performed; a promise delays the call. */
  readonly judge?: (call: Call) => Verdict | Promise<Verdict>;
  /** Called after each call's response has been sent. */
  readonly answered?: (call: Call) => void;
}

/** A running fake of EC2. */
export interface Ec2Fake {
  readonly url: string;
  /** All calls so far. */
  readonly calls: Call[];
  world(region?: string): World;
  /** Removes all resources and calls, and applies the new settings. */
  reset(options?: FakeOptions): void;
  /** Keeps all resources and applies the new settings. */
  keep(options: FakeOptions): void;
  close(): Promise<void>;
}

const actions: Readonly<Record<string, Action>> = {
  ...accessActions,
  ...machineActions,
  ...networkActions,
  ...storageActions,
};

const behaviour: Behaviour = {
  lateness: 1,
  pageSize: 1000,
  emptyFirstPage: false,
  usedToken: "error",
  addressOf: (serial) => `127.1.${serial >> 8}.${serial & 255}`,
  hostKeys: [`ssh-ed25519 ${"A".repeat(68)}`],
  silence: 1,
  console: "both",
  soldOut: [],
  quota: Number.POSITIVE_INFINITY,
  denied: [],
  hostManagement: "Default",
  processors: 256,
  mostVpcs: 5,
  mostAddresses: 5,
  defaultZones: ["a", "b", "c"],
  onlyInZoneA: [],
};

/**
 * Starts a fake of EC2 on a free port on 127.0.0.1. The fake uses the query protocol: requests are forms, responses are
 * XML.
 */
export async function startEc2Fake(options: FakeOptions = {}): Promise<Ec2Fake> {
  const worlds = new Map<string, World>();
  const calls: Call[] = [];
  let { judge, answered, ...own } = options;
  const world = (region = "eu-test-1"): World => {
    const known = worlds.get(region) ?? new World(region, { ...behaviour, ...own });
    worlds.set(region, known);
    return known;
  };
  const server = createServer((request, response) => {
    void bodyOf(request).then(async (body) => {
      const { region, key } = signerOf(request);
      if (request.headers["x-amz-target"] !== undefined) {
        const isSetting = request.headers["x-amz-target"] === "AmazonSSM.GetServiceSetting";
        const { status, body: text } = (isSetting ? serviceSetting : serviceQuota)(world(region), body);
        response.writeHead(status, { "content-type": "application/x-amz-json-1.1" }).end(text);
        return;
      }
      const params = parseQuery(body);
      const action = text(params, "Action") ?? "";
      const dry = text(params, "DryRun") === "true";
      const mutating = !dry && !/^(Describe|Get)/.test(action);
      const call = { number: calls.length + 1, region, action, params, mutating };
      calls.push(call);
      const verdict = await judge?.(call);
      const answer = verdict instanceof ApiError ? fault(verdict) : answerTo(world(region), call, key);
      // The call was performed, but its caller has been killed, so it gets no response.
      if (verdict === "silence") return;
      response.writeHead(answer.status, { "content-type": "text/xml" }).end(answer.body, () => answered?.(call));
    });
  });
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    world,
    reset: (next = {}) => {
      worlds.clear();
      calls.length = 0;
      ({ judge, answered, ...own } = next);
    },
    keep: (next) => {
      ({ judge, answered, ...own } = next);
      for (const one of worlds.values()) one.behaviour = { ...behaviour, ...own };
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => void server.close(() => done()));
    },
  };
}

function answerTo(world: World, { action, params, mutating }: Call, key: string): { status: number; body: string } {
  try {
    const dry = text(params, "DryRun") === "true";
    allow(key, action, mutating || dry, world.behaviour.denied);
    // https://docs.aws.amazon.com/AWSEC2/latest/APIReference/CommonParameters.html: only the permissions are checked.
    if (dry) {
      throw new ApiError("DryRunOperation", "Request would have succeeded, but DryRun flag is set.", 412);
    }
    const act = actions[action];
    if (act === undefined)
      throw new ApiError("InvalidAction", `The action ${action} is not valid for this web service.`);
    const { Action: _action, Version: _version, ...own } = params;
    const body = xml(act(world, own));
    return {
      status: 200,
      body: `<${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r</requestId>${body}</${action}Response>`,
    };
  } catch (error) {
    if (error instanceof ApiError) return fault(error);
    return fault(new ApiError("InternalError", String(error), 500));
  }
}

/**
 * Throws the error that a special access key stands for (`READONLY` only if the action changes something). The errors
 * are those in https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html#CommonErrors
 */
function allow(key: string, action: string, mutating: boolean, denied: readonly string[]): void {
  if (key === "EXPIRED") throw new ApiError("RequestExpired", "Request has expired.");
  if (key === "UNKNOWN") {
    throw new ApiError("AuthFailure", "AWS was not able to validate the provided access credentials", 401);
  }
  if (denied.includes(action)) {
    const user = "User: arn:aws:iam::123456789012:user/me is not authorized to perform:";
    throw new ApiError(
      "UnauthorizedOperation",
      `You are not authorized to perform this operation. ${user} ec2:${action} on resource: * because no identity-based policy allows the ec2:${action} action`,
      403,
    );
  }
  if (key === "READONLY" && mutating) {
    throw new ApiError("UnauthorizedOperation", `You are not authorized to perform this operation: ec2:${action}`, 403);
  }
}

function fault({ code, message, status }: ApiError): { status: number; body: string } {
  return {
    status,
    body: `<?xml version="1.0"?><Response>${xml({ Errors: { Error: { Code: code, Message: message } }, RequestID: "r" })}</Response>`,
  };
}

/** The signature contains the region and the access key: `Credential=KEY/20261121/eu-test-1/ec2/aws4_request`. */
function signerOf({ headers }: IncomingMessage): { region: string; key: string } {
  const [, key = "", region = ""] = /Credential=([^/]+)\/\d+\/([^/]+)\//.exec(headers.authorization ?? "") ?? [];
  return { region, key };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
