import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readKind } from "../../testing/read-kind.ts";
import { serve } from "../../../test/web-server.ts";
import { hostHttp } from "./host-http.ts";

const noCertificates = ["openssl", "curl"].some(
  (program) => spawnSync("sh", ["-c", `command -v ${program}`]).status !== 0,
);

describe.skipIf(noCertificates)("a request by the host's curl", () => {
  const folder = mkdtempSync(join(tmpdir(), "furrow-hosthttp-"));
  let base = "";
  let tls = "";
  const closing: (() => void)[] = [];

  beforeAll(async () => {
    const served = await serve((request, response) => {
      if (request.url === "/large") return void response.end("x".repeat(200_000));
      if (request.url === "/hang") return undefined;
      if (request.url === "/continue") response.writeContinue();
      if (request.url === "/odd")
        return void response.end(Buffer.from("HTTP/1.1 500 x\r\n\r\ncurl: (7) \xe9\nexit:7\n", "latin1"));
      if (request.url === "/slow") return void response.writeHead(200).write("half ");
      if (request.url === "/cut") {
        response.writeHead(200, { "content-length": 100 });
        return void response.write("half", () => response.destroy());
      }
      response.writeHead(request.url === "/missing" ? 404 : 200, { "X-Name": " it's: here " }).end("pong\n");
    });
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
    const secure = createServer({ key, cert }, (_request, response) => response.end("pong"));
    await new Promise<void>((resolve) => {
      secure.listen(0, "127.0.0.1", resolve);
    });
    base = served.base;
    tls = `https://127.0.0.1:${(secure.address() as AddressInfo).port}/`;
    closing.push(served.close, () => secure.close());
  });
  afterAll(() => {
    closing.forEach((close) => close());
    rmSync(folder, { recursive: true });
  });

  test("accepts an answer whose lines end in a single LF", async () => {
    const plain = createTcpServer((socket) => {
      socket.once("data", () => socket.end("HTTP/1.0 200 OK\nX-Name: here\n\nok\r\n\r\nmore\n"));
    });
    await new Promise<void>((resolve) => {
      plain.listen(0, "127.0.0.1", resolve);
    });
    closing.push(() => plain.close());
    const url = `http://127.0.0.1:${(plain.address() as AddressInfo).port}/`;
    const [answer] = await readKind([hostHttp({ url, timeoutSeconds: 5 })]);
    expect(answer?.value).toEqual({ status: 200, body: "ok\r\n\r\nmore\n", headers: { "x-name": "here" } });
  });

  const ask = async (url: string, rest: object = {}, options: object = {}): Promise<unknown> => {
    const [answer] = await readKind([hostHttp({ url, timeoutSeconds: 5, ...rest })], options);
    return answer?.value;
  };

  test.each([[["sh", "-c"]], [["bash", "-c"]], [["busybox", "sh", "-c"]]])(
    "returns status, body, headers and errors under %s",
    async (shell) => {
      expect(await ask(`${base}/`, {}, { shell })).toMatchObject({
        status: 200,
        body: "pong\n",
        headers: { "x-name": "it's: here" },
      });
      expect(await ask(`${base}/missing`, {}, { shell })).toMatchObject({ status: 404, body: "pong\n" });
      expect(await ask(`${base}/continue`, {}, { shell })).toMatchObject({ status: 200, body: "pong\n" });
      expect(await ask("http://127.0.0.1:9/", {}, { shell })).toEqual({
        error: { code: "curl 7", message: expect.stringMatching(/connect/) as string },
      });
    },
  );

  test("keeps 64 KiB of a body, and does not mistake it for curl's own output", async () => {
    expect(((await ask(`${base}/large`)) as { body: string }).body).toBe("x".repeat(65_536));
    expect(await ask(`${base}/odd`)).toMatchObject({
      status: 200,
      body: "HTTP/1.1 500 x\r\n\r\ncurl: (7) \udce9\nexit:7\n",
    });
  });

  test("returns the status and the received part of a slow body if the request accepts a partial body", async () => {
    const slow = { timeoutSeconds: 1, partial: true };
    expect(await ask(`${base}/slow`, slow)).toMatchObject({ status: 200, body: "half " });
    expect(await ask(`${base}/hang`, slow)).toMatchObject({ error: { code: "curl 28" } });
  });

  test("uses no proxy for the host itself", async () => {
    const env = { http_proxy: "http://127.0.0.1:9", no_proxy: "" };
    expect(await ask(`${base}/`, {}, { env })).toMatchObject({ status: 200 });
  });

  test("gives up after its timeout, and detects a truncated answer", async () => {
    expect(await ask(`${base}/hang`, { timeoutSeconds: 1 })).toMatchObject({ error: { code: "curl 28" } });
    expect(await ask(`${base}/cut`)).toMatchObject({ error: { code: "curl 18" } });
  });

  test("trusts a self-signed certificate only when told to", async () => {
    expect(await ask(tls)).toMatchObject({ error: { code: "curl 60" } });
    expect(await ask(tls, { insecure: true })).toMatchObject({ status: 200, body: "pong" });
    expect(await ask(tls, { caCert: readFileSync(join(folder, "cert"), "utf8") })).toMatchObject({ status: 200 });
  });

  test("reports a missing curl", async () => {
    expect(await ask(base, {}, { env: { PATH: "/nowhere" }, shell: ["/bin/sh", "-c"] })).toMatchObject({
      error: { code: "no-curl" },
    });
  });
});
