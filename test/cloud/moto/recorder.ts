import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type Param, parseQuery, text } from "../ec2-fake/wire.ts";

/** One call and its response. */
export interface Exchange {
  readonly action: string;
  /** All params except the API's action and version. */
  readonly params: Readonly<Record<string, Param>>;
  readonly status: number;
  /** The body of the response, in XML. */
  readonly body: string;
}

/** A proxy for an API that uses the query protocol: forwards every call, and records the call and its response. */
export interface Recorder {
  readonly url: string;
  /** The server that calls are forwarded to. */
  target: string;
  /** Answers a call instead of the server; undefined to forward the call. */
  instead: (action: string, params: Readonly<Record<string, Param>>) => string | undefined;
  /** All exchanges so far. The caller may empty the list. */
  readonly exchanges: Exchange[];
  close(): Promise<void>;
}

/** Starts a recorder on a free port on 127.0.0.1. */
export async function startRecorder(): Promise<Recorder> {
  const exchanges: Exchange[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then(async (body) => {
      const { authorization = "", "content-type": type = "", "x-amz-target": target } = request.headers;
      const headers = {
        authorization,
        "content-type": type,
        ...(target !== undefined && { "x-amz-target": String(target) }),
      };
      const { Action: _action, Version: _version, ...params } = parseQuery(body);
      const action = text(parseQuery(body), "Action") ?? "";
      const instead = recorder.instead(action, params);
      const answer = instead === undefined && (await fetch(recorder.target, { method: "POST", headers, body }));
      const status = answer === false ? 412 : answer.status;
      const said = answer === false ? (instead ?? "") : await answer.text();
      // Service Quotas uses another protocol; moto and our fake both have only a few quotas.
      if (target === undefined) exchanges.push({ action, params, status, body: said });
      response.writeHead(status, { "content-type": "text/xml" }).end(said);
    });
  });
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  const recorder: Recorder = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: "",
    instead: () => undefined,
    exchanges,
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => void server.close(() => done()));
    },
  };
  return recorder;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
