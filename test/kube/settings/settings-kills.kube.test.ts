import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covered } from "../../covered.ts";
import { seeded, torturePoints, tortureSeed } from "../../seeded.ts";
import { apply, makeNodes, play, read } from "../actors.ts";
import { runningKinds, settingKind } from "../harvester-kinds.ts";
import { ApiServer } from "../server/api-server.ts";
import { kubeconfigText } from "../server/certificates.ts";
import { LethalProxy } from "../server/lethal-proxy.ts";
import { addressNode, settingsController } from "./setting-actors.ts";

const root = join(import.meta.dirname, "../../..");
let server: ApiServer;
let proxy: LethalProxy;
const stop = new AbortController();
let controllers: Promise<void>;

beforeAll(async () => {
  server = await ApiServer.up();
  proxy = await LethalProxy.up(server.folder, server.url);
  writeFileSync(join(server.folder, "proxy.kubeconfig"), kubeconfigText(server.folder, "admin", proxy.url));
  apply(server, settingKind, ...runningKinds);
  server.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
  makeNodes(server, { "harvester-1": {} });
  addressNode(server, "harvester-1", "192.168.10.11", "10.52.0.0/24");
  const view = "--output=jsonpath={.clusters[0].cluster.certificate-authority-data}";
  const authority = server.kubectl(["config", "view", "--raw", view]);
  const configMap = (name: string, namespace: string, data: object): object => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace },
    data,
  });
  apply(
    server,
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "harvester-system" } },
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "argocd" } },
    configMap("vip", "harvester-system", { ip: "192.168.10.10" }),
    configMap("kube-root-ca.crt", "kube-system", { "ca.crt": Buffer.from(authority, "base64").toString("utf8") }),
    {
      apiVersion: "harvesterhci.io/v1beta1",
      kind: "Setting",
      metadata: { name: "http-proxy" },
      default: "{}",
    },
  );
  controllers = play(server, stop.signal, settingsController);
});
afterAll(async () => {
  stop.abort();
  await controllers;
  await proxy?.down();
  await server?.down();
});

/** Runs a playbook as a process, behind the proxy. Returns its last line, and undefined if it was killed. */
async function run(playbook: string, vars: object, killAt = 0): Promise<string | undefined> {
  const file = join(server.folder, "vars.json");
  writeFileSync(file, JSON.stringify({ kubeconfig: join(server.folder, "proxy.kubeconfig"), ...vars }));
  const args = ["bin/furrow.js", "run", `playbooks/${playbook}.ts`, "-i", "local", "--var", `@${file}`];
  let child: ChildProcess | undefined = undefined;
  proxy.arm(killAt, () => child?.kill("SIGKILL"));
  const started = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  child = started;
  let text = "";
  for (const stream of [started.stdout, started.stderr]) stream.on("data", (part: Buffer) => (text += part.toString()));
  const [, signal] = (await once(started, "close")) as [number | null, string | null];
  return signal === null ? (text.trimEnd().split("\n").at(-1) ?? "") : undefined;
}

const plain = (text = ""): string => Buffer.from(text, "base64").toString("utf8");

/** A playbook; `vars` are those of one attempt, which has a name of its own. `end` is what the attempt has made. */
const cases = [
  {
    playbook: "ops/http-proxy",
    vars: (name: string) => ({ httpProxy: `http://me:${name}@proxy:3128`, noProxy: ["192.168.10.0/24"] }),
    end: (): string => (read(server, "settings.harvesterhci.io", "http-proxy") as { value: string }).value,
    // Each attempt has another URL.
    clear: (): void => {},
  },
  {
    playbook: "gitops/register",
    vars: (name: string) => ({
      argoKubeconfig: join(server.folder, "proxy.kubeconfig"),
      name,
      server: server.url,
      account: { name },
    }),
    end: (name: string): string => {
      const { data, metadata } = read(server, "secret", name, "--namespace=argocd") as {
        readonly metadata: { readonly labels: object };
        readonly data: Readonly<Record<string, string>>;
      };
      const { bearerToken, ...rest } = JSON.parse(plain(data["config"])) as { readonly bearerToken: string };
      return JSON.stringify([
        metadata.labels,
        plain(data["name"]),
        plain(data["server"]),
        rest,
        bearerToken.length > 99,
      ]);
    },
    clear: (name: string): void => {
      server.kubectl(["delete", "secret", name, "--namespace=argocd"]);
      server.kubectl(["delete", "serviceaccount", name, "--namespace=kube-system"]);
    },
  },
] as const;

describe.each(cases)("$playbook, killed after an API call", ({ playbook, vars, end, clear }) => {
  test("is finished by the next run, as if it had not been killed", { timeout: 1_800_000 }, async () => {
    expect(await run(playbook, vars("whole"))).toMatch(/^\d+ changed, \d+ ok on 1 host/);
    const calls = proxy.count;
    const expected = end("whole").replaceAll("whole", "NAME");
    clear("whole");
    const random = seeded(tortureSeed);
    const all = Array.from({ length: calls }, (_, index) => ({ at: index + 1, order: random(1e9) }));
    const points = all
      .toSorted((a, b) => a.order - b.order)
      .slice(0, torturePoints(3))
      .map(({ at }) => at);
    for (const at of points) {
      const name = `k-${at}`;
      expect(await run(playbook, vars(name), at)).toBeUndefined();
      expect(await run(playbook, vars(name))).toMatch(/^\d+ changed, \d+ ok on 1 host/);
      expect(end(name).replaceAll(name, "NAME")).toEqual(expected);
      expect(await run(playbook, vars(name))).toMatch(/^0 changed, \d+ ok on 1 host/);
      clear(name);
    }
    covered(`${playbook}: killed after ${points.length} of ${calls} API calls`);
  });
});
