import { describe, expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { answersOf, instanceOf, type Objects, soundCluster, upgradeOf, volumeOf } from "../../test/guards/examples.ts";
import { recordText } from "./checked.ts";
import { noWorkloads, workloadsNotAsked } from "./no-workloads.ts";

const nodes = ["harvester-3", "harvester-2", "harvester-1"];
const call = noWorkloads({ kubeconfig: "k", nodes, order: "/order", record: "/record" });
const running = { state: "running" };
const off = { state: "shut off" };
const operator = { who: "me@laptop", since: "2026-01-01T01:00:00Z" };
const host = { order: absent, record: absent, marker: absent, operator, domains: [running, running, running] };

const ask = (cluster: Partial<Objects>): string | undefined =>
  explain(call, { ...host, ...answersOf({ ...soundCluster, ...cluster }) }).refusal?.message;

test("does not switch off a cluster that is in use", () => {
  expect(ask({})).toBeUndefined();
  expect(ask({ instances: [instanceOf("web", "harvester-1"), instanceOf("db", undefined, "Pending")] })).toBe(
    "virtual machines are running: default/db, default/web",
  );
  expect(ask({ volumes: [volumeOf("pvc-1"), volumeOf("pvc-2", "detaching")] })).toBe(
    "volumes are in use: pvc-1 (attached), pvc-2 (detaching)",
  );
});

test("still queries the cluster if a node is off only because libvirt has saved it: its virtual machines are frozen in memory", () => {
  const dead = { kubernetes: { error: { code: "ECONNREFUSED", message: "no answer" } } };
  const silent = Object.fromEntries(Object.keys(answersOf(soundCluster)).map((id) => [id, dead.kubernetes]));
  const tellOf = (saved: boolean): Explanation =>
    explain(call, { ...host, domains: [off, { ...off, saved }, off], ...silent });
  expect(tellOf(true).refusal?.message).toContain("whether anything runs on the cluster");
  expect(tellOf(false).notes.join()).toContain("all nodes are off");
});

test("does not switch off part of a cluster: it names the nodes that the vars do not list", () => {
  const fewer = noWorkloads({ kubeconfig: "k", nodes: ["harvester-1"], order: "/order", record: "/record" });
  const { refusal } = explain(fewer, { ...host, domains: [running], ...answersOf(soundCluster) });
  expect(refusal).toMatchObject({
    code: "nodes-unlisted",
    message:
      "the cluster also has harvester-2 and harvester-3, which the vars do not list, so the shutdown would leave part of it running",
    hint: expect.stringContaining("removedNodes") as string,
  });
});

test("names the workloads that use a volume, as far as Longhorn knows them", () => {
  const used = (name: string, kubernetesStatus: object): object => {
    const volume = volumeOf(name) as { status: object };
    return { ...volume, status: { ...volume.status, kubernetesStatus } };
  };
  const pod = (podName: string, workloadName = ""): object => ({ podName, workloadName });
  const namespace = "cattle-monitoring-system";
  const prometheus = [pod("prometheus-0", "prometheus"), pod("prometheus-1", "prometheus"), pod("alone")];
  const volumes = [
    used("pvc-1", { namespace, lastPodRefAt: "", workloadsStatus: prometheus }),
    used("pvc-2", { namespace, lastPodRefAt: "2026-01-01T00:00:00Z", workloadsStatus: prometheus }),
    used("pvc-3", { namespace: "", lastPodRefAt: "", workloadsStatus: null }),
  ];
  expect(ask({ volumes })).toBe(
    `volumes are in use: pvc-1 (attached, used by ${namespace}/alone, ${namespace}/prometheus), pvc-2 (attached), pvc-3 (attached)`,
  );
});

test("does not switch off a cluster that is being upgraded, and reports the upgrade before anything else", () => {
  const upgrades = [upgradeOf("hvst-upgrade-1", "v1.8.0", "UpgradingNodes")];
  const { refusal } = explain(call, {
    ...host,
    ...answersOf({ ...soundCluster, upgrades, volumes: [volumeOf("pvc-1")] }),
  });
  expect(refusal).toMatchObject({
    code: "upgrade-in-progress",
    message: "the cluster is being upgraded: hvst-upgrade-1: UpgradingNodes",
  });
  expect(refusal?.hint).toContain("force=true");
});

test("a forced shutdown says which checks it skipped", () => {
  expect(explain(workloadsNotAsked({}), {}).notes).toEqual([
    "force is set, so the cluster was not asked whether virtual machines are running on it, whether its volumes are in use, whether it is being upgraded, or whether it has nodes that the vars do not list",
  ]);
});

describe("a cluster that does not answer", () => {
  const recorded = { text: nodes.map((name) => `${name}\n`).join("") };
  const record = { text: recordText(nodes, "2026-01-01T00:00:00Z") };
  const reason = { by: "harvester-shutdown", who: "me@laptop", since: "2026-01-01T00:00:00Z", why: "it is shut down" };
  const marker = { text: `${JSON.stringify(reason)}\n` };
  const begun = { order: recorded, record, marker };
  const asked = (now: object, code = "ECONNREFUSED"): Explanation => {
    const error = { code, message: "no answer" };
    return explain(call, {
      ...host,
      ...answersOf(soundCluster),
      instances: { error },
      volumes: { error },
      upgrades: { error },
      nodes: { error },
      ...now,
    });
  };

  test("is not switched off", () => {
    const { refusal } = asked({});
    expect(refusal?.message).toBe(
      "cannot tell whether anything runs on the cluster: the running virtual machines, Longhorn's volumes, Harvester's upgrades and the cluster's nodes cannot be read (no answer)",
    );
    expect(refusal?.hint).toContain("force=true");
  });

  test("does not block a shutdown that has begun if only its last node is still on", () => {
    const { refusal, notes } = asked({ ...begun, domains: [off, off, running] });
    expect(refusal).toBeUndefined();
    expect(notes).toEqual([
      "the cluster was checked at 2026-01-01T00:00:00Z, and its shutdown has begun: 1 of 3 nodes is still up, and cannot answer alone",
    ]);
  });

  test("does not block a shutdown that has begun if, besides its last node, one more is on but shutting down", () => {
    const { refusal } = asked({ ...begun, domains: [off, { state: "in shutdown" }, running] });
    expect(refusal).toBeUndefined();
  });

  test("does not block a shutdown if all its nodes are off", () => {
    const { refusal, notes } = asked({ domains: [off, off, { state: "crashed" }] });
    expect(refusal).toBeUndefined();
    expect(notes).toEqual(["all nodes are off, so the cluster was not asked whether anything runs on it"]);
  });

  test.each(["ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EHOSTUNREACH", "timeout", "HTTP 503"])(
    "does not block a shutdown that has begun if the network reports %s",
    (code) => {
      expect(asked({ ...begun, domains: [off, off, running] }, code).refusal).toBeUndefined();
    },
  );

  const last = { ...begun, domains: [off, off, running] };
  test.each<[string, object, string?]>([
    ["no shutdown has been recorded", { ...last, order: absent }],
    ["one of its nodes is not on this host", { domains: [off, absent, off] }],
    ["the recorded order lists other nodes", { ...last, order: { text: "a\nb\n" } }],
    ["somebody has removed the marker of the shutdown", { ...last, marker: absent }],
    ["the host is under maintenance for another reason", { ...last, marker: { text: "disk swap\n" } }],
    ["no shutdown has checked it, because it was forced", { ...last, record: absent }],
    ["other nodes were checked", { ...last, record: { text: recordText(["a"], "2026-01-01T00:00:00Z") } }],
    ["it was checked too long ago", { ...last, record: { text: recordText(nodes, "2025-12-31T22:59:59Z") } }],
    ["its check is dated in the future", { ...last, record: { text: recordText(nodes, "2026-01-01T01:00:01Z") } }],
    ["the record of the check is damaged", { ...last, record: { text: "{" } }],
    ["enough nodes for a quorum are on", { ...begun, domains: [off, running, running] }],
    ["it denies access", last, "HTTP 403"],
    ["the kubeconfig is missing", last, "no-kubeconfig"],
    ["it sends half a list", last, "half-list"],
  ])("blocks a shutdown if %s", (_name, now, code) => {
    expect(asked(now, code).refusal?.code).toBe("cluster-not-seen");
  });
});
