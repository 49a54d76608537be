import { describe, expect, test } from "vitest";
import { secretOf } from "../../src/core/secrets/secret.ts";
import { contractOf, explain } from "../../src/testing/index.ts";
import { cases } from "./kube-exec.cases.ts";
import { kubeExec } from "./kube-exec.ts";
import { params } from "./params.ts";

const base = { kubeconfig: "kubeconfig", namespace: "shop", command: ["true"] };
const pods = { pods: [] };

test("kubeExec meets the task contract and does what each case says", () => {
  expect(contractOf(kubeExec, cases, { folder: "kube-exec" })).toEqual([]);
});

describe("the params of kubeExec", () => {
  test.each([
    ["a pod and labels", { pod: "web-1", labels: { app: "web" }, always: true }],
    ["neither", { always: true }],
    ["no labels", { labels: {}, always: true }],
    ["a label that the selector would interpret differently", { labels: { app: "web,tier=db" }, always: true }],
    ["no guard", { pod: "web-1" }],
    ["two guards", { pod: "web-1", always: true, readOnly: true }],
    ["an `unless` that may change something", { pod: "web-1", unless: ["test", "-e", "/x"] }],
    [
      "an `unless` that is declared to change something",
      { pod: "web-1", unless: ["test", "-e", "/x"], readOnly: false },
    ],
    ["`each` for one pod", { pod: "web-1", each: true, always: true }],
    ["no program", { pod: "web-1", command: [], always: true }],
    ["an argument with a NUL character", { pod: "web-1", command: ["x\0y", "a"], always: true }],
    ["a shell command with a NUL character", { pod: "web-1", command: "x\0y", always: true }],
    ["a namespace that is a path", { pod: "web-1", namespace: "../x", always: true }],
    ["a pod that is a path", { pod: "../x", always: true }],
  ])("do not allow %s", (_what, more) => {
    expect(params.safeParse({ ...base, ...more }).success).toBe(false);
  });

  test("do not allow a secret among the arguments, which the API server logs", () => {
    const command = ["login", `--password=${secretOf("s3cret", "password")}`];
    const call = (): unknown =>
      explain(kubeExec({ ...base, command, pod: "web-1", always: true }), { pods, others: true });
    expect(call).toThrow(/secret/);
  });
});

test("kubeExec names the existing pods if none of them can run a command", () => {
  const pod = { uid: "1", reason: "", isBeingDeleted: false, containers: {} };
  const found = [
    { ...pod, name: "web-1", phase: "Failed", reason: "Evicted: no memory" },
    { ...pod, name: "web-2", phase: "Running", isBeingDeleted: true },
  ];
  const call = kubeExec({ ...base, labels: { app: "web" }, always: true });
  expect(explain(call, { pods: { pods: found }, others: true, ran: false }).refusal).toMatchObject({
    code: "no-pod",
    current: "web-1: Failed (Evicted: no memory); web-2: being deleted",
  });
});
