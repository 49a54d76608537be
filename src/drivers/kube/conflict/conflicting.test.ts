import { expect, test } from "vitest";
import { secretOf } from "../../../core/secrets/secret.ts";
import { problemOf } from "../failures.ts";
import { conflictingValues } from "./conflicting.ts";

const object = (data: object, kind = "ConfigMap") => ({ apiVersion: "v1", kind, metadata: { name: "a" }, ...data });
const pod = (more: object) => object({ spec: { containers: [{ name: "db" }, { name: "web", ...more }] } }, "Pod");

test.each([
  ["a field", object({ data: { a: "2" } }), object({ data: { a: "1" } }), ".data.a", ' (current "1", wanted "2")'],
  [
    "a key with dots",
    object({ data: { "a.b": 1 } }),
    object({ data: { "a.b": 2 } }),
    ".data.a.b",
    " (current 2, wanted 1)",
  ],
  [
    "an item of a list",
    pod({ image: "web:2" }),
    pod({ image: "web:1" }),
    '.spec.containers[name="web"].image',
    ' (current "web:1", wanted "web:2")',
  ],
  [
    "a long text, from shortly before the first difference on",
    object({ data: { a: `${"x".repeat(90)}vlan:30` } }),
    object({ data: { a: `${"x".repeat(90)}vlan:100` } }),
    ".data.a",
    ` (current …${"x".repeat(15)}vlan:100", wanted …${"x".repeat(15)}vlan:30")`,
  ],
  ["a field that is not found", object({}), object({ data: { a: "1" } }), ".data.a", ""],
])("a conflict shows the current and the wanted value of %s", (_what, sent, live, field, says) => {
  expect(conflictingValues(sent, live, field)).toBe(says);
});

test.each([
  ["in a Secret", object({ data: { a: "2" } }, "Secret"), ".data.a"],
  ["from a secret", object({ data: { a: String(secretOf("2", "a")) } }), ".data.a"],
  ["under a secret name", object({ data: { password: "2" } }), ".data.password"],
  [
    "of an environment variable",
    pod({ env: [{ name: "DB_PASSWORD", value: "x" }] }),
    '.spec.containers[name="web"].env[name="DB_PASSWORD"].value',
  ],
  ["with a password in a URL", object({ data: { url: "https://ann:hunter2@db/" } }), ".data.url"],
  ["below a field", object({ data: { list: [{ name: "DB_PASSWORD", value: "x" }] } }), ".data.list"],
])("a conflict shows no value %s", (_what, sent, field) => {
  expect(conflictingValues(sent, structuredClone(sent), field)).toBe("");
});

const answer = (status: number, more: object) => ({
  status,
  body: JSON.stringify({ kind: "Status", ...more }),
});

test("for a conflict in a shipped playbook, the hint names the var that takes over the fields", () => {
  const causes = [{ reason: "FieldManagerConflict", message: 'conflict with "kubectl" using v1', field: ".data.a" }];
  const problem = problemOf(answer(409, { details: { causes } }), "ConfigMap a", () => ' (current "1", wanted "2")');
  expect(problem?.message).toBe(
    'other managers own fields of ConfigMap a: data.a is owned by kubectl (current "1", wanted "2")',
  );
  expect(problem?.hint).toContain("--var force=true");
});

test("for an immutable storage class, the hint suggests a new one with another name instead of a deletion", () => {
  const message = "parameters: Forbidden: updates to parameters are forbidden.";
  const given = answer(422, { reason: "Invalid", message });
  expect(problemOf(given, "StorageClass fast")?.hint).toContain("create a storage class with another name");
  expect(problemOf(given, "ConfigMap a")?.hint).toContain("in an earlier task");
});
