import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { certificateDigest } from "../core/host/certificate-digest.ts";
import { absent } from "../core/facts/symbols.ts";
import { kubeconfigFileDriver as driver } from "./kubeconfig-file.ts";
import { readKubeconfig } from "./kubeconfig/kubeconfig.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-kubeconfig-"));
beforeEach(() => mkdirSync(folder, { recursive: true }));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const { signal } = new AbortController();
const pem = `${rootCertificates[0]}\n`;
const kubeconfig = JSON.stringify({
  "current-context": "default",
  contexts: [{ name: "default", context: { cluster: "default", user: "default" } }],
  clusters: [
    {
      name: "default",
      cluster: {
        server: "https://203.0.113.10:6443",
        "certificate-authority-data": Buffer.from(pem).toString("base64"),
      },
    },
  ],
  users: [{ name: "default", user: { token: "a credential" } }],
});

test("removes only the host keys if a node is to be reinstalled", async () => {
  const path = join(folder, "kubeconfig.yaml");
  writeFileSync(path, kubeconfig);
  writeFileSync(`${path}.known_hosts`, "192.168.130.11 ssh-ed25519 AAAA\n");
  await driver.call?.({ path, hostKeys: true }, signal);
  expect([existsSync(path), existsSync(`${path}.known_hosts`)]).toEqual([true, false]);
});

test("reports which cluster a kubeconfig is for, without its credentials, and removes it with its host keys", async () => {
  const path = join(folder, "kubeconfig.yaml");
  writeFileSync(path, kubeconfig);
  writeFileSync(`${path}.known_hosts`, "192.168.130.11 ssh-ed25519 AAAA\n");
  expect(await driver.read({ path }, signal)).toEqual({
    server: "https://203.0.113.10:6443",
    ca: certificateDigest(pem),
  });
  expect(await driver.read({ path, hostKeys: true }, signal)).toEqual({ kept: true });
  const seen = { server: "https://203.0.113.10:6443", ca: certificateDigest(pem) ?? "" };
  await driver.call?.({ path, seen }, signal);
  expect([existsSync(path), existsSync(`${path}.known_hosts`)]).toEqual([false, false]);
  expect(await driver.read({ path }, signal)).toBe(absent);
  expect(await driver.read({ path, hostKeys: true }, signal)).toBe(absent);
  await driver.call?.({ path, seen }, signal);
});

/** A kubeconfig to which the user has added another cluster. */
function merged(): string {
  const given = JSON.parse(kubeconfig) as { contexts: object[]; clusters: object[]; users: object[] };
  const production = {
    server: "https://203.0.113.99:6443",
    "certificate-authority-data": Buffer.from(pem).toString("base64"),
  };
  return JSON.stringify({
    ...given,
    contexts: [...given.contexts, { name: "production", context: { cluster: "production", user: "admin" } }],
    clusters: [...given.clusters, { name: "production", cluster: production }],
    users: [...given.users, { name: "admin", user: { token: "another credential" } }],
  });
}

test("names the other contexts, clusters and users of a kubeconfig, and never removes them", async () => {
  const path = join(folder, "kubeconfig.yaml");
  writeFileSync(path, merged());
  const seen = { server: "https://203.0.113.10:6443", ca: certificateDigest(pem) ?? "" };
  expect(await driver.read({ path }, signal)).toEqual({ ...seen, others: ["production", "admin"] });
  await expect(driver.call?.({ path, seen }, signal)).rejects.toMatchObject({ code: "E_FILE" });
  expect(readFileSync(path, "utf8")).toBe(merged());
});

test("does not remove a kubeconfig that somebody has replaced since it was read", async () => {
  const path = join(folder, "kubeconfig.yaml");
  writeFileSync(path, kubeconfig);
  writeFileSync(`${path}.known_hosts`, "192.168.130.11 ssh-ed25519 AAAA\n");
  for (const seen of [undefined, { server: "https://203.0.113.99:6443", ca: certificateDigest(pem) ?? "" }])
    await expect(driver.call?.({ path, ...(seen && { seen }) }, signal)).rejects.toMatchObject({ code: "E_FILE" });
  expect([existsSync(path), existsSync(`${path}.known_hosts`)]).toEqual([true, true]);
});

/** A kubeconfig whose cluster or user also has these fields. */
function kubeconfigWith({ cluster = {}, user = {} }: { readonly cluster?: object; readonly user?: object }): string {
  const given = JSON.parse(kubeconfig) as { clusters: { cluster: object }[]; users: { user: object }[] };
  const clusters = given.clusters.map((one) => ({ ...one, cluster: { ...one.cluster, ...cluster } }));
  const users = given.users.map((one) => ({ ...one, user: { ...one.user, ...user } }));
  return JSON.stringify({ ...given, clusters, users });
}

const exec = {
  apiVersion: "client.authentication.k8s.io/v1",
  command: "./login",
  args: ["a"],
  interactiveMode: "Never",
};
const others: [string, object][] = [
  ["exec (./login)", { user: { exec } }],
  ["tokenFile", { user: { tokenFile: "/etc/hostname" } }],
  ["client-key", { user: { "client-key": "/etc/hostname" } }],
  ["client-certificate", { user: { "client-certificate": "/etc/hostname" } }],
  ["as", { user: { as: "ana" } }],
  ["auth-provider", { user: { "auth-provider": { name: "oidc" } } }],
  ["certificate-authority", { cluster: { "certificate-authority": "/etc/hostname" } }],
  ["proxy-url", { cluster: { "proxy-url": "http://203.0.113.66" } }],
  ["insecure-skip-tls-verify", { cluster: { "insecure-skip-tls-verify": true } }],
  ["an unknown field", { cluster: { "\u001B[2J": "x" } }],
  ["no certificate authority of its own", { cluster: { "certificate-authority-data": "" } }],
  ["a server without https", { cluster: { server: "http://203.0.113.10:6443" } }],
];

