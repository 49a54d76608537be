import { expect, test } from "vitest";
import { readList } from "./kubernetes-list.ts";

const answering = (page: object) => () => Promise.resolve({ status: 200, body: JSON.stringify(page) } as never);
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
