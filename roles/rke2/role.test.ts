import { describe, expect, test } from "vitest";
import { absent, certificateDigest, playbook } from "../../src/authoring.ts";
import { explain, simulate } from "../../src/testing/index.ts";
import { parvesterExample } from "../parvester/parvester.fixture.ts";
import { configText, joinText } from "./config.ts";
import { clusterWhole } from "./cluster-whole.ts";
import { placeOf } from "./members.ts";
import { nodeFits, releaseIn } from "./node-fits.ts";
import { releaseUrl, rke2Version } from "./rke2.ts";
import { rke2Node } from "./role.ts";
import { answerFor, etcdCondition, nodeOf, soundCluster } from "../../test/guards/examples.ts";

const pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
const other = pem.replace("AAAA", "BBBB");
const ca = certificateDigest(pem) ?? "";
const file = { type: "file", mode: "0600", owner: "root", group: "root" };
const own = {
  name: "node-1",
  kind: "server" as const,
  first: false,
  servers: 3,
  version: "v1.28.11+rke2r1",
  token: "t",
  kubeconfig: "k",
  installed: "",
};
const nothing = { serverAuthority: absent, agentAuthority: absent, token: absent, copy: absent };
const server = { ...nothing, serverAuthority: { ...file, text: pem }, agentAuthority: { ...file, text: pem } };
const kubeconfig = { server: "https://10.0.0.1:6443", ca };
const says = (release: string): string => `rke2 version ${release} (abc)\ngo version go1.22\n`;

describe("a release", () => {
  test.each(["v1.28.11+rke2r1", "v1.30.0+rke2r12"])("%s is one", (text) => {
    expect(rke2Version().safeParse(text).success).toBe(true);
  });

  test.each(["1.28.11+rke2r1", "v1.28.11", "v1.28+rke2r1", "stable", "latest", "v1.28.11-rke2r1", "v1.28.11+k3s1"])(
    "%s is not one",
    (text) => {
      expect(rke2Version().safeParse(text).success).toBe(false);
    },
  );

  test("is fetched from RKE2's releases, or from the mirror", () => {
    const file = "rke2.linux-amd64.tar.gz";
    const version = "v1.28.11+rke2r1";
    expect(releaseUrl({ version, mirror: undefined }, file)).toBe(
      `https://github.com/rancher/rke2/releases/download/v1.28.11%2Brke2r1/${file}`,
    );
    expect(releaseUrl({ version, mirror: "https://m.example.org/p" }, file)).toBe(
      `https://m.example.org/p/rke2/v1.28.11%2Brke2r1/${file}`,
    );
    expect(releaseIn(says(version))).toBe(version);
    expect(releaseIn("rke2 version dev")).toBeUndefined();
  });
});

describe("the files of a node", () => {
  const rke2 = parvesterExample({ tlsSan: ["p.example.org"], registry: "registry.example.org" });

  test("of a server: the token is in a separate file, the kubeconfig has mode 0600, and Multus is the first CNI", () => {
    expect(configText(rke2, { name: "node-1", kind: "server", first: true }, "10.0.0.1")).toBe(`node-name: "node-1"
token-file: "/etc/rancher/rke2/token"
system-default-registry: "registry.example.org"
write-kubeconfig-mode: "0600"
tls-san:
  - "10.0.0.1"
  - "p.example.org"
cni:
  - "multus"
  - "canal"
`);
    const alone = { ...rke2, multus: "manifest" as const };
    expect(configText(alone, { name: "node-1", kind: "server", first: true }, "10.0.0.1")).not.toContain("multus");
    expect(joinText("10.0.0.1")).toBe('server: "https://10.0.0.1:9345"\n');
  });

  test("of an agent contain nothing that only servers know", () => {
    expect(configText({ ...rke2, nodeIp: "10.0.0.9" }, { name: "a", kind: "agent", first: false }, "10.0.0.1")).toBe(
      `node-name: "a"
token-file: "/etc/rancher/rke2/token"
node-ip: "10.0.0.9"
system-default-registry: "registry.example.org"
`,
    );
  });
});

