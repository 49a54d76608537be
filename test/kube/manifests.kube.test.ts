import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { config, differences, refusal, Tasks } from "./on-server.ts";
import { campFiles } from "./camp.ts";
import { ApiServer } from "./server/api-server.ts";

let server: ApiServer;
const tasks = new Tasks(() => server);
const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "furrow-manifests-"));
const path = join(folder, "camp");

beforeAll(async () => {
  mkdirSync(path);
  for (const [name, text] of Object.entries(campFiles)) writeFileSync(join(path, name), text);
  server = await ApiServer.up();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server?.down();
});

/** The requests that furrow sends during an action. */
async function requestsOf(act: () => Promise<unknown>): Promise<string[]> {
  const before = server.requests().length;
  await act();
  return server.requests().slice(before);
}

/** Does what a cluster's namespace controller does at the end of a deletion: this server has no controllers. */
async function finalizeNamespace(name: string, until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    const found = server.kubectl(["get", "namespace", name, "--ignore-not-found", "--output=json"]);
    const space =
      found === "" ? {} : (JSON.parse(found) as { metadata?: { deletionTimestamp?: string }; spec?: object });
    if (space.metadata?.deletionTimestamp !== undefined) {
      const body = JSON.stringify({ ...space, spec: { finalizers: [] } });
      server.kubectl(["replace", "--raw", `/api/v1/namespaces/${name}/finalize`, "--filename=-"], body);
      return;
    }
    await pause(200);
  }
}

describe("a manifest of twelve documents", () => {
  const camp = (more: object = {}) => tasks.manifest({ path, namespace: "camp", ...more });

  test("is refused, in check mode and in a run, if nothing defines the namespace and the kind of its objects", async () => {
    const one = join(path, "3-objects.yaml");
    for (const mode of ["check", "apply"] as const) {
      const [end] = await tasks.host[mode](camp({ path: one }));
      expect(refusal(end)).toMatch(/^refused: no-(?:namespace|kind)$/);
      expect(end?.error?.message).toContain("3-objects.yaml, line ");
    }
  });

  test("is applied to an empty cluster as check mode predicted, and a second run changes nothing", async () => {
    const [checked] = await tasks.host.check(camp());
    const [end] = await tasks.converge(camp());
    expect(end?.outcome).toBe("changed");
    expect(differences(end)).toEqual(differences(checked));
    expect(end?.steps.map((step) => step.replace(/^apply /, ""))).toEqual([
      "Namespace camp",
      "CustomResourceDefinition tents.camp.example.com",
      "ClusterRole camp-viewer",
      "ClusterRoleBinding camp-viewer",
      "ServiceAccount camp/viewer",
      "ConfigMap camp/rules",
      "ConfigMap camp/map",
      "Secret camp/gate",
      "Role camp/keeper",
      "Service camp/kitchen",
      "Deployment camp/kitchen",
      "Tent camp/blue",
    ]);
    expect(tasks.get("tent", "blue", "{.spec.size}", "camp")).toBe("3");
    expect(JSON.stringify([checked, end])).not.toContain(Buffer.from("open sesame").toString("base64"));
  });

  test("costs one request per object if nothing differs", async () => {
    const requests = await requestsOf(async () => {
      expect((await tasks.host.apply(camp()))[0]?.outcome).toBe("ok");
    });
    expect(requests.map((one) => one.split(" ")[0])).toEqual(Array.from({ length: 12 }, () => "get"));
    expect(new Set(requests).size).toBe(12);
  });

  test("leaves alone what another manager adds, and names the object in a diff", async () => {
    server.kubectl(["patch", "configmap", "map", "--namespace=camp", '--patch={"data":{"lake":"north"}}']);
    expect((await tasks.host.apply(camp()))[0]?.outcome).toBe("ok");
    expect(tasks.get("configmap", "map", "{.data.lake}", "camp")).toBe("north");
    const text = JSON.stringify({ ...config("map", { hill: "east" }, "camp") });
    const [end] = await tasks.host.check(tasks.manifest({ text }));
    expect(differences(end)).toEqual(['fields.data.hill: "west" → "east"']);
    expect(end?.changes[0]?.fact).toContain('"namespace":"camp","kind":"ConfigMap","name":"map"');
  });

  test("is not deleted while something else is in its namespace", async () => {
    server.kubectl(["create", "configmap", "theirs", "--namespace=camp"]);
    const [end] = await tasks.host.check(camp({ state: "absent" }));
    expect(refusal(end)).toBe("refused: not-empty");
    expect(end?.error?.message).toContain("Namespace camp cannot be deleted alone: 1 ConfigMap");
    server.kubectl(["delete", "configmap", "theirs", "--namespace=camp"]);
  });

  test("is deleted in reverse order, and then nothing is left", async () => {
    const over = new AbortController();
    const finalized = finalizeNamespace("camp", over.signal);
    const requests = await requestsOf(async () => {
      const [end] = await tasks.converge(camp({ state: "absent" }));
      expect(end?.outcome).toBe("changed");
    }).finally(() => over.abort());
    await finalized;
    const deletions = requests.filter((one) => one.startsWith("delete "));
    const order = [...new Set(deletions.map((one) => one.replace(/\?.*/, "").split("/").at(-1)))];
    // The dry runs of all deletions come first, in parallel; the last twelve requests are the deletions themselves.
    expect(deletions.slice(-12).map((one) => one.split("/").at(-1))).toEqual([
      "blue",
      "kitchen",
      "kitchen",
      "keeper",
      "gate",
      "map",
      "rules",
      "viewer",
      "camp-viewer",
      "camp-viewer",
      "tents.camp.example.com",
      "camp",
    ]);
    expect(order).toContain("camp");
    expect(server.kubectl(["get", "customresourcedefinitions,clusterrole", "--output=name"])).not.toContain("camp");
    expect(server.kubectl(["get", "namespace", "camp", "--ignore-not-found"])).toBe("");
  });
});

