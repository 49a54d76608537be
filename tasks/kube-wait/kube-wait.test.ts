import { expect, test } from "vitest";
import { absent, playbook } from "../../src/authoring.ts";
import { sealedFieldValue } from "../../src/facts/catalogue.ts";
import { contractOf, explain, simulate } from "../../src/testing/index.ts";
import { cases } from "./kube-wait.cases.ts";
import { kubeWait } from "./kube-wait.ts";

const of = { apiVersion: "v1", kind: "Secret", name: "db", namespace: "shop", kubeconfig: "k" };
const there = { exists: true, conditions: {}, phase: absent, isOutdated: false, deleting: absent, warning: absent };

test("kubeWait prints neither the value that it waits for in a Secret nor the current value", () => {
  const call = kubeWait({ ...of, field: "data.password", value: "cDE=" });
  const { refusal } = explain(call, { object: { ...there, version: "1", value: sealedFieldValue("cDI=") } });
  expect(refusal?.message).toBe("Secret shop/db: its data.password is another secret value");
  const { waitsFor } = call.module.poll?.({ ...of, field: "data.password", value: "cDE=" } as never) ?? {};
  expect(waitsFor).toBe("Secret shop/db to have the given value in data.password");
});

test("kubeWait prints no password in a URL or a text that it waits for", () => {
  const url = "http://u:hunter2@x";
  const settings = { ...of, kind: "Setting", field: "value", value: JSON.stringify({ httpProxy: url }) };
  for (const params of [settings, { ...of, kind: "ConfigMap", field: "data.url", value: url }]) {
    const call = kubeWait(params);
    const { waitsFor } = call.module.poll?.(params as never) ?? {};
    expect(waitsFor).toContain(`to have the given value in ${params.field}`);
    const now = { ...there, version: "1", value: sealedFieldValue("other") };
    expect(JSON.stringify(explain(call, { object: now }).refusal)).not.toContain("hunter2");
    expect(explain(call, { object: { ...now, value: sealedFieldValue(params.value) } }).refusal).toBeUndefined();
  }
});

test("kubeWait names both types if a value differs only in its type", () => {
  const call = kubeWait({ ...of, kind: "Deployment", field: "status.readyReplicas", value: "3" });
  expect(explain(call, { object: { ...there, version: "1", value: 3 } }).refusal?.message).toBe(
    "Deployment shop/db: its status.readyReplicas is 3, a number, and the task's `value` is a string",
  );
});

test("kubeWait names what an object that is being deleted waits for", () => {
  const call = kubeWait({ ...of, apiVersion: "v1", kind: "Pod", condition: "Ready" });
  const Ready = { status: "True", reason: "", message: "", isOutdated: false };
  const now = { ...there, version: "1", value: absent, conditions: { Ready } };
  const message = (deleting: string[]) => explain(call, { object: { ...now, deleting } }).refusal?.message;
  expect(message(["shop/backup"])).toBe("Pod shop/db: it is being deleted, and waits for shop/backup");
  expect(message([])).toBe("Pod shop/db: it is being deleted");
});

test("kubeWait shows a command that describes the object it waited for", () => {
  const call = kubeWait({ ...of, apiVersion: "apps/v1", kind: "Deployment", context: "lab", field: "status.replicas" });
  expect(explain(call, { object: { ...there, version: "1", value: absent } }).refusal?.hint).toBe(
    "Read its events with `kubectl describe Deployment.apps db --kubeconfig=k --context=lab --namespace=shop`, or raise deadlineSeconds",
  );
  const spaced = kubeWait({ ...of, kubeconfig: "my lab", field: "type" });
  expect(explain(spaced, { object: { ...there, version: "1", value: absent } }).refusal?.hint).toContain(
    "'--kubeconfig=my lab'",
  );
  expect(explain(call, { object: { exists: false } }).refusal?.hint).toContain("Find out what should create it");
});

test("kubeWait says in check mode that no cluster has such a kind, and would wait for a custom kind", async () => {
  const check = async (apiVersion: string, kind: string, near?: readonly string[]) => {
    const node = kubeWait({ ...of, apiVersion, kind, state: "present" });
    const seen = { exists: false, lacks: "kind", ...(near !== undefined && { near }) };
    const { tasks } = await simulate(playbook({ name: "a", plays: [{ hosts: "all", tasks: () => [node] }] }), {
      hosts: ["a"],
      mode: "check",
      drivers: { kubernetes: () => seen },
    });
    return [tasks[0]?.outcome, tasks[0]?.error?.failure.what, tasks[0]?.error?.failure.hint];
  };
  expect(await check("v1", "Configmap", ["ConfigMap in v1"])).toEqual([
    "failed",
    "Configmap shop/db: the cluster does not have the kind Configmap in v1",
    "Correct apiVersion or kind: the server serves ConfigMap in v1",
  ]);
  expect((await check("camp.example.com/v1", "Tent"))[0]).toBe("ok");
});

test("kubeWait ends at once, in check mode and in a run, if a namespaced kind has no namespace", () => {
  const { namespace: _, ...own } = of;
  const states = [{ condition: "Ready" }, { state: "absent" as const }, { field: "data.a" }];
  for (const state of states) {
    expect(explain(kubeWait({ ...own, ...state }), { object: { exists: false, needs: "namespace" } }).refusal).toEqual({
      code: "namespace-missing",
      message: "cannot wait for Secret db: a Secret is namespaced, but no namespace is given",
      hint: "Give the task a `namespace`",
      final: true,
    });
  }
});

test("kubeWait refuses a field in kubectl's notation", () => {
  expect(() => explain(kubeWait({ ...of, field: "{.status.phase}" }), {})).toThrow('wrong value for param "field"');
});

test("kubeWait meets the task contract and does what each case says", () => {
  expect(contractOf(kubeWait, cases, { folder: "kube-wait" })).toEqual([]);
});
