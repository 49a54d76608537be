import { expect, test } from "vitest";
import { duration, factName, taskName } from "./words.ts";

test.each([
  ["file:/etc/motd", "file:/etc/motd"],
  ['file:{"path":"./kubeconfig","sealed":true}', "file:./kubeconfig"],
  [String.raw`filtered:{"path":"/etc/a \"b\"","through":["sed"]}`, 'filtered:/etc/a "b"'],
  ['http:{"url":"http://x"}', 'http:{"url":"http://x"}'],
  [
    String.raw`redfish:{"caCert":"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n","url":"https://bmc-1"}`,
    'redfish:{"caCert":"given","url":"https://bmc-1"}',
  ],
  [
    'kubernetes:{"kubeconfig":"k","path":"/apis/harvesterhci.io/v1beta1/settings/backup-target","sealed":["value"]}',
    "kubernetes:settings backup-target",
  ],
  ['kubernetes:{"kubeconfig":"k","authority":"a","path":"/api/v1/nodes/harvester-2"}', "kubernetes:nodes harvester-2"],
  [
    'kubernetes:{"kubeconfig":"k","path":"/apis/kubevirt.io/v1/namespaces/default/virtualmachines/gpu"}',
    "kubernetes:virtualmachines default/gpu",
  ],
  ['kubernetes:{"kubeconfig":"k","path":"/api/v1/namespaces/shop"}', "kubernetes:namespaces shop"],
  ['kubernetes:{"kubeconfig":"k","path":"/api/v1/nodes","list":true}', "kubernetes:nodes"],
  [
    'kubernetes:{"kubeconfig":"k","path":"/api/v1/nodes/a/proxy/stats/summary","document":true}',
    "kubernetes:nodes a/proxy/stats/summary",
  ],
  [
    'kubernetes:{"kubeconfig":"k","tried":"Node a","method":"PATCH","path":"/api/v1/nodes/a","body":{}}',
    "kubernetes:a dry run of the change to Node a",
  ],
  ['argo:{"argoKubeconfig":"a","kubeconfig":"k","secret":"s","name":"harvester"}', "argo:cluster harvester"],
])("%s is called %s", (id, name) => {
  expect(factName(id)).toBe(name);
});

test("names the host of a delegated task once", () => {
  const label = { id: "1", module: "file", title: "file /a", path: ["kubeconfig", "on node"] };
  expect(taskName({ ...label, on: "node" })).toBe("kubeconfig › file /a on node");
  expect(taskName(label)).toBe("kubeconfig › on node › file /a");
});

test.each([
  [94, "94 ms"],
  [95, "0.1 s"],
  [9949, "9.9 s"],
  [9951, "10 s"],
  [59_499, "59 s"],
  [59_700, "1 min"],
  [91_000, "1 min 31 s"],
  [3_600_000, "1 h"],
  [5_430_000, "1 h 30 min"],
])("%i milliseconds are shown as %s", (ms, text) => {
  expect(duration(ms)).toBe(text);
});