test("a new namespace with an object that the server stores in its own form is converged after one run", async () => {
  const resources = { requests: { cpu: "1000m", memory: "1024Mi" } };
  const deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "odd" },
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { creationTimestamp: null, labels: { app: "web" } },
        spec: { containers: [{ name: "web", image: "web:1", ports: [{ containerPort: 80 }], resources }] },
      },
    },
  };
  const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: "odd" } };
  const text = [deployment, space].map((one) => JSON.stringify(one)).join("\n---\n");
  const [end] = await tasks.converge(tasks.manifest({ text }));
  expect(end?.outcome).toBe("changed");
});

test("an object that is not valid is refused in check mode and in a run before its namespace is created", async () => {
  const manifest = (name: string, label: string) => {
    const spec = {
      selector: { matchLabels: { a: "1" } },
      template: { metadata: { labels: { a: label } }, spec: { containers: [{ name: "web", image: "web" }] } },
    };
    const objects = [
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "early" } },
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "early" } },
      { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "early" }, spec },
    ];
    return tasks.manifest({ text: objects.map((one) => JSON.stringify(one)).join("\n---\n") });
  };
  const good = await tasks.host.check(manifest("rules", "1"));
  expect(good[0]?.outcome).toBe("changed");
  expect(good[0]?.notes ?? []).toEqual([]);
  const bad = manifest("BAD_NAME", "2");
  for (const [end] of [await tasks.host.check(bad), await tasks.host.apply(bad)]) {
    expect(refusal(end)).toBe("refused: invalid-object");
    expect(end?.error?.message).toMatch(/ConfigMap early\/BAD_NAME is not valid.*Deployment early\/web is not valid/s);
  }
  expect(server.kubectl(["get", "namespace", "early", "--ignore-not-found"])).toBe("");
});

test("a run that is killed after it has sent some objects is finished by the next run", async () => {
  const names = Array.from({ length: 300 }, (_, at) => `c${at}`);
  const objects = [
    ...names.map((name) => config(name, { a: "1" }, "killed")),
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "killed" } },
  ];
  const manifest = join(folder, "killed.yaml");
  writeFileSync(manifest, objects.map((one) => JSON.stringify(one)).join("\n---\n"));
  const source = (file: string): string => JSON.stringify(join(root, file));
  const params = { path: manifest, kubeconfig: server.kubeconfig(), fieldManager: "furrow-shop" };
  const inventory = join(folder, "inventory.ts");
  writeFileSync(
    inventory,
    `import { inventory } from ${source("src/authoring.ts")};\nexport default inventory({ hosts: { a: { transport: "local" } } });\n`,
  );
  const playbook = join(folder, "playbook.ts");
  writeFileSync(
    playbook,
    `import { playbook } from ${source("src/authoring.ts")};
import { kubeManifest } from ${source("tasks/index.ts")};
export default playbook({
  name: "Killed",
  plays: [{ hosts: "all", tasks: () => [kubeManifest(${JSON.stringify(params)})] }],
});
`,
  );
  const applied = (): number =>
    server.requests().filter((one) => /^patch \/api\/v1\/namespaces\/killed\/(?!.*dryRun)/.test(one)).length;
  const argv = [join(root, "bin/furrow.js"), "run", playbook, "-i", inventory];
  const env = { ...process.env, XDG_STATE_HOME: join(folder, "state") };
  const child = spawn(process.execPath, argv, { stdio: "ignore", env });
  const ended = new Promise((resolve) => child.once("close", (_code, signal) => resolve(signal)));
  while (applied() < 5 && child.exitCode === null) await pause(5);
  child.kill("SIGKILL");
  expect(await ended).toBe("SIGKILL");
  const left = (): number =>
    server.kubectl(["get", "configmaps", "--namespace=killed", "--output=name"]).trim().split("\n").length;
  expect(left()).toBeGreaterThanOrEqual(5);
  expect(left()).toBeLessThan(300);
  const [end] = await tasks.converge(tasks.manifest({ path: manifest }));
  expect(end?.outcome).toBe("changed");
  expect(left()).toBe(300);
}, 600_000);
