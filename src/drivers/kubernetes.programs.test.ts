import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { certificateDigest } from "../core/host/certificate-digest.ts";
import { redact } from "../core/secrets/redact.ts";
import { secretOf } from "../core/secrets/secret.ts";
import { sealedFieldValue } from "../facts/controller/kube-seen.ts";
import { kubernetesDriver } from "./kubernetes.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-kubernetes-"));
const kubeconfig = join(folder, "config");
const seen: string[] = [];
let server: Server;

interface Said {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const status = (about: object): string => JSON.stringify({ kind: "Status", ...about });
const missing = { status: 404, text: status({ reason: "NotFound", details: { name: "missing" } }) };
/** The server's permanent answers by name, and those that it gives only once. */
const special: Readonly<Record<string, Said>> = {
  missing,
  secret: { status: 403, text: status({ message: "you may not" }) },
  elsewhere: missing,
  unknown: { status: 404, text: "404 page not found\n" },
};
const said: Record<string, Said[]> = {};

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
      const name = request.url?.split("/").at(-1) ?? "";
      const echo: Said = {
        status: 403,
        text: status({ message: `user with ${request.headers.authorization} is forbidden` }),
      };
      const answer: Said = (name === "echo" ? echo : said[name]?.shift()) ??
        special[name] ?? { status: 200, text: JSON.stringify({ kind: "Node" }) };
      response.writeHead(answer.status, answer.headers).end(answer.text);
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
  writeFileSync(
    join(folder, "token"),
    JSON.stringify({
      ...config,
      users: [{ name: "u", user: { ...config.users[0]?.user, token: "eyJ-token-of-this-kubeconfig" } }],
    }),
  );
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

  test("prints no token that a server quotes when it refuses a request", async () => {
    const answer = JSON.stringify(await read("/api/v1/nodes/echo", join(folder, "token")));
    expect(answer).toContain("eyJ-token-of-this-kubeconfig");
    expect(redact(answer)).toContain("user with Bearer «secret kubeconfig-token» is forbidden");
  });

  test("replaces secret fields with a keyed hash, unless they are empty", async () => {
    const object = { kind: "Setting", value: "http://me:pass@proxy", default: "", source: "" };
    said["http-proxy"] = [{ status: 200, text: JSON.stringify(object) }];
    const request = { kubeconfig, path: "/apis/x/settings/http-proxy", sealed: ["value", "default"] };
    expect(await kubernetesDriver.read(request, never)).toEqual({
      found: true,
      object: { ...object, value: expect.stringMatching(/^sealed:[0-9a-f]{64}$/) as string },
    });
  });

  test("replaces each value of a Secret, also where kubectl has repeated it, so that a single value can be compared", async () => {
    const annotations = {
      "kubectl.kubernetes.io/last-applied-configuration": '{"data":{"key":"QVEtaGVhbHRo"}}',
      own: "stays",
    };
    const data = { fsid: "YjNi", key: "QVEtaGVhbHRo", none: "" };
    said["mon"] = [{ status: 200, text: JSON.stringify({ kind: "Secret", metadata: { annotations }, data }) }];
    const answer = await kubernetesDriver.read({ kubeconfig, path: "/api/v1/secrets/mon", sealed: ["data"] }, never);
    expect(answer).toEqual({
      found: true,
      object: {
        kind: "Secret",
        metadata: { annotations: { own: "stays" } },
        data: { fsid: sealedFieldValue("YjNi"), key: sealedFieldValue("QVEtaGVhbHRo"), none: "" },
      },
    });
  });

  test("distinguishes a missing object, a forbidden object and an unreachable cluster", async () => {
    expect(await read("/api/v1/nodes/missing")).toEqual({ found: false });
    expect(await read("/api/v1/secret")).toEqual({ error: { code: "HTTP 403", message: "you may not" } });
    expect(await read("/api", join(folder, "none"))).toMatchObject({ error: { code: "no-kubeconfig" } });
  });

  test("treats a 404 as a missing object only if the API reports that this object is missing", async () => {
    for (const name of ["unknown", "elsewhere"]) {
      expect(await read(`/api/v1/nodes/${name}`)).toMatchObject({ error: { code: "HTTP 404" } });
      await expect(call({ method: "DELETE", path: `/api/v1/nodes/${name}` })).rejects.toMatchObject({
        code: "E_DRIVER",
      });
    }
  });

  test("retries a change only if a busy server asks for that", async () => {
    const busy = { status: 429, text: status({ message: "later" }) };
    said["asked"] = [{ ...busy, headers: { "retry-after": "0" } }];
    expect(await call({ method: "PATCH", path: "/asked", body: {} })).toEqual({ kind: "Node" });
    said["busy"] = [busy];
    await expect(call({ method: "PATCH", path: "/busy", body: {} })).rejects.toMatchObject({
      failure: { current: "HTTP 429: later" },
    });
    said["date"] = [{ ...busy, status: 503, headers: { "retry-after": new Date().toUTCString() } }];
    expect(await read("/date")).toMatchObject({ found: true });
  });

