import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { httpProxySchema } from "../../../roles/http-proxy/proxy.ts";
import { httpProxy } from "../../../roles/http-proxy/role.ts";
import { uiCertificate } from "../../../roles/ui-certificate/role.ts";
import { uiCertificateSchema } from "../../../roles/ui-certificate/ui.ts";
import type { Node } from "../../../src/core/authoring/group.ts";
import { pendingSecrets } from "../../../src/core/secrets/secret.ts";
import { Issuer } from "../../issued.ts";
import { type TaskEnd, taskHost } from "../../tasks/on-host.ts";
import { apply, makeNodes, patch, play, read } from "../actors.ts";
import { printedBy } from "./printed.ts";
import { runningKinds, settingKind } from "../harvester-kinds.ts";
import { rancherSettingKind } from "./rancher-kinds.ts";
import { ApiServer } from "../server/api-server.ts";
import { addressNode, emptySetting, patchVip, settingsControllerWith } from "./setting-actors.ts";

let server: ApiServer;
const host = taskHost();
const stop = new AbortController();
let controllers: Promise<void>;

beforeAll(async () => {
  server = await ApiServer.up();
  apply(server, settingKind, rancherSettingKind, ...runningKinds);
  server.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
  makeNodes(server, { "harvester-1": {}, "harvester-2": {} });
  addressNode(server, "harvester-1", "192.168.10.11", "10.52.0.0/24");
  addressNode(server, "harvester-2", "192.168.10.12", "10.52.1.0/24");
  apply(
    server,
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "harvester-system" } },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "vip", namespace: "harvester-system" },
      data: { enabled: "true", ip: "192.168.10.10", mode: "static", serviceType: "LoadBalancer" },
    },
    emptySetting("http-proxy"),
    emptySetting("ssl-certificates"),
    {
      apiVersion: "management.cattle.io/v3",
      kind: "Setting",
      metadata: { name: "server-url" },
      value: "https://127.0.0.1",
    },
  );
  controllers = play(
    server,
    stop.signal,
    settingsControllerWith((...taken) => ingress(...taken)),
  );
});
afterAll(async () => {
  stop.abort();
  await controllers;
  await server?.down();
});

const outcomes = (ends: readonly TaskEnd[]): string[] =>
  ends.map(({ title, outcome, error }) => [title, outcome, error?.message].filter(Boolean).join(": "));
const changedIn = (ends: readonly TaskEnd[]): string[] => outcomes(ends).filter((one) => !one.endsWith(": ok"));
const valueOf = (name: string): unknown =>
  (read(server, "settings.harvesterhci.io", name) as { value?: string }).value ?? "";

/** Runs tasks whose secrets are in files. Reads the files first, as the furrow command does before a run. */
async function run(mode: "check" | "apply", ...nodes: readonly Node[]): Promise<TaskEnd[]> {
  for (const { source, settle } of pendingSecrets())
    if (source.from === "file") settle(readFileSync(source.path, "utf8").trimEnd());
  return host[mode](...nodes);
}

/** Simulates the ingress: it presents the certificate in the setting. */
let serveFromSetting: (cert: string, key: string) => void = () => {};
const ingress = (name: string, value: string): void => {
  if (name !== "ssl-certificates") return;
  const { publicCertificate, privateKey } = JSON.parse(value) as { publicCertificate: string; privateKey: string };
  serveFromSetting(publicCertificate, privateKey);
};

