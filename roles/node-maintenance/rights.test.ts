import { describe, expect, test } from "vitest";
import {
  answerFor,
  instanceOf,
  machineOf,
  type Objects,
  soundCluster,
  threeNodes,
} from "../../test/guards/examples.ts";
import { type Json, playbook } from "../../src/authoring.ts";
import { simulate } from "../../src/testing/index.ts";
import { nodeMaintenance } from "./role.ts";
import { nodeMaintenanceSchema } from "./vars.ts";

const node = "harvester-2";
const modes = ["check", "apply"] as const;

const machine = machineOf("gpu") as { readonly metadata: object; readonly spec: object };
const machineThat = (runStrategy: string, annotations: object = {}): object => ({
  ...machine,
  metadata: { ...machine.metadata, annotations },
  spec: { ...machine.spec, runStrategy },
});

/** Runs the role for a user who may not change these kinds of object. */
async function run(
  mode: "check" | "apply",
  forbidden: readonly string[],
  vars: object,
  cluster: Partial<Objects>,
): Promise<{ readonly ends: string[]; readonly hint: string | undefined; readonly tried: unknown[] }> {
  const tried: unknown[] = [];
  const kubernetes = (request: Json): unknown => {
    const asked = request as { readonly path: string; readonly tried?: string };
    if (asked.tried === undefined) return answerFor({ ...soundCluster, ...cluster }, asked);
    tried.push(request);
    if (!forbidden.includes(asked.tried.split(" ")[0] ?? "")) return { accepted: true };
    const message = `${asked.tried} is forbidden: User "guest" cannot patch it`;
    return { refused: { code: "forbidden", message, hint: "Use the kubeconfig of a user who has this permission" } };
  };
  const params = nodeMaintenanceSchema.parse({ kubeconfig: "k", node, ...vars });
  const book = playbook({ name: "b", plays: [{ hosts: "all", tasks: () => [nodeMaintenance(params)] }] });
  const { tasks } = await simulate(book, { hosts: ["metal"], drivers: { kubernetes }, mode });
  const ends = tasks.map(({ title, outcome, error }) =>
    [title, outcome, error?.failure.what].filter(Boolean).join(": "),
  );
  return { ends, hint: tasks.at(-1)?.error?.failure.hint, tried };
}

describe("the maintenance of a node by a user who may not change nodes", () => {
  const cluster = { instances: [instanceOf("gpu", node)], machines: [machineThat("RerunOnFailure")] };
  const vars = { action: "enter", shutDown: ["default/gpu"] };

  test.each(modes)("is refused before a machine is shut down, in mode %s", async (mode) => {
    const { ends, hint, tried } = await run(mode, ["Node"], vars, cluster);
    expect(ends).toEqual([
      "harvester-2 may enter maintenance: ok",
      'the cluster accepts the changes: failed: Node harvester-2 is forbidden: User "guest" cannot patch it',
    ]);
    expect(hint).toBe("Use the kubeconfig of a user who has this permission");
    expect(tried).toMatchObject([
      { method: "PATCH", tried: "VirtualMachine default/gpu", body: { spec: { runStrategy: "Halted" } } },
      { method: "PATCH", tried: "Node harvester-2", path: "/api/v1/nodes/harvester-2" },
    ]);
  });

  test("names everything that the user may not change", async () => {
    const { ends } = await run("check", ["Node", "VirtualMachine"], vars, cluster);
    expect(ends.at(-1)).toContain("VirtualMachine default/gpu is forbidden");
    expect(ends.at(-1)).toContain("Node harvester-2 is forbidden");
  });

  test("asks nothing if the maintenance has begun", async () => {
    const own = threeNodes()[1] as { readonly metadata: object };
    const annotations = { "harvesterhci.io/maintain-status": "completed" };
    const nodes = threeNodes().toSpliced(1, 1, { ...own, metadata: { ...own.metadata, annotations } });
    const { ends, tried } = await run("check", ["Node"], { action: "enter" }, { nodes, instances: [] });
    expect(tried).toEqual([]);
    expect(ends).toContain("the cluster accepts the changes: skipped");
  });
});

describe("the end of maintenance by a user who may not change machines", () => {
  const own = threeNodes()[1] as { readonly metadata: object };
  const annotations = { "harvesterhci.io/maintain-status": "completed" };
  const nodes = threeNodes().toSpliced(1, 1, { ...own, metadata: { ...own.metadata, annotations } });
  const stopped = { "furrow/stopped-for-maintenance-of": node, "furrow/run-strategy-before-maintenance": "Always" };
  const cluster = { nodes, instances: [], machines: [machineThat("Halted", stopped)] };

  test.each(modes)("is refused before the node changes, in mode %s", async (mode) => {
    const { ends, tried } = await run(mode, ["VirtualMachine"], { action: "leave" }, cluster);
    expect(ends).toEqual([
      "harvester-2 may leave maintenance: ok",
      'the cluster accepts the changes: failed: VirtualMachine default/gpu is forbidden: User "guest" cannot patch it',
    ]);
    expect(tried).toMatchObject([{ tried: "Node harvester-2" }, { body: { spec: { runStrategy: "Always" } } }]);
  });
});