  test("sends a merge patch for a change, and reveals secrets only on the wire", async () => {
    const value = String(secretOf("hunter22", "url"));
    expect(await call({ method: "PATCH", path: "/apis/x", body: { value } })).toEqual({ kind: "Node" });
    expect(seen.at(-1)).toBe('client PATCH /apis/x application/merge-patch+json {"value":"hunter22"}');
    await expect(call({ method: "DELETE", path: "/secret" })).rejects.toMatchObject({ code: "E_DRIVER" });
    expect(await call({ method: "DELETE", path: "/missing" })).toBeUndefined();
  });

  test("asks with a dry run whether a change would be accepted, and says why not", async () => {
    const body = { kind: "Upgrade" };
    const request = { kubeconfig, tried: "Upgrade u", method: "POST", path: "/apis/x/upgrades", body };
    expect(await kubernetesDriver.read(request, never)).toEqual({ accepted: true });
    expect(seen.at(-1)).toBe('client POST /apis/x/upgrades?dryRun=All application/json {"kind":"Upgrade"}');
    const message = 'admission webhook "validator.harvesterhci.io" denied the request: suspend all schedules';
    said["upgrades?dryRun=All"] = [{ status: 400, text: status({ message }) }];
    expect(await kubernetesDriver.read(request, never)).toEqual({
      refused: {
        code: "denied",
        message:
          "the cluster denies the change to Upgrade u: suspend all schedules (webhook validator.harvesterhci.io)",
        hint: "Fix the problem that the cluster reports, then rerun",
      },
    });
    said["upgrades?dryRun=All"] = [{ status: 422, text: status({ message: "spec.version is too long" }) }];
    expect(await kubernetesDriver.read(request, never)).toMatchObject({
      refused: { code: "invalid-object", message: "Upgrade u is not valid: spec.version is too long" },
    });
  });

  test("asks with a dry run whether a merge patch would be accepted", async () => {
    const request = { kubeconfig, tried: "Setting a", method: "PATCH", path: "/apis/x/a", body: { value: "b" } };
    expect(await kubernetesDriver.read(request, never)).toEqual({ accepted: true });
    expect(seen.at(-1)).toBe('client PATCH /apis/x/a?dryRun=All application/merge-patch+json {"value":"b"}');
  });

  test("does not take a failed dry run for a refusal", async () => {
    const request = { kubeconfig, tried: "Setting a", method: "PATCH", path: "/apis/x/settings/a", body: {} };
    const message = 'admission webhook "audit.example.org" does not support dry run';
    said["a?dryRun=All"] = [
      { status: 400, text: status({ message }) },
      { status: 500, text: status({ message: "etcd has no leader" }) },
    ];
    expect(await kubernetesDriver.read(request, never)).toEqual({ unasked: message });
    expect(await kubernetesDriver.read(request, never)).toEqual({
      error: { code: "HTTP 500", message: "etcd has no leader" },
    });
  });

  test("queries nothing and changes nothing with a kubeconfig that is not for the expected cluster", async () => {
    const authority = certificateDigest(readFileSync(join(folder, "ca.crt"), "utf8")) ?? "";
    const request = { kubeconfig, path: "/api/v1/nodes/a", authority };
    expect(await kubernetesDriver.read(request, never)).toMatchObject({ found: true });
    expect(await call({ method: "DELETE", path: "/api/v1/nodes/a", authority })).toEqual({ kind: "Node" });
    const before = seen.length;
    for (const other of ["0".repeat(64), ""]) {
      expect(await kubernetesDriver.read({ ...request, authority: other }, never)).toMatchObject({
        error: { code: "other-kubeconfig", message: expect.stringContaining("is for another cluster") as string },
      });
      expect(await kubernetesDriver.read({ ...request, list: true, authority: other }, never)).toMatchObject({
        error: { code: "other-kubeconfig" },
      });
      await expect(call({ method: "DELETE", path: "/api/v1/nodes/a", authority: other })).rejects.toMatchObject({
        code: "E_DRIVER",
        failure: { hint: expect.stringMatching(/^Set kubeconfig\.to/) as string },
      });
    }
    expect(seen).toHaveLength(before);
  });

  test("does not trust the CA certificate of a kubeconfig that does not verify the server", async () => {
    const config = JSON.parse(readFileSync(kubeconfig, "utf8")) as { clusters: { cluster: object }[] };
    const clusters = config.clusters.map((one) => ({
      ...one,
      cluster: { ...one.cluster, "insecure-skip-tls-verify": true },
    }));
    writeFileSync(join(folder, "insecure"), JSON.stringify({ ...config, clusters }));
    const authority = certificateDigest(readFileSync(join(folder, "ca.crt"), "utf8")) ?? "";
    const request = { kubeconfig: join(folder, "insecure"), path: "/api/v1/nodes/a", authority };
    expect(await kubernetesDriver.read(request, never)).toMatchObject({ error: { code: "other-kubeconfig" } });
  });

  test("explains why a file is not a kubeconfig", async () => {
    writeFileSync(join(folder, "wrong"), "current-context: here\n");
    await expect(read("/api", join(folder, "wrong"))).rejects.toMatchObject({ code: "E_FILE" });
  });
});
