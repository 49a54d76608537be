import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clusterLists } from "../../roles/cluster-answers/answers.ts";
import { upgradeSchema } from "../../roles/cluster-answers/harvester-objects.ts";
import { kubernetesDriver } from "../../src/drivers/kubernetes.ts";
import { finished } from "../playbooks/deployment.ts";
import { type Controller, startFurrowAt } from "../torture/controller.ts";
import { hasPrograms, standInApi } from "./api-server.ts";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "furrow-upgrade-run-"));
const kubeconfig = join(folder, "kubeconfig");
const image = Buffer.from("an image");
const never = new AbortController().signal;
let server: Server;
let stop: () => void = () => undefined;

beforeAll(async () => {
  if (!hasPrograms) return;
  ({ stop } = await standInApi(folder));
  server = createServer((_, response) => response.writeHead(200).end(image));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  writeFileSync(join(folder, "image.iso"), image);
  writeFileSync(
    join(folder, "inventory.ts"),
    `import { inventory } from ${JSON.stringify(join(root, "src/authoring.ts"))};
export default inventory({ hosts: { here: { transport: "local" } } });
`,
  );
}, 600_000);

afterAll(() => {
  stop();
  server?.close();
  rmSync(folder, { recursive: true });
});

/** Runs the tasks of the role, except the download, against the stand-in's API. */
function furrow(verb: "check" | "run", version: string): Controller {
  const from = (path: string): string => JSON.stringify(join(root, path));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/iso`;
  const common = `kubeconfig: ${JSON.stringify(kubeconfig)}, version: ${JSON.stringify(version)}`;
  const text = `import { playbook } from ${from("src/authoring.ts")};
import { mayUpgrade } from ${from("roles/cluster-upgrade/may-upgrade.ts")};
import { upgradeFinished } from ${from("roles/cluster-upgrade/upgrade-finished.ts")};
import { upgradeStarted } from ${from("roles/cluster-upgrade/upgrade-started.ts")};
import { versionOffered } from ${from("roles/cluster-upgrade/version-offered.ts")};
export default playbook({ name: "Upgrade", plays: [{ hosts: "all", tasks: () => {
  const decided = mayUpgrade({ ${common}, nodes: ["harvester-1", "harvester-2", "harvester-3"], retry: false });
  const starts = decided.output.map(({ action }) => action === "start");
  const waits = decided.output.map(({ action }) => action !== "none");
  return [
    decided,
    versionOffered({ ${common}, iso: ${JSON.stringify(join(folder, "image.iso"))}, url: "${url}" }, { when: starts }),
    upgradeStarted(decided.output.map(({ name }) => ({ ${common}, name })), { when: starts, name: "start" }),
    upgradeFinished(decided.output.map(({ name }) => ({ ${common}, name, deadlineSeconds: 120 })), { when: waits, name: "end" }),
  ];
} }] });
`;
  const path = join(folder, `${version}.ts`);
  writeFileSync(path, text);
  const env = { ...process.env, XDG_STATE_HOME: join(folder, "state") };
  return startFurrowAt({ cwd: folder, env }, [verb, path, "-i", join(folder, "inventory.ts")]);
}

async function outcomes(verb: "check" | "run", version: string): Promise<Record<string, string>> {
  const { code, events, text } = await furrow(verb, version).ended;
  if (code !== 0) throw new Error(text.slice(-3000));
  return Object.fromEntries(finished(events).map(({ title, outcome }) => [title, outcome]));
}

async function upgrades() {
  const request = { kubeconfig, path: clusterLists.upgrades.path, list: true };
  const { items } = (await kubernetesDriver.read(request, never)) as { items: object[] };
  return items.map((item) => upgradeSchema.parse(item));
}

async function until(test: (all: Awaited<ReturnType<typeof upgrades>>) => boolean): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (test(await upgrades())) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  throw new Error("the upgrades did not reach the expected state within 30 seconds");
}

const patch = (path: string, body: object): unknown =>
  kubernetesDriver.call?.({ kubeconfig, path, method: "PATCH", body: body as never }, never);

describe.skipIf(!hasPrograms)("an upgrade through the stand-in's API", () => {
  test(
    "is predicted, continues although furrow is killed, and needs no change afterwards",
    { timeout: 900_000 },
    async () => {
      const check = await outcomes("check", "v1.8.2");
      expect(check).toMatchObject({ "Harvester knows v1.8.2": "changed", start: "changed", end: "ok" });
      expect(await upgrades()).toEqual([]);
      const killed = furrow("run", "v1.8.2");
      await until((all) => all.length > 0);
      killed.child.kill("SIGKILL");
      await killed.ended;
      expect(await outcomes("run", "v1.8.2")).toMatchObject({ start: "skipped" });
      expect(await upgrades()).toMatchObject([{ name: "hvst-upgrade-v1-8-2-1", outcome: "Succeeded" }]);
      expect(Object.values(await outcomes("run", "v1.8.2"))).toEqual(["ok", "skipped", "skipped", "skipped"]);
      const version = `${clusterLists.upgrades.path.replace(/upgrades$/, "versions")}/v1.8.2`;
      const isoChecksum = createHash("sha512").update(image).digest("hex");
      expect(await kubernetesDriver.read({ kubeconfig, path: version }, never)).toMatchObject({
        object: { spec: { isoChecksum } },
      });
    },
  );

  test("is refused in check mode and in a run while a node is cordoned", { timeout: 900_000 }, async () => {
    const node = `${clusterLists.nodes.path}/harvester-2`;
    await patch(node, { spec: { unschedulable: true } });
    for (const verb of ["check", "run"] as const) {
      const { code, text } = await furrow(verb, "v1.8.3").ended;
      expect(code).toBe(1);
      expect(text).toContain("not every node is ready for an upgrade: harvester-2 (cordoned)");
    }
    await patch(node, { spec: { unschedulable: false } });
    expect(await upgrades()).toHaveLength(1);
  });

  test("ends with the message of a node's job that fails, and is not started over", { timeout: 900_000 }, async () => {
    const running = furrow("run", "v1.8.3");
    await until((all) => all.some(({ version, state }) => version === "v1.8.3" && state === "UpgradingNodes"));
    const failed = { state: "Failed", reason: "BackoffLimitExceeded", message: "the job has failed" };
    await patch(`${clusterLists.upgrades.path}/hvst-upgrade-v1-8-3-1`, {
      status: { nodeStatuses: { "harvester-3": failed } },
    });
    const { code, text } = await running.ended;
    expect(code).toBe(1);
    expect(text).toContain("failed: node harvester-3: BackoffLimitExceeded: the job has failed");
    const { text: again } = await furrow("run", "v1.8.3").ended;
    expect(again).toContain("failed after it had begun to change the cluster");
    expect(await upgrades()).toHaveLength(2);
  });
});
