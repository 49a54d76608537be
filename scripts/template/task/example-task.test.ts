import { expect, test } from "vitest";
import { contractOf, explain } from "../../../src/testing/index.ts";
import { cases } from "./example-task.cases.ts";
import { exampleTask } from "./example-task.ts";

test("exampleTask meets the task contract and does what each case says", () => {
  expect(contractOf(exampleTask, cases, { folder: "example-task" })).toEqual([]);
});

test.each(["etc/example", "/etc/../example"])("exampleTask refuses the path %s", (path) => {
  expect(() => explain(exampleTask({ path }), {})).toThrow('param "path"');
});
