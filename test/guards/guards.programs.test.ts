import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { definitionOf } from "../../src/core/authoring/task.ts";
import { covered } from "../covered.ts";
import { driverFor } from "./bad-answers.ts";
import { cells } from "./cells.ts";
import { instanceOf, soundCluster } from "./examples.ts";
import { FakeCluster } from "./fake-cluster.ts";
import type { Guard } from "./guard.ts";
import { never, noCertificates, runGuard, said } from "./one-guard.ts";
import { guards } from "./registry.ts";

let cluster: FakeCluster;

beforeAll(async () => {
  cluster = await FakeCluster.up(soundCluster);
});

afterAll(() => cluster.down());

describe.skipIf(noCertificates)("with complete answers", () => {
  test.each([...guards])("$name allows", async (guard) => {
    cluster.instead = () => false;
    cluster.objects = { ...soundCluster, ...guard.allows };
    const task = await runGuard(cluster, guard, { kubeconfig: cluster.kubeconfig() });
    cluster.objects = soundCluster;
    expect(said(task)).not.toContain("cannot be");
    expect(["ok", "changed"]).toContain(task.outcome);
  });

  test("a list may come in pages, and a busy server is queried again", async () => {
    let busy = 2;
    cluster.instead = ({ response, page }) => {
      if (page === 0 || busy-- <= 0) return false;
      response.writeHead(429, { "retry-after": "0" }).end();
      return true;
    };
    cluster.asked.length = 0;
    const read = await driverFor().read({ kubeconfig: cluster.kubeconfig(), path: "/api/v1/nodes", list: true }, never);
    expect(read).toEqual({ complete: true, kind: "NodeList", items: soundCluster.nodes });
    expect(cluster.asked).toHaveLength(4);
  });

  test("a list that expires between two pages is read again from the start", async () => {
    let expires = true;
    cluster.instead = ({ response, page }) => {
      if (page === 0 || !expires) return false;
      expires = false;
      response.writeHead(410).end(JSON.stringify({ kind: "Status", message: "expired" }));
      return true;
    };
    const read = await driverFor().read({ kubeconfig: cluster.kubeconfig(), path: "/api/v1/nodes", list: true }, never);
    expect(read).toEqual({ complete: true, kind: "NodeList", items: soundCluster.nodes });
  });

  test("a running machine without a node is not accepted as an answer", async () => {
    cluster.objects = { ...soundCluster, instances: [instanceOf("web", undefined)] };
    cluster.instead = () => false;
    const task = await runGuard(cluster, guards[0] as Guard, { kubeconfig: cluster.kubeconfig() });
    cluster.objects = soundCluster;
    expect(said(task)).toContain("VirtualMachineInstance default/web has a wrong status.nodeName: no node");
  });
});

describe("the table of guards and bad answers", () => {
  test("contains each cell exactly once", () => {
    const names = cells.map(({ guard, path, bad }) => `${guard.name}, ${path}: ${bad.name}`);
    expect(new Set(names).size).toBe(cells.length);
    covered(`${cells.length} cells of ${guards.length} tasks and bad answers`);
  });
});

describe("the registry", () => {
  const root = join(import.meta.dirname, "../..");
  const sources = ["roles", "playbooks", "tasks"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !/\.(test|cases)\.ts$/.test(path))
      .map((path) => join(folder, path)),
  );
  const text = (path: string): string => readFileSync(join(root, path), "utf8");

  test("only code in the folder cluster-answers queries the Kubernetes API", () => {
    const asking = sources.filter(
      (path) => /\b(kubernetes|kubernetesList)\(/.test(text(path)) || text(path).includes('driver: "kubernetes"'),
    );
    expect(asking).toEqual(["roles/cluster-answers/answers.ts", "roles/cluster-answers/one-object.ts"]);
  });

  test("a playbook that can destroy something calls its guard after it has compared the cluster's identity", () => {
    const guard: Readonly<Record<string, string>> = {
      "harvester-remove-node.ts": "nodeRemoval(",
      "harvester-replace-node.ts": "nodeRemoval(",
      "harvester-shutdown.ts": "powerOff(",
      "harvester-upgrade.ts": "clusterUpgrade(",
    };
    // These playbooks only create, start or report; they delete nothing.
    const keepsAll = ["", "-add-disk", "-add-node", "-restart", "-status"].map((name) => `harvester${name}.ts`);
    const comparing = sources
      .filter((path) => path.startsWith("playbooks/") && /\b(identity|identified)\(/.test(text(path)))
      .map((path) => path.replace("playbooks/", ""));
    expect(comparing.toSorted()).toEqual([...keepsAll, ...Object.keys(guard)].toSorted());
    for (const [name, call] of Object.entries(guard)) {
      const source = text(join("playbooks", name));
      expect(source.indexOf(call)).toBeGreaterThan(source.search(/\bidentified\(/));
    }
  });

  test("contains every task that queries the cluster through that folder", () => {
    const asking = sources
      .filter((path) => !path.includes("cluster-answers/"))
      .flatMap((path) => text(path).split(/^(?=(?:export )?(?:const|function) )/m))
      .filter((part) => /\b(askCluster|askObject)\(/.test(part))
      .map((part) => /^export const (\w+) = task\(/.exec(part)?.[1] ?? part);
    expect(asking.toSorted()).toEqual(guards.map(({ name }) => name).toSorted());
    expect(guards.map(({ module }) => definitionOf(module)?.card.name)).toEqual(guards.map(({ name }) => name));
  });
});
