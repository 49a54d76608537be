import { expect, test } from "vitest";
import { contractOf } from "../../src/testing/index.ts";
import { cases } from "./kube-wait.cases.ts";
import { kubeWait } from "./kube-wait.ts";

test("kubeWait meets the task contract and does what each case says", () => {
  expect(contractOf(kubeWait, cases, { folder: "kube-wait" })).toEqual([]);
});
