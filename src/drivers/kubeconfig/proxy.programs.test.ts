import { readFileSync, writeFileSync } from "node:fs";
import { createServer as createHttp, type IncomingMessage } from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, connect, createServer as createTcp, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AnsweringServer, missing } from "../../../test/kube/server/answering-server.ts";
import { kubernetesDriverWith } from "../kubernetes.ts";

const server = new AnsweringServer();
const kubeconfig = join(server.folder, "proxied");
const signal = new AbortController().signal;
const driver = kubernetesDriverWith({ requestMs: 30_000, deadlineMs: 60_000, pauseMs: 10 });
const open: Server[] = [];
/** The requests that the proxies received. */
const asked: string[] = [];

beforeAll(() => server.up());
afterAll(() => {
  for (const one of open) one.close();
  server.down();
});
beforeEach(() => {
  asked.length = 0;
  server.reset();
  server.said = { "GET /api/v1/nodes/a": [{ status: 200, body: { kind: "Node" } }] };
});

async function listening(one: Server): Promise<number> {
  open.push(one);
  await new Promise<void>((resolve) => {
    one.listen(0, "127.0.0.1", resolve);
  });
  return (one.address() as AddressInfo).port;
}

/** Connects to the server, whatever host name the client asks for. */
function pass(socket: Duplex, begin: string | Buffer): void {
  const there = connect(Number(new URL(address()).port), "127.0.0.1", () => {
    socket.write(begin);
    socket.pipe(there).pipe(socket);
  });
  for (const end of [there, socket]) end.on("error", () => [there, socket].forEach((one) => one.destroy()));
}

function onConnect({ url, headers }: IncomingMessage, socket: Duplex): void {
  asked.push(`${url} ${headers["proxy-authorization"] ?? "without a user"}`);
  pass(socket, "HTTP/1.1 200 OK\r\n\r\n");
}

const address = (): string =>
  (JSON.parse(readFileSync(server.kubeconfig, "utf8")) as { clusters: { cluster: { server: string } }[] }).clusters[0]!
    .cluster.server;

/** Writes a kubeconfig with a proxy, and queries the server through it. */
async function readThrough(proxy: string, cluster: object = {}): Promise<unknown> {
  const config = JSON.parse(readFileSync(server.kubeconfig, "utf8")) as { clusters: { cluster: object }[] };
  Object.assign(config.clusters[0]!.cluster, { "proxy-url": proxy, ...cluster });
  writeFileSync(kubeconfig, JSON.stringify(config));
  return driver.read({ kubeconfig, path: "/api/v1/nodes/a" }, signal);
}

const found = { found: true, object: { kind: "Node" } };
const port = (): string => new URL(address()).port;

