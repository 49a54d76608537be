import { describe, expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { certificateDigest } from "../../src/core/host/certificate-digest.ts";
import { reveal } from "../../src/core/secrets/secret.ts";
import { explain } from "../../src/testing/index.ts";
import { fingerprintOf, fingerprintText } from "./fingerprint.ts";
import { sameCluster } from "./same-cluster.ts";

const own = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
const ca = certificateDigest(own) ?? "";
const node = { name: "lab-1", version: "v1.8.1", token: "t", password: "p", config: {} };
const record = { type: "file", text: reveal(fingerprintText(fingerprintOf(node, ca))) };
const copy = { server: "https://203.0.113.10:6443", ca };

interface Situation {
  readonly records?: readonly unknown[];
  readonly served?: string;
  readonly copy?: object;
  readonly installs?: boolean;
  readonly needsKubeconfig?: boolean;
  readonly acts?: boolean;
  readonly replaces?: { readonly publicAddress: string };
}

function explained({ records = [record], served, copy: there, ...more }: Situation) {
  const call = sameCluster({
    nodes: [node],
    vip: "192.168.130.120",
    bridge: "virbr1",
    version: node.version,
    kubeconfig: "./lab-kubeconfig.yaml",
    installs: false,
    needsKubeconfig: true,
    ...more,
  });
  const silent = { error: { code: "ECONNRESET", message: "reset" } };
  return explain(call, {
    records,
    open: { open: served !== undefined },
    ...(served !== undefined && { authority: { status: 200, headers: {}, body: served } }),
    copy: there ?? absent,
    running: silent,
    nodes: silent,
  });
}

describe("a play that changes the cluster with the kubeconfig", () => {
  const acts = { installs: false, acts: true };
  const other = { ...copy, ca: "0".repeat(64) };

  test.each<[string, Situation]>([
    ["a record, while the cluster is off", { copy }],
    ["the CA certificate that the cluster serves", { records: [absent], served: own, copy }],
    [
      "the record of another node, after a run removed one node's record and was killed",
      { records: [record, absent], copy },
    ],
  ])("uses the kubeconfig if it is identified by %s", (_name, situation) => {
    expect(explained({ ...acts, ...situation }).refusal).toBeUndefined();
  });

  test.each<[string, Situation, string]>([
    ["nothing", { records: [absent], copy: other }, "unproven-kubeconfig"],
    ["an answer without a certificate", { records: [absent], served: "<html>", copy }, "unproven-kubeconfig"],
    ["a record of another cluster", { copy: other }, "other-kubeconfig"],
  ])("refuses the kubeconfig if it is identified by %s", (_name, situation, code) => {
    expect(explained({ ...acts, ...situation }).refusal).toMatchObject({ code });
  });
});

describe("a deployment that stores its kubeconfig where there is already one", () => {
  const stores = { needsKubeconfig: false, replaces: { publicAddress: "203.0.113.10" } };
  const elsewhere = { server: "https://203.0.113.99:6443", ca: "0".repeat(64) };

  test.each<[string, Situation]>([
    ["its own", { copy }],
    ["its own, from before there were records", { records: [absent], copy }],
    ["its own, from before the host got another address", { copy: { ...copy, server: elsewhere.server } }],
  ])("replaces %s", (_name, situation) => {
    expect(explained({ ...stores, ...situation }).refusal).toBeUndefined();
  });

  test.each<[string, Situation, string]>([
    ["that of another cluster", { copy: { ...copy, ca: elsewhere.ca } }, "a kubeconfig for another cluster"],
    ["that of another host", { records: [absent], copy: elsewhere }, "another cluster, at https://203.0.113.99:6443"],
    [
      "one with other contexts",
      { copy: { ...copy, others: ["production"] } },
      "that also has other contexts (production)",
    ],
  ])("refuses to replace %s", (_name, situation, current) => {
    expect(explained({ ...stores, ...situation }).refusal).toMatchObject({
      code: "other-kubeconfig",
      current: expect.stringContaining(current) as string,
      hint: expect.stringMatching(/^Set kubeconfig\.to/) as string,
    });
  });
});