test.each(others)("names what a kubeconfig from a host must not have, and opens no file: %s", async (foreign, more) => {
  const path = join(folder, "kubeconfig.yaml");
  writeFileSync(path, kubeconfigWith(more));
  writeFileSync(join(folder, "login"), `#!/bin/sh\necho > ${join(folder, "started")}\n`, { mode: 0o755 });
  const answer = await driver.read({ path }, signal);
  expect(answer).toMatchObject({ foreign });
  expect(JSON.stringify(answer)).not.toContain("a credential");
  expect(existsSync(join(folder, "started"))).toBe(false);
});

test("ignores empty fields, but reports a program that only another context uses", async () => {
  const path = join(folder, "kubeconfig.yaml");
  writeFileSync(path, kubeconfigWith({ cluster: { "insecure-skip-tls-verify": false, "proxy-url": "" } }));
  expect(await driver.read({ path }, signal)).not.toHaveProperty("foreign");
  const { users, ...given } = JSON.parse(kubeconfig) as { users: object[] };
  writeFileSync(path, JSON.stringify({ ...given, users: [...users, { name: "other", user: { exec } }] }));
  expect(await driver.read({ path }, signal)).toMatchObject({ foreign: "exec (./login)" });
});

test("a kubeconfig with a CA in addition to the cluster's own has a different digest", async () => {
  const path = join(folder, "kubeconfig.yaml");
  const both = Buffer.from(`${pem}${rootCertificates[1]}\n`).toString("base64");
  writeFileSync(path, kubeconfigWith({ cluster: { "certificate-authority-data": both } }));
  const answer = (await driver.read({ path }, signal)) as { ca: string };
  expect(answer.ca).toMatch(/^[\da-f]{64}$/);
  expect(answer.ca).not.toBe(certificateDigest(pem));
});

describe("a file that was fetched from a host", () => {
  const reached = { server: "https://203.0.113.10:6443", serverName: "kubernetes" };
  const path = join(folder, "kubeconfig.yaml");
  const fetched = `${path}.unchecked`;
  const accept = (content: string, existing = kubeconfig): Promise<unknown> => {
    writeFileSync(path, existing);
    writeFileSync(fetched, content);
    return driver.call?.({ accept: fetched, path, reached }, signal) ?? Promise.reject(new Error("it has no calls"));
  };
  const own = { cluster: { "tls-server-name": "kubernetes" } };

  test("replaces the kubeconfig if it is self-contained", async () => {
    await accept(kubeconfigWith(own));
    expect(readFileSync(path, "utf8")).toBe(kubeconfigWith(own));
    expect(existsSync(fetched)).toBe(false);
  });

  test.each([
    ...others,
    ["a server other than", { cluster: { server: "https://203.0.113.66:6443" } }],
    ["a tls-server-name other than", { cluster: { "tls-server-name": "evil" } }],
  ] as [string, { cluster?: object; user?: object }][])(
    "is removed, and leaves the old kubeconfig as it was, if it has %s",
    async (foreign, more) => {
      const cluster = { ...own.cluster, ...more.cluster };
      await expect(accept(kubeconfigWith({ ...more, cluster }))).rejects.toMatchObject({
        code: "E_FILE",
        failure: { current: expect.stringContaining(`it has ${foreign}`) as string },
      });
      expect(readFileSync(path, "utf8")).toBe(kubeconfig);
      expect(existsSync(fetched)).toBe(false);
    },
  );

  test.each([
    [
      "of another cluster",
      kubeconfigWith({
        cluster: { "certificate-authority-data": Buffer.from(`${rootCertificates[1]}\n`).toString("base64") },
      }),
      "the kubeconfig for another cluster, at https://203.0.113.10:6443",
    ],
    ["with other contexts", merged(), "a kubeconfig that also has other contexts (production, admin)"],
  ])("does not replace a kubeconfig %s", async (_name, existing, current) => {
    await expect(accept(kubeconfigWith(own), existing)).rejects.toMatchObject({
      code: "E_FILE",
      failure: { current, hint: expect.stringMatching(/^Set kubeconfig\.to/) as string },
    });
    expect(readFileSync(path, "utf8")).toBe(existing);
    expect(existsSync(fetched)).toBe(false);
  });

  test("is removed if it is not a kubeconfig", async () => {
    await expect(accept("{")).rejects.toMatchObject({ code: "E_FILE" });
    expect(existsSync(fetched)).toBe(false);
  });
});

test("a kubeconfig from a host is used only if it is self-contained; a user's own may name a program", async () => {
  const path = join(folder, "kubeconfig.yaml");
  writeFileSync(path, kubeconfigWith({ user: { token: "", exec } }));
  expect((await readKubeconfig(path))?.login).toBeDefined();
  writeFileSync(`${path}.known_hosts`, "192.168.130.11 ssh-ed25519 AAAA\n");
  await expect(readKubeconfig(path)).rejects.toMatchObject({
    failure: {
      current: "it was fetched from a host, and has exec (./login), which is not allowed in a kubeconfig from a host",
    },
  });
  writeFileSync(path, kubeconfig);
  expect(await readKubeconfig(path)).toMatchObject({ token: "a credential" });
});
