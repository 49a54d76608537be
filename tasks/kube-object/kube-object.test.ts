import { expect, test } from "vitest";
import { contractOf } from "../../src/testing/index.ts";
import { cases } from "./kube-object.cases.ts";
import { kubeObject } from "./kube-object.ts";

test("kubeObject meets the task contract and does what each case says", () => {
  expect(contractOf(kubeObject, cases, { folder: "kube-object" })).toEqual([]);
});
