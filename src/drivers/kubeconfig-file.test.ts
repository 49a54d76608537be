import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { afterEach, beforeEach, expect, test } from "vitest";
import { certificateDigest } from "../core/host/certificate-digest.ts";
import { absent } from "../core/facts/symbols.ts";
import { kubeconfigFileDriver as driver } from "./kubeconfig-file.ts";

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

test("says which cluster a kubeconfig is for, without its credentials, and removes it with its host keys", async () => {
  const path = join(folder, "kubeconfig.yaml");
  writeFileSync(path, kubeconfig);
  writeFileSync(`${path}.known_hosts`, "192.168.130.11 ssh-ed25519 AAAA\n");
  expect(await driver.read({ path }, signal)).toEqual({
    server: "https://203.0.113.10:6443",
    ca: certificateDigest(pem),
  });
  expect(await driver.read({ path, hostKeys: true }, signal)).toEqual({ kept: true });
  await driver.call?.({ path }, signal);
  expect([existsSync(path), existsSync(`${path}.known_hosts`)]).toEqual([false, false]);
  expect(await driver.read({ path }, signal)).toBe(absent);
  expect(await driver.read({ path, hostKeys: true }, signal)).toBe(absent);
  await driver.call?.({ path }, signal);
});

test("names the program with which its user logs in, without starting it", async () => {
  const path = join(folder, "kubeconfig.yaml");
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1",
    command: "./login",
    args: ["a credential"],
    interactiveMode: "Never",
  };
  const users = [{ name: "default", user: { exec } }];
  writeFileSync(path, JSON.stringify({ ...(JSON.parse(kubeconfig) as object), users }));
  writeFileSync(join(folder, "login"), `#!/bin/sh\necho > ${join(folder, "started")}\n`, { mode: 0o755 });
  const answer = await driver.read({ path }, signal);
  expect(answer).toMatchObject({ server: "https://203.0.113.10:6443", program: join(folder, "login") });
  expect(JSON.stringify(answer)).not.toContain("a credential");
  expect(existsSync(join(folder, "started"))).toBe(false);
});
