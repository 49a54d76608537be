import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { taskHost } from "../../test/tasks/on-host.ts";
import { page, serve } from "../../test/web-server.ts";
import { httpWait } from "./http-wait.ts";

const host = taskHost();
const patient = { body: "pong", times: 15, intervalSeconds: 0.005, deadlineSeconds: 20 };
const hasty = { body: "pong", intervalSeconds: 0.05, deadlineSeconds: 0.4 };

test("restarts the count if a wrong answer follows 14 right answers", async () => {
  let asked = 0;
  const { base, close } = await serve((request, response) => {
    asked += 1;
    if (asked === 15) page(503)(request, response, false);
    else response.end("pong");
  });
  const [end] = await host.apply(httpWait({ url: `${base}/ping`, ...patient }));
  close();
  expect([end?.outcome, asked]).toEqual(["ok", 30]);
});

test("fails at the deadline if no answer meets the condition, and shows the last answer", async () => {
  const { base, close } = await serve((_request, response) => void response.writeHead(503).end("no leader yet"));
  const [end] = await host.apply(httpWait({ url: `${base}/ping`, ...hasty }));
  close();
  expect(JSON.stringify(end?.error?.failure)).toContain("answered 503 instead of 200; its body began: no leader yet");
});

test("names the cause of a TLS error, such as a self-signed certificate created by openssl", async () => {
  const folder = mkdtempSync(join(tmpdir(), "furrow-tls-"));
  const out = ["-keyout", join(folder, "key"), "-out", join(folder, "cert"), "-subj", "/CN=elsewhere"];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  execFileSync("openssl", ["req", "-x509", ...key, "-days", "2", ...out], { stdio: "ignore" });
  const options = { key: readFileSync(join(folder, "key")), cert: readFileSync(join(folder, "cert")) };
  rmSync(folder, { recursive: true });
  const server = createServer(options, (_request, response) => response.end("pong"));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/ping`;
  const [strict] = await host.apply(httpWait({ url, ...hasty }));
  const [lenient] = await host.apply(httpWait({ url, ...hasty, deadlineSeconds: 20, insecure: true }));
  server.closeAllConnections();
  server.close();
  expect(JSON.stringify(strict?.error?.failure)).toMatch(
    /no answer: .*self-signed certificate.*not from a trusted issuer/s,
  );
  expect(lenient?.outcome).toBe("ok");
});
