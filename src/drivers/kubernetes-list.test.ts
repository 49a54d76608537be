import { expect, test } from "vitest";
import { readList } from "./kubernetes-list.ts";

const answering = (page: object) => () => Promise.resolve({ status: 200, body: JSON.stringify(page) } as never);
const saying = (body: string) => () => Promise.resolve({ status: 200, body } as never);
const page = (apiVersion: string) => ({ kind: "VirtualMachineList", apiVersion, metadata: {}, items: [] });

test.each([
  ["/apis/kubevirt.io/v1/virtualmachines", "kubevirt.io/v1alpha3"],
  ["/apis/kubevirt.io/v1/namespaces/lab/virtualmachines", "v1"],
  ["/api/v1/nodes", "v2"],
  ["/api/v1/nodes", "metrics.k8s.io/v1"],
])(
  "an empty list of %s with a different apiVersion, %s, does not mean that there is nothing",
  async (path, apiVersion) => {
    expect(await readList(path, answering(page(apiVersion)))).toMatchObject({
      error: { code: "not-a-list", message: expect.stringContaining(`apiVersion is ${apiVersion}`) as string },
    });
  },
);

test.each([
  ["/apis/kubevirt.io/v1/namespaces/lab/virtualmachines", "kubevirt.io/v1"],
  ["/api/v1/nodes", "v1"],
])("a list of %s with its own apiVersion is accepted", async (path, apiVersion) => {
  expect(await readList(path, answering(page(apiVersion)))).toMatchObject({ complete: true, items: [] });
});

test.each([
  ["apiVersion", { kind: "NodeList", metadata: {}, items: [] }],
  ["kind", { apiVersion: "v1", metadata: {}, items: [] }],
])("an empty list without %s is not read as a cluster without nodes", async (field, answer) => {
  expect(await readList("/api/v1/nodes", answering(answer))).toEqual({
    error: { code: "not-a-list", message: `the answer is not a Kubernetes list: it has no ${field}` },
  });
});

test("a list with two `items` fields, of which the last is empty, is not read as a cluster without nodes", async () => {
  const body = '{"kind":"NodeList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"n1"}}],"items":[]}';
  expect(await readList("/api/v1/nodes", saying(body))).toEqual({
    error: { code: "not-a-list", message: "the answer is not a Kubernetes list: it contains the key items twice" },
  });
});
