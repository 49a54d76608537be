import { expect, test } from "vitest";
import { contractOf } from "../../src/testing/index.ts";
import { cases } from "./kube-manifest.cases.ts";
import { kubeManifest } from "./kube-manifest.ts";

test("kubeManifest meets the task contract and does what each case says", () => {
  expect(contractOf(kubeManifest, cases, { folder: "kube-manifest" })).toEqual([]);
});