describe("the HTTP proxy of a cluster", () => {
  const proxy = (vars: object) =>
    httpProxy(
      httpProxySchema.parse({
        kubeconfig: server.kubeconfig(),
        httpProxy: "http://me:first-pass@proxy:3128",
        noProxy: ["192.168.10.0/24", ".lan"],
        deadlineSeconds: 60,
        ...vars,
      }),
    );

  test("is set: check mode says what the run will do, a second run changes nothing, no output shows a password", async () => {
    const checked = await host.check(proxy({}));
    const applied = await host.apply(proxy({}));
    expect(outcomes(applied)).toEqual([
      "the cluster reaches its own addresses without the proxy: ok",
      "what changes in the proxy: ok",
      "whether the setting http-proxy changes: ok",
      "the cluster is ready for a change to http-proxy: ok",
      "kubeObject Setting http-proxy: changed",
      "Harvester has applied the setting http-proxy: ok",
    ]);
    expect(outcomes(checked).slice(0, -1)).toEqual(outcomes(applied).slice(0, -1));
    const more = await host.apply(proxy({ httpProxy: "http://me:other-pass@proxy:3128" }));
    expect(changedIn(more)).toEqual(["kubeObject Setting http-proxy: changed"]);
    const set = { httpProxy: "http://me:other-pass@proxy:3128", noProxy: "192.168.10.0/24,.lan" };
    expect(JSON.parse(String(valueOf("http-proxy")))).toEqual(set);
    expect(more[1]?.notes).toEqual(["the proxy for http:// URLs gets another URL, user or password"]);
    const removal = await host.check(proxy({ httpProxy: undefined, noProxy: ["192.168.10.0/24"] }));
    expect(removal[1]?.notes).toEqual([
      "the proxy for http:// URLs is removed",
      "the cluster then uses no proxy",
      "noProxy loses .lan",
    ]);
    const none = await host.apply(proxy({ httpProxy: undefined }));
    expect(changedIn(none)).toEqual(["kubeObject Setting http-proxy: changed"]);
    const back = await host.apply(proxy({}));
    expect(changedIn(await host.check(proxy({})))).toEqual([]);
    expect(changedIn(await host.apply(proxy({})))).toEqual([]);
    expect(JSON.stringify([checked, applied, more, none, back])).not.toMatch(/first-pass|other-pass/);
  });

  test("is refused, and nothing changes, if noProxy lacks addresses of the cluster", async () => {
    const before = valueOf("http-proxy");
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](proxy({ noProxy: ["192.168.10.11"] }));
      expect(ends[0]?.error?.message).toContain("nodes: 192.168.10.12; virtual address: 192.168.10.10");
      expect(ends).toHaveLength(1);
    }
    expect(valueOf("http-proxy")).toBe(before);
  });

  test("does not change while a node is in maintenance, but an unchanged value is not refused", async () => {
    const before = valueOf("http-proxy");
    const maintain = (is: string | null): void => {
      patch(server, "node", "harvester-2", { metadata: { annotations: { "harvesterhci.io/maintain-status": is } } });
    };
    maintain("completed");
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](proxy({ httpProxy: "http://me:late-pass@proxy:3128" }));
      expect(ends.at(-1)?.error?.message).toContain("harvester-2 in maintenance");
    }
    expect(valueOf("http-proxy")).toBe(before);
    expect(changedIn(await host.apply(proxy({})))).toEqual([]);
    maintain(null);
  });

  test("shows neither the new password nor the replaced one in the command's JSON events", async () => {
    const file = join(server.folder, "proxy.json");
    const vars = { kubeconfig: server.kubeconfig(), noProxy: ["192.168.10.0/24"], httpProxy: "http://me:third-pass@p" };
    writeFileSync(file, JSON.stringify(vars));
    const said = await printedBy("run", "playbooks/ops/http-proxy.ts", "-i", "local", "--var", `@${file}`);
    expect(said).toContain("Setting http-proxy");
    expect(said).not.toMatch(/-pass/);
    expect(valueOf("http-proxy")).toContain("third-pass");
  });
});

