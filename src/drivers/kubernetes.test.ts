import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { secretOf } from "../core/secrets/secret.ts";
import { kubernetesDriver } from "./kubernetes.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-kubernetes-"));
const kubeconfig = join(folder, "config");
const seen: string[] = [];
let server: Server;

const never = new AbortController().signal;
const read = (path: string, config = kubeconfig): Promise<unknown> =>
  kubernetesDriver.read({ kubeconfig: config, path }, never);
const call = (request: object): Promise<unknown> | undefined =>
  kubernetesDriver.call?.({ kubeconfig, ...request }, never);

beforeAll(async () => {
  const openssl = (...argv: string[]): unknown => execFileSync("openssl", argv, { cwd: folder, stdio: "ignore" });
  const made = ["-nodes", "-days", "2", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  openssl("req", "-x509", ...made, "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=ca");
  for (const [name, extra] of [
    ["server", ["-addext", "subjectAltName=DNS:kubernetes"]],
    ["client", []],
  ] as const) {
    openssl("req", ...made, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`, ...extra);
    openssl(
      ...`x509 -req -in ${name}.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -copy_extensions copy`.split(" "),
      "-out",
      `${name}.crt`,
    );
  }
  const file = (name: string): Buffer => readFileSync(join(folder, name));
  const tls = { key: file("server.key"), cert: file("server.crt"), ca: file("ca.crt"), requestCert: true };
  server = createServer(tls, (request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => {
      const who = String((request.socket as TLSSocket).getPeerCertificate().subject?.CN ?? "nobody");
      seen.push(`${who} ${request.method} ${request.url} ${request.headers["content-type"] ?? ""} ${body}`.trim());
      const status = request.url?.endsWith("/missing") ? 404 : request.url?.endsWith("/secret") ? 403 : 200;
      const text = status === 200 ? { kind: "Node" } : { kind: "Status", message: "you may not" };
      response.writeHead(status).end(JSON.stringify(text));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const base64 = (name: string): string => file(name).toString("base64");
  const config = {
    "current-context": "here",
    contexts: [{ name: "here", context: { cluster: "c", user: "u" } }],
    clusters: [
      {
        name: "c",
        cluster: {
          server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
          "certificate-authority-data": base64("ca.crt"),
          "tls-server-name": "kubernetes",
        },
      },
    ],
    users: [
      { name: "u", user: { "client-certificate-data": base64("client.crt"), "client-key-data": base64("client.key") } },
    ],
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  config.clusters[0]!.cluster["tls-server-name"] = "elsewhere";
  writeFileSync(join(folder, "elsewhere"), JSON.stringify(config));
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const noCertificates = ["openssl"].some((program) => spawnSync("sh", ["-c", `command -v ${program}`]).status !== 0);

describe.skipIf(noCertificates)("the kubernetes driver", () => {
  test("uses the kubeconfig, and checks the certificate against the name in it", async () => {
    expect(await read("/api/v1/nodes/a")).toEqual({ found: true, object: { kind: "Node" } });
    expect(seen.at(-1)).toBe("client GET /api/v1/nodes/a");
    expect(await read("/api/v1/nodes/a", join(folder, "elsewhere"))).toMatchObject({
      error: { code: "ERR_TLS_CERT_ALTNAME_INVALID" },
    });
  });

  test("distinguishes a missing object, a forbidden object and an unreachable cluster", async () => {
    expect(await read("/api/v1/nodes/missing")).toEqual({ found: false });
    expect(await read("/api/v1/secret")).toEqual({ error: { code: "HTTP 403", message: "you may not" } });
    expect(await read("/api", join(folder, "none"))).toMatchObject({ error: { code: "no-kubeconfig" } });
  });

  test("sends a merge patch for a change, and reveals secrets only on the wire", async () => {
    const value = String(secretOf("hunter22", "url"));
    expect(await call({ method: "PATCH", path: "/apis/x", body: { value } })).toEqual({ kind: "Node" });
    expect(seen.at(-1)).toBe('client PATCH /apis/x application/merge-patch+json {"value":"hunter22"}');
    await expect(call({ method: "DELETE", path: "/secret" })).rejects.toMatchObject({ code: "E_DRIVER" });
    expect(await call({ method: "DELETE", path: "/missing" })).toBeUndefined();
  });

  test("explains why a file is not a kubeconfig", async () => {
    writeFileSync(join(folder, "wrong"), "current-context: here\n");
    await expect(read("/api", join(folder, "wrong"))).rejects.toMatchObject({ code: "E_FILE" });
  });
});
