import { expect, test } from "vitest";
import remove from "../../playbooks/harvester-remove-node.ts";
import replace from "../../playbooks/harvester-replace-node.ts";
import { checkVars } from "../../src/load/vars/check-vars.ts";
import { mergeHosts } from "../../src/load/vars/precedence.ts";

const given = { disks: ["/dev/a", "/dev/b", "/dev/c"], token: "t", password: "p" };
const issues = (vars: object): string[][] =>
  [remove, replace].map(
    ({ vars: schema }) =>
      schema
        ?.safeParse({ ...given, ...vars })
        .error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [],
  );

test.each([
  [{ nodes: 1, node: 2 }, "node: one of the cluster's nodes: 1"],
  [{ nodes: 3, node: 0 }, "node: one of the cluster's nodes: 1, 2, 3"],
  [{ nodes: 3, node: 5 }, "node: one of the cluster's nodes: 1, 2, 3"],
  [
    { nodes: 3, node: 2, removedNodes: [2] },
    "node: one of the cluster's nodes: 1, 3; removedNodes lists node 2: take it out of the list to remove or replace that node",
  ],
])("refuses a node that the cluster does not have, with the valid numbers: %j", (vars, says) => {
  expect(issues(vars)).toEqual([[says], [says]]);
});

test("suggests --var for a missing node, not the inventory, where it would select the same node in every later run", async () => {
  for (const book of [remove, replace]) {
    const hosts = mergeHosts({ hosts: { metal: { vars: given } } }, { vars: {}, connection: {} });
    const checked = checkVars({ path: "book.ts", playbook: book }, hosts, "inventory.ts");
    await expect(checked).rejects.toMatchObject({ failure: { hint: "Give --var node=…" } });
  }
});

test.each([
  { nodes: 3, node: 3 },
  { nodes: 3, node: 3, removedNodes: [2] },
  { nodes: 1, node: 1 },
])("accepts a node of the cluster: %j", (vars) => {
  expect(issues(vars)).toEqual([[], []]);
});