describe("the certificate of a cluster's pages", () => {
  let issuer: Issuer;
  let pages: Server;
  let port: number;

  beforeAll(async () => {
    issuer = new Issuer(server.folder);
    issuer.authority("root");
    issuer.authority("dynamic");
    issuer.issue("ui", "root", "DNS:localhost,IP:127.0.0.1");
    issuer.issue("short", "root", "DNS:localhost,IP:127.0.0.1", { days: 2 });
    issuer.issue("name-only", "root", "DNS:localhost");
    issuer.issue("join", "root", "DNS:localhost,IP:127.0.0.1,DNS:join.example.org");
    patchVip(server, "127.0.0.1");
    pages = createServer({ cert: issuer.text("dynamic.crt"), key: issuer.text("dynamic.key") });
    await new Promise<void>((resolve) => {
      pages.listen(0, "127.0.0.1", resolve);
    });
    ({ port } = pages.address() as AddressInfo);
    serveFromSetting = (cert, key) => pages.setSecureContext({ cert, key });
  });
  afterAll(() => void pages?.close());

  const certificate = (file: string, more: object = {}) =>
    uiCertificate(
      uiCertificateSchema.parse({
        kubeconfig: server.kubeconfig(),
        url: `https://localhost:${port}`,
        certificateFile: issuer.path(`${file}.crt`),
        keyFile: issuer.path(`${file}.key`),
        caFile: issuer.path("root.crt"),
        deadlineSeconds: 60,
        ...more,
      }),
    );

  test.each([
    ["short", {}, "expires at"],
    ["name-only", {}, "is for localhost, and not for 127.0.0.1"],
    ["ui", { certificateFile: "join" }, "the private key is not that of the first certificate in the file"],
    ["ui", { caFile: "dynamic" }, "is not among the given authorities"],
  ])("%s %j is refused, and nothing changes", async (file, changes, says) => {
    const files = Object.entries(changes).map(([name, own]) => [name, issuer.path(`${own}.crt`)]);
    const before = valueOf("ssl-certificates");
    for (const mode of ["check", "apply"] as const) {
      const ends = await run(mode, certificate(file, Object.fromEntries(files) as object));
      expect(ends[0]?.error?.message).toContain(says);
      expect(ends).toHaveLength(1);
    }
    expect(valueOf("ssl-certificates")).toBe(before);
  });

  test("is refused if nodes could no longer join", async () => {
    patch(server, "settings.management.cattle.io", "server-url", { value: "https://join.example.org" });
    const ends = await run("check", certificate("ui"));
    expect(ends.at(-1)?.error?.message).toContain("points nodes at join.example.org");
    patch(server, "settings.management.cattle.io", "server-url", { value: "https://127.0.0.1" });
  });

  test("is set, and the run waits until the pages show it; a second run changes nothing; no output shows the key", async () => {
    const checked = await run("check", certificate("ui"));
    const applied = await run("apply", certificate("ui"));
    expect(outcomes(applied)).toEqual([
      "the certificate is for localhost and the virtual address: ok",
      "the certificate is for the URL at which nodes join: ok",
      "localhost resolves to the cluster: ok",
      "whether the setting ssl-certificates changes: ok",
      "the cluster is ready for a change to ssl-certificates: ok",
      "kubeObject Setting ssl-certificates: changed",
      "Harvester has applied the setting ssl-certificates: ok",
      "the Harvester UI serves a certificate for localhost: ok",
    ]);
    expect(outcomes(checked).slice(0, 6)).toEqual(outcomes(applied).slice(0, 6));
    expect(JSON.parse(String(valueOf("ssl-certificates")))).toEqual({
      ca: issuer.text("root.crt").trimEnd(),
      publicCertificate: issuer.text("ui.crt").trimEnd(),
      privateKey: issuer.text("ui.key").trimEnd(),
    });
    const renewed = await run("apply", certificate("join"));
    expect(changedIn(renewed)).toEqual(["kubeObject Setting ssl-certificates: changed"]);
    expect(changedIn(await run("apply", certificate("join")))).toEqual([]);
    const secrets = ["ui.key", "join.key"].flatMap((file) =>
      issuer
        .text(file)
        .split("\n")
        .filter((line) => line.length > 40),
    );
    const said = JSON.stringify([checked, applied, renewed]);
    expect(secrets.filter((line) => !line.includes("PRIVATE") && said.includes(line))).toEqual([]);
  });

  test("does not show its private key in any JSON event of the command", async () => {
    const file = join(server.folder, "ui.json");
    const vars = {
      kubeconfig: server.kubeconfig(),
      url: `https://localhost:${port}`,
      certificateFile: issuer.path("ui.crt"),
      keyFile: issuer.path("ui.key"),
      caFile: issuer.path("root.crt"),
    };
    writeFileSync(file, JSON.stringify(vars));
    const said = await printedBy("run", "playbooks/gitops/ui.ts", "-i", "local", "--var", `@${file}`);
    expect(said).toContain("Setting ssl-certificates");
    const lines = ["ui.key", "join.key"].flatMap((one) => issuer.text(one).split("\n").slice(1, 2));
    for (const line of lines) expect(said).not.toContain(line);
  });
});