/** A SOCKS5 proxy that requires a user and password (RFC 1928, RFC 1929) and accepts only names or IPv4 addresses. */
function socks(socket: Socket): void {
  let stage = 0;
  socket.on("error", () => socket.destroy());
  const take = (part: Buffer): void => {
    stage += 1;
    if (stage === 1) {
      const methods = [...part.subarray(2, 2 + part[1]!)];
      return void socket.write(Buffer.from([5, methods.includes(2) ? 2 : 0]));
    }
    if (part[0] === 1) {
      const user = part.subarray(2, 2 + part[1]!).toString();
      asked.push(`${user}:${part.subarray(3 + part[1]!).toString()}`);
      return void socket.write(Buffer.from([1, 0]));
    }
    const isName = part[3] === 3;
    const host = isName ? part.subarray(5, 5 + part[4]!).toString() : [...part.subarray(4, 8)].join(".");
    asked.push(`${isName ? "name" : "address"} ${host}:${part.readUInt16BE(part.length - 2)}`);
    socket.removeListener("data", take);
    return pass(socket, Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
  };
  socket.on("data", take);
}

describe("a proxy", () => {
  test("over http connects to the server, and is given the user from the proxy's URL", async () => {
    const at = await listening(createHttp().on("connect", onConnect));
    expect(await readThrough(`http://127.0.0.1:${at}`)).toEqual(found);
    expect(await readThrough(`http://ana:p%40ss@127.0.0.1:${at}/`)).toEqual(found);
    const basic = Buffer.from("ana:p@ss").toString("base64");
    expect(asked).toEqual([`127.0.0.1:${port()} without a user`, `127.0.0.1:${port()} Basic ${basic}`]);
    expect(server.users).toEqual(["admin", "admin"]);
  });

  test("keeps connections open between queries", async () => {
    const at = await listening(createHttp().on("connect", onConnect));
    await readThrough(`http://127.0.0.1:${at}`);
    server.said["GET /api/v1/namespaces/shop"] = [missing("shop", "namespaces")];
    for (let time = 0; time < 3; time += 1) await driver.read({ has: { kubeconfig, namespace: "shop" } }, signal);
    expect(asked).toHaveLength(2);
  });

  test("over https is verified in the same way as the server", async () => {
    const file = (name: string): Buffer => readFileSync(join(server.folder, name));
    const tls = { key: file("server.key"), cert: file("server.crt") };
    const at = await listening(createHttps(tls).on("connect", onConnect));
    expect(await readThrough(`https://127.0.0.1:${at}`)).toEqual(found);
    expect(await readThrough(`https://localhost:${at}`)).toMatchObject({
      error: { code: "ERR_TLS_CERT_ALTNAME_INVALID", message: expect.stringContaining("through the proxy") as string },
    });
  });

  test("over socks5 resolves the server's name", async () => {
    const at = await listening(createTcp(socks));
    expect(await readThrough(`socks5://127.0.0.1:${at}`)).toEqual(found);
    expect(asked).toEqual([`address 127.0.0.1:${port()}`]);
    asked.length = 0;
    const elsewhere = { server: "https://api.cluster.test:6443", "tls-server-name": "kubernetes" };
    expect(await readThrough(`socks5://ana:p%40ss@127.0.0.1:${at}`, elsewhere)).toEqual(found);
    expect(asked).toEqual(["ana:p@ss", "name api.cluster.test:6443"]);
  });

  test.each(["http", "socks5"])("over %s does not weaken the check of the server's certificate", async (scheme) => {
    const one = scheme === "http" ? createHttp().on("connect", onConnect) : createTcp(socks);
    const at = await listening(one);
    const other = { server: `https://127.0.0.2:${port()}` };
    expect(await readThrough(`${scheme}://127.0.0.1:${at}`, other)).toMatchObject({
      error: { code: "ERR_TLS_CERT_ALTNAME_INVALID" },
    });
    expect(server.seen).toEqual([]);
  });

  test("that answers a request itself is not mistaken for the server", async () => {
    const { body } = missing("a", "nodes");
    const text = JSON.stringify(body);
    for (const [code, expected] of [
      [404, "proxy"],
      [407, "proxy"],
      [503, "proxy-now"],
    ] as const) {
      const refuse = (_: IncomingMessage, socket: Duplex): void =>
        void socket.end(`HTTP/1.1 ${code} No\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
      const at = await listening(createHttp().on("connect", refuse));
      expect(await readThrough(`http://ana:p4ssword@127.0.0.1:${at}`)).toEqual({
        error: { code: expected, message: `the proxy answers HTTP ${code} instead of connecting` },
      });
    }
    const early = (_: IncomingMessage, socket: Duplex): void =>
      void socket.write(`HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 404 No\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
    const at = await listening(createHttp().on("connect", early));
    expect(await readThrough(`http://127.0.0.1:${at}`)).toHaveProperty("error");
  });

  test.each(["http", "https", "socks5"])(
    "over %s that does not answer is named in the error, without its password",
    async (scheme) => {
      const one = createTcp();
      const at = await listening(one);
      await new Promise((resolve) => {
        one.close(resolve);
      });
      const answer = await readThrough(`${scheme}://ana:p4ssword@127.0.0.1:${at}`);
      expect(answer).toMatchObject({ error: { message: expect.stringContaining("through the proxy: ") as string } });
      expect(JSON.stringify(answer)).not.toContain("p4ssword");
    },
  );
});
