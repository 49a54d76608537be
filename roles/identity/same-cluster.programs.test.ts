import { describe, expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { certificateDigest } from "../../src/core/host/certificate-digest.ts";
import { newOpenSshKey } from "../../src/core/secrets/openssh-key.ts";
import { pendingSecrets, reveal } from "../../src/core/secrets/secret.ts";
import { explain } from "../../src/testing/index.ts";
import { answersOf, nodeOf } from "../../test/guards/examples.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { type ClusterNode, clusterNodes } from "../cluster/nodes.ts";
import { askedNode, type AskedNode, fingerprintOf, fingerprintText } from "./fingerprint.ts";
import { keepFingerprint } from "./keep-fingerprint.ts";
import { sameCluster } from "./same-cluster.ts";

const given = { disks: ["/dev/a"], token: "the token 42", password: "the password 42", prefix: "lab" };

/** The first node of a cluster with these vars. */
function asked(more: object = {}): AskedNode {
  const cluster = clusterSchema.parse({ ...given, ...more });
  const node = askedNode(cluster, clusterNodes(cluster)[0] as ClusterNode, "203.0.113.10");
  for (const { settle } of pendingSecrets()) settle(keyOfController);
  return node;
}
const keyOfController = newOpenSshKey("lab");

const pem = (body: string): string => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`;
const [own, foreign] = [pem("AAAA"), pem("BBBB")];
const ca = certificateDigest(own) ?? "";
const record = { type: "file", text: reveal(fingerprintText(fingerprintOf(asked(), ca))) };
const answer = (body: string) => ({ status: 200, headers: {}, body });

interface Situation {
  readonly vars?: object;
  readonly records?: readonly unknown[];
  readonly served?: string;
  readonly copy?: unknown;
  readonly running?: unknown;
  readonly nodes?: unknown;
  readonly installs?: boolean;
  readonly needsKubeconfig?: boolean;
  readonly proves?: boolean;
}

function explained({
  vars = {},
  records = [record],
  served,
  installs = true,
  needsKubeconfig = true,
  proves = false,
  ...more
}: Situation) {
  const node = asked(vars);
  const call = sameCluster({
    nodes: [node],
    vip: "192.168.130.120",
    bridge: "virbr1",
    version: node.version,
    kubeconfig: "./lab-kubeconfig.yaml",
    installs,
    needsKubeconfig,
    proves,
  });
  const authority = served === undefined ? {} : { authority: answer(served) };
  const silent = { error: { code: "ECONNRESET", message: "reset" } };
  const others = { copy: absent, running: silent, nodes: silent, ...more };
  return explain(call, { records, open: { open: served !== undefined }, ...authority, ...others });
}

const copy = { server: "https://203.0.113.10:6443", ca };
const version = (value: string) => ({
  found: true,
  object: { kind: "Setting", metadata: { name: "server-version" }, value },
});
const members = (...names: string[]) => answersOf({ nodes: names.map((name) => nodeOf(name)) }).nodes;

test("the record of a node contains neither the token nor the password, only slow hashes of them", () => {
  expect(record.text).not.toContain(given.token);
  expect(record.text).not.toContain(given.password);
  expect(JSON.parse(record.text)).toMatchObject({
    version: "v1.8.1",
    ca,
    token: expect.stringMatching(/^scrypt:[\da-f]{64}$/) as string,
    config: { "os.hostname": "lab-1", "install.management_interface.interfaces.0.hw_addr": "52:54:00:68:76:01" },
  });
});

test.each<[string, Situation]>([
  ["a host without a cluster", { records: [absent] }],
  ["the cluster as it was deployed", { served: own, copy, running: version("v1.8.1"), nodes: members("lab-1") }],
  ["a cluster that is switched off", { copy }],
  ["a cluster from before there were fingerprints", { records: [absent], served: own, copy }],
  [
    "an upgraded cluster, if the play installs nothing",
    { served: own, copy, running: version("v1.9.0"), installs: false },
  ],
  [
    "an upgraded cluster, if the var version says so",
    { vars: { version: "v1.9.0" }, served: own, copy, running: version("v1.9.0") },
  ],
])("accepts %s", (_name, situation) => {
  expect(explained(situation).refusal).toBeUndefined();
});

test.each<[string, Situation, object]>([
  ["another token", { vars: { token: "another" } }, { code: "other-cluster", current: "another token" }],
  [
    "another virtual address",
    { vars: { network: { vip: "192.168.130.99" } } },
    { code: "other-cluster", current: "https://192.168.130.120:443", expected: "https://192.168.130.99:443" },
  ],
  [
    "another cluster at the address",
    { served: foreign },
    { code: "other-cluster", expected: `the authority ${ca.slice(0, 16)}` },
  ],
  [
    "a kubeconfig for another cluster",
    { served: own, copy: { ...copy, ca: "0".repeat(64) } },
    { code: "other-kubeconfig" },
  ],
  [
    "a kubeconfig that starts a program, whatever the cluster answers",
    { served: own, copy: { ...copy, foreign: "exec (curl)" }, running: version("v1.9.0"), nodes: members("old-1") },
    { code: "foreign-kubeconfig", current: "exec (curl)" },
  ],
  [
    "a cluster whose nodes have other names",
    { served: own, copy, nodes: members("old-1", "old-2") },
    { code: "other-cluster", current: "old-1, old-2", expected: "lab-1" },
  ],
  [
    "a version that the cluster does not run",
    { served: own, copy, running: version("v1.9.0") },
    { code: "other-version", current: "v1.9.0", expected: "v1.8.1" },
  ],
  ["disks with another version", { vars: { version: "v1.9.0" } }, { code: "other-version", current: "v1.8.1" }],
  ["an answer without a certificate", { served: "<html>" }, { code: "no-authority" }],
  ["a record that cannot be read", { records: [{ type: "file", text: "{" }] }, { code: "unreadable-fingerprint" }],
])("refuses %s", (_name, situation, refusal) => {
  expect(explained(situation).refusal).toMatchObject(refusal);
  expect(explained(situation).refusal?.hint).toMatch(/^[A-Z][a-z]+ /);
});

describe("before a restart ends the maintenance", () => {
  const shut = { served: own, needsKubeconfig: false, installs: false, proves: true };
  const other = { ...copy, ca: "0".repeat(64) };

  test.each<[string, Situation]>([
    ["its record", {}],
    ["its record, whatever kubeconfig is at the path", { copy: other }],
    ["its kubeconfig", { records: [absent], copy }],
  ])("the cluster is identified by %s", (_name, situation) => {
    expect(explained({ ...shut, ...situation }).refusal).toBeUndefined();
  });

  test.each<[string, Situation, object]>([
    ["a record of another cluster", { served: foreign }, { code: "other-cluster" }],
    ["only a kubeconfig for another cluster", { records: [absent], copy: other }, { code: "other-kubeconfig" }],
    ["neither record nor kubeconfig", { records: [absent] }, { code: "unproven-cluster" }],
    ["a kubeconfig without a CA", { records: [absent], copy: { ...copy, ca: "" } }, { code: "unproven-cluster" }],
    [
      "a kubeconfig with parts that no node's kubeconfig has",
      { records: [absent], copy: { ...copy, foreign: "exec (curl)" } },
      { code: "unproven-cluster" },
    ],
  ])("the cluster is refused with %s", (_name, situation, refusal) => {
    expect(explained({ ...shut, ...situation }).refusal).toMatchObject(refusal);
  });
});

test("reports what the installer will not read again, and shows no secret", () => {
  const vars = { ntpServers: ["ntp.example.com"], password: "another", config: { os: { environment: { A: "1" } } } };
  const { refusal, notes } = explained({ vars });
  expect(refusal).toBeUndefined();
  expect(notes).toEqual([
    "password of lab-1 stays as installed: another password; now requested: the password in the vars",
    "os.ntp_servers.0 of lab-1 stays as installed: 0.suse.pool.ntp.org; now requested: ntp.example.com",
    "os.ntp_servers.1 of lab-1 stays as installed: 1.suse.pool.ntp.org; now requested: nothing",
    "os.environment.A of lab-1 stays as installed: nothing; now requested: 1",
  ]);
  expect(
    explained({ served: own, copy, running: version("v1.9.0"), nodes: members("lab-1"), installs: false }).notes,
  ).toEqual(["the cluster runs v1.9.0; the var version is still v1.8.1"]);
});

test.each<[string, Situation, string]>([
  [
    "the cluster does not answer",
    { copy },
    "the cluster's nodes cannot be read (reset); Setting server-version cannot be read (reset)",
  ],
  ["there is no kubeconfig", {}, "(./lab-kubeconfig.yaml does not exist on the controller)"],
  [
    "the kubeconfig is for another cluster, and is not needed",
    { copy: { ...copy, ca: "0".repeat(64) }, needsKubeconfig: false },
    "(./lab-kubeconfig.yaml has a different certificate authority from the cluster at 192.168.130.120)",
  ],
  [
    "the kubeconfig starts a program, and is not needed",
    { copy: { ...copy, foreign: "exec (curl)" }, needsKubeconfig: false },
    "(./lab-kubeconfig.yaml has exec (curl))",
  ],
  [
    "the answer about one node is incomplete",
    {
      copy,
      running: version("v1.8.1"),
      nodes: answersOf({ nodes: [nodeOf("lab-1"), { metadata: { name: "lab-2" } }] }).nodes,
    },
    "the cluster's nodes cannot be read (Node lab-2 has no metadata.labels)",
  ],
])(
  "recognizes the cluster by its certificate, and reports what it could not compare: %s",
  (_name, situation, missing) => {
    const { refusal, notes } = explained({ served: own, ...situation });
    expect(refusal).toBeUndefined();
    expect(notes).toEqual([
      expect.stringMatching(/^node names and version were compared only in part, because of missing answers: /),
    ]);
    expect(notes[0]).toContain(missing);
  },
);

describe("the record of a node", () => {
  const call = (vars = {}) => keepFingerprint({ node: asked(vars), vip: "192.168.130.120", bridge: "virbr1" });
  const stored = { ...record, mode: "0600", owner: "root", group: "root" };

  test("is written, readable only by root, once the node is in a cluster", () => {
    const { refusal, steps } = explain(call(), { record: absent, open: { open: true }, authority: answer(own) });
    expect(refusal).toBeUndefined();
    expect(steps).toMatchObject([{ step: "writeFile", path: "/etc/furrow-harvester/lab-1.fingerprint", mode: "0600" }]);
    expect(reveal((steps[0] as { readonly text: string }).text)).toBe(record.text);
  });

  test("stays as it is if the vars change; another cluster is refused", () => {
    const now = { record: stored, open: { open: true }, authority: answer(own) };
    expect(explain(call({ ntpServers: ["x"] }), now).change).toEqual({});
    expect(explain(call(), { ...now, authority: answer(foreign) }).refusal?.code).toBe("other-cluster");
    expect(explain(call(), { ...now, record: absent, authority: answer("") }).refusal?.code).toBe("no-authority");
  });
});
