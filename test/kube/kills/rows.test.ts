import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitopsRows } from "./gitops-rows.ts";
import { opsRows } from "./ops-rows.ts";
import { isWrite, killPoints } from "./points.ts";
import { unkilled } from "./unkilled.ts";

const playbooks = ["gitops", "ops"].flatMap((folder) =>
  readdirSync(join(import.meta.dirname, "../../../playbooks", folder))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `${folder}/${file.slice(0, -".ts".length)}`),
);

test("every playbook in gitops and ops is killed after its API calls, or a reason is given why not", () => {
  const killed = [...gitopsRows, ...opsRows].map(({ playbook }) => playbook);
  const reasons = Object.keys(unkilled);
  expect(killed.filter((playbook) => reasons.includes(playbook))).toEqual([]);
  expect([...new Set([...killed, ...reasons])].toSorted()).toEqual(playbooks.toSorted());
});

test("no two rows give their tests the same name", () => {
  const names = [...gitopsRows, ...opsRows].map(({ playbook, does = "" }) => `${playbook} ${does}`);
  expect(names).toEqual([...new Set(names)]);
});

test("half of the kill points follow calls that change something, and the full test kills after every call", () => {
  const read = "GET /api/v1/nodes";
  const write = "PATCH /api/v1/nodes/a?fieldManager=x";
  const calls = [read, read, "PATCH /api/v1/nodes/a?dryRun=All", read, write, read, "POST /apis/a/tokenreviews", read];
  expect(calls.filter(isWrite)).toEqual([write]);
  for (const seed of [1, 2, 3]) {
    const points = killPoints(calls, 3, seed);
    expect(points).toContain(5);
    expect(points).toHaveLength(3);
    expect(points).toEqual([...new Set(points)].toSorted((a, b) => a - b));
  }
  expect(killPoints(calls, calls.length)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});