test("the first host outside the group of agents creates the cluster", () => {
  const host = (name: string, groups: string[] = [], index = 0) => ({ name, address: `${name}.lan`, groups, index });
  const allHosts = [host("a", ["agents"]), host("b"), host("c")];
  const places = allHosts.map((one) => placeOf({ host: one, allHosts }));
  expect(places.map(({ member: { name, kind, first } }) => [name, kind, first])).toEqual([
    ["a", "agent", false],
    ["b", "server", true],
    ["c", "server", false],
  ]);
  expect(places.map(({ first }) => first.name)).toEqual(["b", "b", "b"]);
});

describe("a host", () => {
  test.each([
    ["an empty host", own, nothing, undefined],
    ["an empty first host without a kubeconfig", { ...own, first: true }, nothing, undefined],
    [
      "an empty first host without a kubeconfig, while --limit hides other hosts",
      { ...own, first: true, unseen: ["node-2"] },
      nothing,
      "second-cluster",
    ],
    ["a node whose first server has no data", { ...own, firstAuthority: "" }, server, "second-cluster"],
    ["a node of the first server's cluster", { ...own, firstAuthority: ca }, server, undefined],
    ["a node of a different cluster from the first server's", { ...own, firstAuthority: "b" }, server, "other-cluster"],
    [
      "a node whose first server is lost, in a play that removes the cluster",
      { ...own, firstAuthority: "", removes: true },
      server,
      undefined,
    ],
    [
      "an empty first host of a cluster that exists",
      { ...own, first: true },
      { ...nothing, copy: kubeconfig },
      "second-cluster",
    ],
    ["a node of the cluster", { ...own, installed: says(own.version) }, { ...server, copy: kubeconfig }, undefined],
    ["a node whose kubeconfig is lost", own, server, undefined],
    [
      "a node of another cluster",
      own,
      { ...server, copy: { ...kubeconfig, ca: certificateDigest(other) ?? "" } },
      "other-cluster",
    ],
    ["a kubeconfig without an authority", own, { ...server, copy: { ...kubeconfig, ca: "" } }, "other-cluster"],
    ["an unreadable authority", own, { ...server, serverAuthority: { ...file, text: "x" } }, "no-authority"],
    ["another token", own, { ...server, token: { ...file, text: "u\n" } }, "other-token"],
    ["the same token", own, { ...server, token: { ...file, text: "t\n" } }, undefined],
    ["an agent that should be a server", own, { ...server, serverAuthority: absent }, "other-kind"],
    ["a server that should be an agent", { ...own, kind: "agent" as const }, server, "other-kind"],
    [
      "an agent",
      { ...own, kind: "agent" as const },
      { ...server, serverAuthority: absent, copy: kubeconfig },
      undefined,
    ],
    ["another release", { ...own, installed: says("v1.27.1+rke2r1") }, server, "other-release"],
    ["a program that does not report a release", { ...own, installed: "no" }, server, "unknown-release"],
    ["a name that no node can have", { ...own, name: "Node_1" }, nothing, "no-node-name"],
    ["only agents in the inventory", { ...own, servers: 0 }, nothing, "no-server"],
    ["a host that is not a node yet, in a play that creates none", { ...own, joins: false }, nothing, "no-node"],
    [
      "another release, in a play that removes the cluster",
      { ...own, removes: true, installed: says("v1.2.3+rke2r1") },
      server,
      undefined,
    ],
  ] as const)("%s", (_what, params, now, code) => {
    expect(explain(nodeFits(params), now).refusal?.code).toBe(code);
  });

  test.each([
    ["v1.27.16+rke2r2", undefined],
    ["v1.28.11+rke2r1", undefined],
    ["v1.28.10+rke2r1", undefined],
    ["v1.28.11+rke2r2", "no-upgrade-path"],
    ["v1.28.12+rke2r1", "no-upgrade-path"],
    ["v1.26.1+rke2r1", "no-upgrade-path"],
    ["v1.29.0+rke2r1", "no-upgrade-path"],
    ["v2.28.0+rke2r1", "no-upgrade-path"],
  ])("that runs %s is upgraded if there is an upgrade path, and refused otherwise", (release, code) => {
    const call = nodeFits({ ...own, upgrades: true, installed: says(release) });
    expect(explain(call, server).refusal?.code).toBe(code);
  });

  test("no refusal shows the token", () => {
    const { refusal } = explain(nodeFits(own), { ...server, token: { ...file, text: "hidden-token\n" } });
    expect(JSON.stringify(refusal)).not.toContain("hidden-token");
  });
});

