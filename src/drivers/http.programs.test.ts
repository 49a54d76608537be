import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { redact } from "../core/secrets/redact.ts";
import { httpDriver } from "./http.ts";

const listen = async (server: { listen: Server["listen"]; address: Server["address"] }): Promise<number> => {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
};

const answer: RequestListener = (request, response) => {
  const at = new URL(request.url ?? "/", "http://x");
  if (at.pathname === "/large") return void response.end("x".repeat(200_000));
  if (at.pathname === "/bytes") return void response.end(Buffer.from([0x63, 0xe9]));
  if (at.pathname === "/hang") return undefined;
  if (at.pathname === "/cut") {
    response.writeHead(200, { "content-length": 100 });
    return void response.write("half", () => response.destroy());
  }
  if (at.pathname === "/trickle") return void response.write("…");
  if (at.pathname === "/slow") return void response.writeHead(200).write("half ");
  if (at.pathname === "/to") return void response.writeHead(302, { location: at.searchParams.get("url") ?? "/" }).end();
  response.writeHead(at.pathname === "/missing" ? 404 : 200, {
    "x-seen": `${request.method} ${String(request.headers["x-key"] ?? "")}`,
  });
  request.on("data", (part: Buffer) => void response.write(part)).on("end", () => response.end("pong\n"));
};

const ask = (url: string, rest: object = {}): Promise<unknown> =>
  httpDriver.read({ url, timeoutSeconds: 5, ...rest }, new AbortController().signal);

const noCertificates = ["openssl"].some((program) => spawnSync("sh", ["-c", `command -v ${program}`]).status !== 0);

