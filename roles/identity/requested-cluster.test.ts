import { expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { explain } from "../../src/testing/index.ts";
import { requestedCluster } from "./requested-cluster.ts";

const call = requestedCluster({
  nodes: [{ name: "lab-1" }],
  vip: "192.168.130.120",
  version: "v1.8.1",
  kubeconfig: "./lab-kubeconfig.yaml",
});
const copy = { server: "https://203.0.113.10:6443", ca: "a" };
const silent = { error: { code: "ECONNRESET", message: "reset" } };

test("refuses a fetched kubeconfig that starts a program on the controller, without using it", () => {
  const { refusal } = explain(call, { record: absent, copy: { ...copy, foreign: "exec (curl)" } });
  expect(refusal).toMatchObject({ code: "foreign-kubeconfig", current: "exec (curl)", final: true });
});

test("waits for a cluster that does not answer yet", () => {
  const { refusal } = explain(call, { record: absent, copy, running: silent, nodes: silent });
  expect(refusal).toMatchObject({ code: "not-yet" });
});
