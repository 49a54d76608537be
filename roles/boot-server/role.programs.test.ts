import { beforeEach, expect, test } from "vitest";
import { clusterNodes, clusterSchema } from "../cluster/cluster.ts";
import { newOpenSshKey } from "../../src/core/secrets/openssh-key.ts";
import { pendingSecrets, reveal } from "../../src/core/secrets/secret.ts";
import { renderConfig } from "../harvester-config/config-text.ts";
import { nodeConfig as configOf } from "../harvester-config/node-config.ts";
import type { ClusterNode } from "../cluster/cluster.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { bootScript, nginxConf, nodeFile, nodeScript } from "./templates.ts";

const nodeConfig = (of: Cluster, node: ClusterNode): string => renderConfig(configOf(of, node, "203.0.113.10"));

beforeEach(() => {
  for (const { settle, source, name } of pendingSecrets())
    settle(source.from === "generatedKey" ? newOpenSshKey(name) : "grainofsalt");
});

const cluster = clusterSchema.parse({
  nodes: 3,
  disks: ["/dev/a", "/dev/b", "/dev/c"],
  token: 'my"secret\\',
  password: "p",
});
const [first, second] = clusterNodes(cluster);

test("gives every node the script for its own MAC address", () => {
  expect(bootScript(cluster)).toContain("chain http://192.168.130.1/nodes/${net0/mac:hexhyp}.ipxe");
  expect(first && nodeFile(first, ".ipxe")).toBe("52-54-00-68-76-01.ipxe");
});

test("writes a boot script with one ip= argument, the name of its initrd and no backslash at the end of a line", () => {
  const script = first === undefined ? "" : nodeScript(cluster, first);
  expect(script.match(/ ip=/g)).toHaveLength(1);
  expect(script).toContain("initrd=harvester-v1.8.1-initrd-amd64 ");
  expect(script).toContain("harvester.install.config_url=http://192.168.130.1/nodes/52-54-00-68-76-01.yaml");
  expect(script).not.toMatch(/[\\#](?!!ipxe)/);
});

test("names the screen as the first console, on which the installer runs, and the serial line as the last one", () => {
  const script = first === undefined ? "" : nodeScript(cluster, first);
  // The installer runs on the first console that the kernel lists; the kernel's own messages go to all of them.
  expect([...script.matchAll(/ console=(\S+)/g)].map(([, name]) => name)).toEqual(["tty1", "ttyS0,115200"]);
});

test("makes the first node create the cluster with the virtual address, and the second join it", () => {
  const [create, join] = [first, second].map(
    (node) => JSON.parse(reveal(node ? nodeConfig(cluster, node) : "")) as Record<string, object>,
  );
  expect(create).toMatchObject({
    scheme_version: 1,
    install: { mode: "create", vip: "192.168.130.120", vip_mode: "static" },
  });
  expect(create).not.toHaveProperty("server_url");
  expect(join).toMatchObject({ server_url: "https://192.168.130.120:443", install: { mode: "join" } });
  expect(join?.["install"]).not.toHaveProperty("vip");
});

test("changes neither file names nor the token if the prefix occurs in the version's file names", () => {
  const own = clusterSchema.parse({ disks: ["/dev/a"], token: "harvester-token", password: "p", prefix: "harvester" });
  const [node] = clusterNodes(own) as [ClusterNode];
  expect(JSON.parse(reveal(nodeConfig(own, node)))).toMatchObject({
    token: "harvester-token",
    os: { hostname: "harvester-1" },
    install: { iso_url: "http://192.168.130.1/harvester-v1.8.1-amd64.iso" },
  });
});

test("keeps one replica on one node, two on two nodes and a witness, and Harvester's default on three nodes", () => {
  const replicas = (more: object): unknown => {
    const own = clusterSchema.parse({ disks: ["/dev/a", "/dev/b", "/dev/c"], token: "t", password: "p", ...more });
    const [node] = clusterNodes(own) as [ClusterNode];
    const { install } = JSON.parse(reveal(nodeConfig(own, node))) as { install: { harvester?: object } };
    return install.harvester;
  };
  expect(replicas({})).toMatchObject({ storage_class: { replica_count: 1 } });
  expect(replicas({ nodes: 3, witness: true })).toMatchObject({ storage_class: { replica_count: 2 } });
  expect(replicas({ nodes: 3 })).toBeUndefined();
});

test("passes a token with quotes and backslashes unchanged, and keeps it out of the text until it is revealed", () => {
  const text = first ? nodeConfig(cluster, first) : "";
  expect(text).not.toContain("secret\\");
  expect(JSON.parse(reveal(text))).toMatchObject({ token: 'my"secret\\' });
});

test("makes installers report to the host unless that is turned off, and keeps the config's own webhooks", () => {
  const hooks = (more: object): unknown => {
    const own = clusterSchema.parse({ disks: ["/dev/a"], token: "t", password: "p", ...more });
    const [node] = clusterNodes(own) as [ClusterNode];
    return (JSON.parse(reveal(nodeConfig(own, node))) as { install: { webhooks?: object[] } }).install.webhooks;
  };
  const own = ["STARTED", "SUCCEEDED", "FAILED"].map((event) => ({
    event,
    method: "GET",
    url: `http://192.168.130.1/installer/${event}`,
  }));
  const other = { event: "SUCCEEDED", method: "POST", url: "http://192.0.2.1/{{.Hostname}}" };
  expect(hooks({})).toEqual(own);
  expect(hooks({ config: { install: { webhooks: [other] } } })).toEqual([...own, other]);
  expect(hooks({ webhooks: false, config: { install: { webhooks: [other] } } })).toEqual([other]);
  expect(hooks({ webhooks: false })).toBeUndefined();
  expect(nginxConf(cluster, "www-data")).toContain("location /installer/ { return 204; }");
});
