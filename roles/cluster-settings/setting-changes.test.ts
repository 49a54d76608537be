import { expect, test } from "vitest";
import { explain } from "../../src/testing/index.ts";
import { settingChanges } from "./setting-changes.ts";

const notesOn = (fields: object, owner: object) => {
  const call = settingChanges({ kubeconfig: "k", fieldManager: "furrow-settings", name: "http-proxy", value: "new" });
  const after = { exists: true, fields: { valueSeal: "sealed:2" }, owner: { value: "furrow-settings" } };
  return explain(call, { setting: { exists: true, fields, owner, after } }).notes;
};

test("a value that another manager has set is not replaced silently", () => {
  expect(notesOn({ valueSeal: "sealed:1" }, { value: "kubectl-patch" })).toEqual([
    "the setting http-proxy now has a different value, set by kubectl-patch; furrow replaces it",
  ]);
  expect(notesOn({ valueSeal: "sealed:1" }, { value: "furrow-settings" })).toEqual([]);
  expect(notesOn({ valueSeal: "sealed:2" }, { value: "kubectl-patch" })).toEqual([]);
});
