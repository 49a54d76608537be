import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import removeNode from "../../playbooks/harvester-remove-node.ts";
import replaceNode from "../../playbooks/harvester-replace-node.ts";
import shutdown from "../../playbooks/harvester-shutdown.ts";
import status from "../../playbooks/harvester-status.ts";
import upgrade from "../../playbooks/harvester-upgrade.ts";
import { clusterLists } from "../../roles/cluster-answers/answers.ts";
import { nodeGone } from "../../roles/node-removal/node-gone.ts";
import type { Json } from "../../src/authoring.ts";
import { certificateDigest } from "../../src/core/host/certificate-digest.ts";
import type { Playbook } from "../../src/core/authoring/playbook.ts";
import { explain, simulate, type SimulatedState, type Simulation } from "../../src/testing/index.ts";
import { driverFor } from "../guards/bad-answers.ts";
import { soundCluster } from "../guards/examples.ts";
import { FakeCluster } from "../guards/fake-cluster.ts";
import { authorityShownIn, threeRunning } from "../guards/registry.ts";
import { host, upgradeArtifacts, vars } from "../guards/three-nodes.ts";

const noCertificates = spawnSync("sh", ["-c", "command -v openssl"]).status !== 0;

/** Our cluster, and another one whose nodes have the same names. */
let [ours, theirs]: FakeCluster[] = [];

beforeAll(async () => {
  if (!noCertificates) [ours, theirs] = [await FakeCluster.up(soundCluster), await FakeCluster.up(soundCluster)];
});
afterAll(() => [ours, theirs].map((cluster) => cluster?.down()));
beforeEach(() => {
  for (const cluster of [ours, theirs]) if (cluster !== undefined) cluster.instead = () => false;
});

interface Given {
  readonly kubeconfig: string;
  readonly more?: object;
  readonly state?: SimulatedState;
  readonly mode?: "apply" | "check";
}

const never = new AbortController().signal;

function run(book: Playbook, { kubeconfig, more, state, mode = "check" }: Given): Promise<Simulation> {
  return simulate(book, {
    hosts: ["metal"],
    vars: { ...vars, kubeconfig: { to: kubeconfig }, ...more },
    state: { metal: { ...host, ...threeRunning, ...state } },
    drivers: {
      kubernetes: (request: Json) => driverFor().read(request, never),
      http: () => ({ status: 200, headers: {}, body: "pong" }),
    },
    mode,
  });
}

const changed = ({ tasks }: Simulation): string[] =>
  tasks.filter(({ outcome }) => outcome === "changed").map(({ title }) => title);

/** The virtual address does not answer. */
const closed = { "port:192.168.130.120 9345 virbr1": { open: false } };

describe.skipIf(noCertificates)(
  "no record of a node, no CA certificate served, and a kubeconfig for another cluster",
  () => {
    test.each<[string, Playbook, object]>([
      ["remove-node", removeNode, { node: 3 }],
      ["replace-node", replaceNode, { node: 2 }],
      ["upgrade", upgrade, { version: "v1.8.3", artifacts: upgradeArtifacts }],
      ["remove-node without a kubeconfig in the vars", removeNode, { node: 3, kubeconfig: false }],
    ])("%s refuses, and asks that cluster nothing", async (_name, book, more) => {
      for (const mode of ["check", "apply"] as const) {
        theirs!.asked.length = 0;
        const ended = await run(book, { kubeconfig: theirs!.kubeconfig(), more, state: closed, mode });
        expect(changed(ended)).toEqual([]);
        expect(ended.tasks.at(-1)?.error?.failure).toMatchObject({
          what: expect.stringMatching(
            /^nothing shows that the kubeconfig .* is for the cluster on this host$/,
          ) as string,
          hint: expect.stringMatching(/^Start the cluster with harvester-restart/) as string,
          details: ["refused: unproven-kubeconfig"],
        });
        expect(theirs!.asked).toEqual([]);
      }
    });

    test("shutdown does not trust the answer that nothing is running, and continues with force=true", async () => {
      for (const mode of ["check", "apply"] as const) {
        const ended = await run(shutdown, { kubeconfig: theirs!.kubeconfig(), state: closed, mode });
        expect(changed(ended)).toEqual([]);
        expect(ended.tasks.at(-1)?.error?.failure.details).toEqual(["refused: unproven-kubeconfig"]);
      }
      const forced = await run(shutdown, { kubeconfig: theirs!.kubeconfig(), state: closed, more: { force: true } });
      expect(changed(forced)).toContain("maintenance: the cluster is shut down");
    });

    test("status notes that its answers may be from another cluster", async () => {
      const { tasks } = await run(status, { kubeconfig: theirs!.kubeconfig(), state: closed });
      const compared = tasks.find(({ title }) => title === "the cluster is the one that was first deployed here");
      expect(compared?.notes.join()).toMatch(/nothing shows that .* is for the cluster at 192\.168\.130\.120/);
    });
  },
);

test.skipIf(noCertificates)(
  "a node is removed from a running cluster without any record, because the cluster serves its CA certificate",
  async () => {
    const state = authorityShownIn(ours!.authority);
    const ended = await run(removeNode, { kubeconfig: ours!.kubeconfig(), more: { node: 3 }, state });
    expect(changed(ended)).toContain("maintenance: harvester-3 is being removed");
  },
);

describe.skipIf(noCertificates)("another operator replaces the kubeconfig during a run", () => {
  test.each<[string, Playbook, object, string]>([
    ["remove-node", removeNode, { node: 3 }, clusterLists.nodes.path],
    ["replace-node", replaceNode, { node: 2 }, clusterLists.nodes.path],
    ["shutdown", shutdown, {}, clusterLists.nodes.path],
    ["upgrade", upgrade, { version: "v1.8.3", artifacts: upgradeArtifacts }, clusterLists.nodes.path],
  ])("%s notices it before it decides from the answers of the other cluster", async (_name, book, more, last) => {
    const [kubeconfig, other] = [ours!.kubeconfig(), theirs!.kubeconfig()];
    theirs!.asked.length = 0;
    ours!.instead = ({ path }) => {
      // The comparison lists the nodes before the guard does.
      if (path === last) copyFileSync(other, kubeconfig);
      return false;
    };
    const state = authorityShownIn(ours!.authority);
    const ended = await run(book, { kubeconfig, more, state, mode: "apply" });
    expect(changed(ended)).toEqual([]);
    expect(ended.tasks.at(-1)?.error?.failure).toMatchObject({
      what: expect.stringContaining(`the kubeconfig ${kubeconfig} is for another cluster`) as string,
      hint: expect.stringMatching(/^Set kubeconfig\.to/) as string,
    });
  });

  test("every request that removes a node says which cluster it is for", () => {
    const authority = certificateDigest(ours!.authority) ?? "";
    const { steps } = explain(nodeGone({ kubeconfig: { path: "k", authority }, node: "harvester-3" }), {
      node: { found: true, object: { kind: "Node", metadata: { name: "harvester-3" } } },
    });
    expect(steps).toEqual([
      expect.objectContaining({ request: expect.objectContaining({ method: "PATCH", authority }) as object }),
      expect.objectContaining({ request: expect.objectContaining({ method: "DELETE", authority }) as object }),
    ]);
  });
});