describe.skipIf(noCertificates)("the http driver", () => {
  const folder = mkdtempSync(join(tmpdir(), "furrow-http-"));
  const closing: { close: () => void }[] = [];
  let base = "";
  let other = "";
  let tls = "";
  let closed = "";
  let noise = "";

  beforeAll(async () => {
    const openssl = [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-days",
      "2",
    ];
    const out = ["-keyout", join(folder, "key"), "-out", join(folder, "cert"), "-subj", "/CN=localhost"];
    execFileSync("openssl", [...openssl, ...out, "-addext", "subjectAltName=IP:127.0.0.1"], { stdio: "ignore" });
    const [key, cert] = [readFileSync(join(folder, "key")), readFileSync(join(folder, "cert"))];
    const servers = [createServer(answer), createServer(answer), createTlsServer({ key, cert }, answer)] as const;
    const garbage = createTcpServer((socket) => socket.end("SSH-2.0-OpenSSH\r\n"));
    const gone = createServer();
    closing.push(...servers, garbage);
    base = `http://127.0.0.1:${await listen(servers[0])}`;
    other = `http://127.0.0.1:${await listen(servers[1])}`;
    tls = `https://127.0.0.1:${await listen(servers[2])}`;
    noise = `http://127.0.0.1:${await listen(garbage as never)}`;
    closed = `http://127.0.0.1:${await listen(gone)}`;
    gone.close();
  });
  afterAll(() => {
    closing.forEach((server) => server.close());
    rmSync(folder, { recursive: true });
  });

  test("reports status, body and headers, even for failures", async () => {
    expect(await ask(base)).toMatchObject({ status: 200, body: "pong\n", headers: { "x-seen": "GET" } });
    expect(await ask(`${base}/missing`)).toMatchObject({ status: 404, body: "pong\n" });
    expect(await ask(base, { method: "POST", body: "ping ", headers: { "x-key": "k" } })).toMatchObject({
      body: "ping pong\n",
      headers: { "x-seen": "POST k" },
    });
    expect(await ask(`${base}/bytes`)).toMatchObject({ body: "c\udce9" });
  });

  test("keeps 64 KiB of a body, or as much as requested", async () => {
    expect(((await ask(`${base}/large`)) as { body: string }).body).toHaveLength(65_536);
    expect(((await ask(`${base}/large`, { maxBytes: 150_000 })) as { body: string }).body).toHaveLength(150_000);
  });

  test("follows redirects if requested, and sends headers only to the first server", async () => {
    const url = `${base}/to?url=${encodeURIComponent(`${other}/x`)}`;
    expect(await ask(url)).toMatchObject({ status: 302 });
    const followed = await ask(url, { redirects: 3, headers: { "x-key": "k" } });
    expect(followed).toMatchObject({ status: 200, headers: { "x-seen": "GET" } });
    const home = await ask(`${base}/to?url=/x`, { redirects: 3, headers: { "x-key": "k" } });
    expect(home).toMatchObject({ status: 200, headers: { "x-seen": "GET k" } });
    expect(await ask(`${base}/to?url=file:///etc/passwd`, { redirects: 3 })).toMatchObject({ status: 302 });
  });

  test("reports why there is no answer", async () => {
    expect(await ask(closed)).toMatchObject({ error: { code: "ECONNREFUSED" } });
    expect(await ask("http://no-such-host.invalid/")).toMatchObject({
      error: { code: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/) as string },
    });
    expect(await ask(`${base}/cut`)).toMatchObject({ error: { code: "ECONNRESET" } });
    expect(await ask(noise)).toMatchObject({ error: { code: expect.stringMatching(/^HPE_/) as string } });
    expect(await ask(base.replace("http:", "https:"))).toMatchObject({
      error: {
        code: expect.stringMatching(/SSL|EPROTO/) as string,
        message: "the server does not answer with TLS: this may be a port for http://",
      },
    });
  });

  test.each(["/hang", "/trickle"])("gives up on %s after its timeout", async (path) => {
    const started = performance.now();
    expect(await ask(base + path, { timeoutSeconds: 0.3 })).toEqual({
      error: { code: "ETIMEDOUT", message: "no complete answer within 0.3 s" },
    });
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  test("trusts a self-signed certificate only when told to", async () => {
    expect(await ask(tls)).toMatchObject({ error: { code: "DEPTH_ZERO_SELF_SIGNED_CERT" } });
    expect(await ask(tls, { insecure: true })).toMatchObject({ status: 200 });
    expect(await ask(tls, { caCert: readFileSync(join(folder, "cert"), "utf8") })).toMatchObject({ status: 200 });
  });

  test("returns the status and the received part of a slow body if the request accepts a partial body", async () => {
    expect(await ask(`${base}/slow`, { timeoutSeconds: 0.3, partial: true })).toMatchObject({
      status: 200,
      body: "half ",
    });
    expect(await ask(`${base}/hang`, { timeoutSeconds: 0.3, partial: true })).toMatchObject({
      error: { code: "ETIMEDOUT" },
    });
    expect(await ask(`${base}/cut`, { partial: true })).toMatchObject({ error: { code: "ECONNRESET" } });
  });

  test("never prints a proxy's password, even if the proxy quotes it in its refusal", async () => {
    const proxy = createServer().on("connect", ({ headers }, socket) => {
      socket.end(`HTTP/1.1 407 ${headers["proxy-authorization"]}\r\n\r\n`);
    });
    const port = await listen(proxy);
    for (const name of ["HTTPS_PROXY", "https_proxy"]) vi.stubEnv(name, `http://me:proxy-word@127.0.0.1:${port}`);
    for (const name of ["NO_PROXY", "no_proxy"]) vi.stubEnv(name, "");
    const said = JSON.stringify(await ask("https://example.invalid/"));
    const quoted = Buffer.from("me:proxy-word").toString("base64");
    expect(said).toContain(quoted);
    expect(redact(said)).not.toContain(quoted);
    expect(redact("proxy-word")).toBe("«secret proxy-password»");
    proxy.close();
    vi.unstubAllEnvs();
  });

  test("uses a proxy for other machines, but not for this one", async () => {
    for (const name of ["HTTP_PROXY", "http_proxy"]) vi.stubEnv(name, closed);
    for (const name of ["NO_PROXY", "no_proxy"]) vi.stubEnv(name, "");
    try {
      expect(await ask(base)).toMatchObject({ status: 200 });
      expect(await ask(base.replace("127.0.0.1", "localhost"))).toMatchObject({ status: 200 });
      expect(await ask("http://no-such-host.invalid/")).toMatchObject({ error: { code: "ECONNREFUSED" } });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test("stops when the run stops", async () => {
    const controller = new AbortController();
    const asked = httpDriver.read({ url: `${base}/hang`, timeoutSeconds: 30 }, controller.signal);
    controller.abort(new Error("stopped"));
    await expect(asked).rejects.toThrow("stopped");
  });
});
