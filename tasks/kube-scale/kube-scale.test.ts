import { expect, test } from "vitest";
import { absent, type Node, playbook } from "../../src/authoring.ts";
import { contractOf, explain, simulate } from "../../src/testing/index.ts";
import { kubeObject } from "../kube-object/kube-object.ts";
import { cases } from "./kube-scale.cases.ts";
import { kubeScale } from "./kube-scale.ts";

test("kubeScale meets the task contract and does what each case says", () => {
  expect(contractOf(kubeScale, cases, { folder: "kube-scale" })).toEqual([]);
});

const web = { apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: "shop", kubeconfig: "kubeconfig" };
const own = { kubeconfig: "kubeconfig", fieldManager: "shop" };
const named = { metadata: { name: "web", namespace: "shop" } };
const deployment = { apiVersion: "apps/v1", kind: "Deployment", ...named, spec: { template: {} } };
const autoscaler = {
  apiVersion: "autoscaling/v1",
  kind: "HorizontalPodAutoscaler",
  ...named,
  spec: { maxReplicas: 5 },
};

const nothing = { exists: false, fields: {}, owner: {} };
const there = { exists: true, replicas: 3, running: 3, ready: 3, isOutdated: false, uid: "1" };
const missing = {
  exists: false,
  replicas: absent,
  running: absent,
  ready: absent,
  isOutdated: false,
  problem: { code: "no-object", message: "Deployment shop/web does not exist", hint: "Correct its name" },
};

/** How tasks end in check mode, on a cluster in which the objects that they apply do not exist yet. */
async function checked(scale: object, autoscalers: readonly object[], tasks: () => Node[]): Promise<string[]> {
  const kubernetes = (request: unknown): unknown => {
    const asked = request as Readonly<Record<string, unknown>>;
    if ("scale" in asked) return scale;
    if ("autoscalers" in asked) return { autoscalers };
    if ("scaleEnding" in asked) return { pods: [] };
    return "scaling" in asked ? {} : { ...nothing, after: { ...nothing, exists: true, fields: { "spec.a": 1 } } };
  };
  const book = playbook({ name: "scales", plays: [{ hosts: "all", tasks }] });
  const done = await simulate(book, { hosts: ["a"], mode: "check", drivers: { kubernetes } });
  return done.tasks.map((end) => end.error?.failure.details?.[0] ?? end.outcome);
}

test("a note says that readiness is unknown if the kind does not report it", () => {
  const camp = { ...web, apiVersion: "camp.example.com/v1", kind: "Camp" };
  const notes = (params: Parameters<typeof kubeScale>[0], ready: unknown) =>
    explain(kubeScale(params), { scale: { ...there, ready }, autoscalers: { autoscalers: [] } }).notes;
  expect(notes({ ...camp, replicas: 3 }, absent)).toEqual([
    "not waited for: whether the replicas of Camp shop/web are ready, which the kind Camp does not report",
  ]);
  expect(notes({ ...camp, replicas: 3 }, 3)).toEqual([]);
  expect(notes({ ...camp, replicas: 3, wait: false }, absent)).toEqual([]);
});

test("if the pods may not be listed, a note says that the task does not wait for those that still run", () => {
  const now = { scale: { ...there, replicas: 0, running: 0, ready: 0 }, autoscalers: { autoscalers: [] } };
  const ending = { pods: [], unseen: 'pods is forbidden: User "guest" cannot list' };
  expect(explain(kubeScale({ ...web, replicas: 0 }), { ...now, ending }).notes).toEqual([
    'not waited for: pods of Deployment shop/web that are being deleted but still run (pods is forbidden: User "guest" cannot list)',
  ]);
});

test("scaling an object that does not exist is refused, but is undecided if an earlier task creates the object", async () => {
  const scale = kubeScale({ ...web, replicas: 3 });
  expect(await checked(missing, [], () => [scale])).toEqual(["refused: no-object"]);
  expect(await checked(missing, [], () => [kubeObject({ ...own, object: deployment }), scale])).toEqual([
    "changed",
    "undecided",
  ]);
});

test("the refusal of 0 replicas names KEDA's annotation if KEDA controls the number", () => {
  const autoscalers = { autoscalers: [{ name: "keda-hpa-queue", least: 0, scaledObject: "queue" }] };
  const { refusal } = explain(kubeScale({ ...web, replicas: 0 }), {
    scale: there,
    autoscalers,
    server: {},
    ending: { pods: [] },
  });
  expect(refusal).toMatchObject({
    code: "autoscaled",
    hint: `Annotate KEDA's ScaledObject queue with autoscaling.keda.sh/paused-replicas: "0" instead, or set allowAutoscaler: true`,
  });
});

test("an autoscaler that an earlier task creates leaves check mode undecided", async () => {
  const scale = kubeScale({ ...web, replicas: 5 });
  expect(await checked(there, [], () => [scale])).toEqual(["changed"]);
  expect(await checked(there, [], () => [kubeObject({ ...own, object: autoscaler }), scale])).toEqual([
    "changed",
    "undecided",
  ]);
});

test("check mode predicts a second number of replicas in the same play if the task that sets the first one is temporary", async () => {
  const down = (name: string, temporary: boolean) => kubeScale({ ...web, replicas: 0 }, { name, temporary });
  const up = kubeScale({ ...web, replicas: 3 });
  expect(await checked(there, [], () => [down("down", true), down("again", true), up])).toEqual([
    "changed",
    "ok",
    "changed",
  ]);
  await expect(checked(there, [], () => [down("down", false), up])).rejects.toMatchObject({
    code: "E_CONFLICTING_WANTS",
  });
});

test("a later task about the object is undecided, because that task may also set the number of replicas", async () => {
  const later = kubeObject({ ...own, object: deployment });
  expect(await checked(there, [], () => [kubeScale({ ...web, replicas: 5 }), later])).toEqual(["changed", "undecided"]);
});

test.each([-1, 1.5, 2 ** 31])("refuses %s as a number of replicas", (replicas) => {
  const book = playbook({ name: "wrong", plays: [{ hosts: "all", tasks: () => [kubeScale({ ...web, replicas })] }] });
  return expect(simulate(book, { hosts: ["a"] })).rejects.toThrow("replicas");
});