describe("a cluster", () => {
  const nodes = (items = soundCluster.nodes) => ({ nodes: { kind: "NodeList", items } });
  const hosts = ["harvester-1", "harvester-2", "harvester-3"];

  test.each([
    ["is whole", { hosts }, undefined],
    ["lacks a host", { hosts: [...hosts, "new"] }, "new is not a node of the cluster"],
    ["lacks the host that the run adds", { hosts: [...hosts, "new"], added: "new" }, undefined],
    [
      "has a node that the inventory does not list",
      { hosts: hosts.slice(1) },
      "the node harvester-1 is not in the inventory",
    ],
  ])("%s", (_what, params, message) => {
    expect(explain(clusterWhole({ kubeconfig: "k", ...params }), nodes()).refusal?.message).toBe(message);
  });

  test("is not whole while etcd is down on a node that is Ready: the restart of another node would cost the quorum", () => {
    const items = [...soundCluster.nodes.slice(0, 2), nodeOf("harvester-3", { etcd: etcdCondition("False") })];
    expect(explain(clusterWhole({ kubeconfig: "k", hosts }), nodes(items)).refusal?.message).toBe(
      "etcd on harvester-3 does not vote (Unhealthy: Node is unhealthy)",
    );
  });
});

test("a node's tasks: tarball, files, unit, service, then the waits", async () => {
  const rke2 = parvesterExample();
  const member = { name: "node-1", kind: "server" as const, first: true };
  const book = playbook({
    name: "a node",
    plays: [
      {
        hosts: "all",
        become: true,
        tasks: () => [rke2Node({ rke2, member, firstAddress: "10.0.0.1", architecture: "x86_64" })],
      },
    ],
  });
  const { tasks } = await simulate(book, {
    hosts: ["node-1"],
    mode: "check",
    state: { "node-1": {} },
    drivers: {
      kubernetes: (request) => answerFor(soundCluster, request as { readonly path: string }),
      file: () => absent,
      kubeconfig: () => absent,
    },
  });
  expect(tasks.map(({ title }) => title)).toEqual([
    "file /var/lib/furrow-rke2/leaving",
    "file /var/lib/furrow-rke2",
    "download /var/lib/furrow-rke2/rke2.linux-amd64.tar.gz",
    "unarchive /var/lib/furrow-rke2/rke2.linux-amd64.tar.gz to /opt/rke2",
    "file /etc/rancher/rke2",
    "file /etc/rancher/rke2/config.yaml.d",
    "file /etc/rancher/rke2/token",
    "file /etc/rancher/rke2/config.yaml",
    "file /etc/rancher/rke2/config.yaml.d/10-server.yaml",
    "systemdUnit rke2-server.service",
    "service rke2-server",
    "waitFor /etc/rancher/rke2/rke2.yaml",
    "waitFor port 9345 on 127.0.0.1",
    "waitFor port 6443 on 127.0.0.1",
    "kubeconfig ./parvester-kubeconfig.yaml",
    "the controller has ./parvester-kubeconfig.yaml",
    "the cluster of ./parvester-kubeconfig.yaml",
    "kubeWait Node node-1",
    "Node node-1 runs v1.28.11+rke2r1",
  ]);
});
