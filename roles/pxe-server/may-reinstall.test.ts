import { describe, expect, test } from "vitest";
import { absent } from "../../src/core/facts/symbols.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import {
  answersOf,
  instanceOf,
  nodeOf,
  type Objects,
  replicaOf,
  soundCluster,
  volumeOf,
} from "../../test/guards/examples.ts";
import { mayReinstall } from "./may-reinstall.ts";

const rackNodes = [1, 2, 3].map((at) => ({ name: `harvester-${at}`, address: `192.168.10.1${at}` }));
const clusterNodes = rackNodes.map(({ name, address }) => nodeOf(name, { address }));
const report = { type: "directory" };

interface Case {
  readonly reinstall: readonly string[];
  readonly cluster?: Partial<Objects>;
  readonly acceptLoss?: readonly string[];
  /** Names of the nodes without a report. */
  readonly pending?: readonly string[];
  readonly nodes?: readonly { readonly name: string; readonly address: string }[];
}

/** Asks whether these nodes of a rack may be reinstalled. */
function ask({ reinstall, cluster = {}, acceptLoss = [], pending = [], nodes = rackNodes }: Case): Explanation {
  const reports = nodes.map(({ name }) => (pending.includes(name) ? absent : report));
  return explain(
    mayReinstall({ kubeconfig: "/k", nodes: [...nodes], reinstall: [...reinstall], acceptLoss: [...acceptLoss] }),
    { ...answersOf({ ...soundCluster, nodes: clusterNodes, ...cluster }), reports },
  );
}

describe("an installed node of a running cluster", () => {
  test("is reinstalled if the cluster can do without it", () => {
    const { refusal, notes } = ask({ reinstall: ["harvester-2"] });
    expect(refusal).toBeUndefined();
    expect(notes).toEqual(["without harvester-2 no volume, no image and no virtual machine would be lost"]);
  });

  test("is not reinstalled while it has the only replica of a volume, unless the loss is accepted", () => {
    const cluster = {
      volumes: [volumeOf("pvc-1", "detached")],
      replicas: [replicaOf("pvc-1", "harvester-2", { currentState: "stopped" })],
    };
    const { refusal } = ask({ reinstall: ["harvester-2"], cluster });
    expect(refusal?.code).toBe("data-would-be-lost");
    expect(refusal?.message).toContain("without harvester-2 these would be lost: 1 volume: pvc-1");
    expect(ask({ reinstall: ["harvester-2"], cluster, acceptLoss: ["pvc-1"] }).refusal).toBeUndefined();
    expect(ask({ reinstall: ["harvester-1"], cluster }).refusal).toBeUndefined();
  });

  test("is not reinstalled while virtual machines run on it", () => {
    const instances = [instanceOf("web", "harvester-2")];
    expect(ask({ reinstall: ["harvester-2"], cluster: { instances } }).refusal?.code).toBe("machines-on-node");
  });

  test("is not reinstalled if etcd needs it", () => {
    const { refusal } = ask({ reinstall: ["harvester-2"], cluster: { nodes: clusterNodes.slice(0, 2) } });
    expect(refusal?.code).toBe("quorum");
    expect(refusal?.hint).toBe("Add a third voting node first: add a machine to `nodes`, and boot it from the network");
  });

  test("is not reinstalled if the cluster does not answer, and the hint says how to do it anyway", () => {
    const error = { code: "ECONNREFUSED", message: "connection refused" };
    const call = mayReinstall({ kubeconfig: "/k", nodes: [...rackNodes], reinstall: ["harvester-2"], acceptLoss: [] });
    const answers = { ...answersOf(soundCluster), nodes: { error }, reports: rackNodes.map(() => report) };
    const { refusal } = explain(call, answers);
    expect(refusal?.message).toBe(
      "cannot tell what would be lost with harvester-2: the cluster's nodes cannot be read (connection refused)",
    );
    expect(refusal?.hint).toContain("without the var `kubeconfig`, pxe does not ask the cluster");
  });

  test("is found in the cluster by its address if the vars have a new name for it", () => {
    const nodes = rackNodes.with(1, { name: "renamed", address: "192.168.10.12" });
    const cluster = { instances: [instanceOf("web", "harvester-2")] };
    expect(ask({ reinstall: ["renamed"], nodes, cluster }).refusal?.message).toBe(
      "virtual machines are running on harvester-2: default/web",
    );
  });
});

test("a node is not reinstalled if the kubeconfig is for a cluster without any node of the rack", () => {
  const cluster = { nodes: [nodeOf("stranger", { address: "192.168.7.1" })] };
  expect(ask({ reinstall: ["harvester-2"], cluster }).refusal).toMatchObject({
    code: "other-cluster",
    current: "stranger",
  });
});

describe("two nodes at once", () => {
  test("are not reinstalled, because etcd or a volume may need one of them", () => {
    const { refusal } = ask({ reinstall: ["harvester-1", "harvester-2"] });
    expect(refusal).toMatchObject({
      code: "reinstalled-together",
      message: "several nodes of the cluster would be reinstalled at the same time: harvester-1, harvester-2",
    });
  });

  test("are not reinstalled if an earlier run has prepared one, but it has not reported its installation yet", () => {
    const { refusal } = ask({ reinstall: ["harvester-2"], pending: ["harvester-1"] });
    expect(refusal?.code).toBe("reinstalled-together");
    expect(refusal?.message).toContain("harvester-1, harvester-2");
  });

  test("are reinstalled if the cluster lists only one of them", () => {
    const cluster = { nodes: [...clusterNodes.slice(0, 2), nodeOf("harvester-4", { address: "192.168.10.14" })] };
    expect(ask({ reinstall: ["harvester-2", "harvester-3"], cluster }).refusal).toBeUndefined();
  });
});

test("a rerun after the report is gone asks nothing", () => {
  const error = { code: "ECONNREFUSED", message: "connection refused" };
  const call = mayReinstall({ kubeconfig: "/k", nodes: [...rackNodes], reinstall: ["harvester-2"], acceptLoss: [] });
  const reports = [report, absent, report];
  expect(explain(call, { ...answersOf(soundCluster), nodes: { error }, reports }).refusal).toBeUndefined();
});
