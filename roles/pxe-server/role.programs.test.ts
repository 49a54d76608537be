import { beforeEach, describe, expect, test } from "vitest";
import { newOpenSshKey } from "../../src/core/secrets/openssh-key.ts";
import { pendingSecrets, reveal } from "../../src/core/secrets/secret.ts";
import { explain } from "../../src/testing/index.ts";
import { params as dhcpServerParams } from "../../tasks/dhcp-server/params.ts";
import { renderConfig } from "../harvester-config/config-text.ts";
import { nodeScript } from "./boot-files.ts";
import { dhcpParams } from "./dhcp.ts";
import { addressesOf, isServer, refuseServers } from "./inventory.ts";
import { nginxSite } from "./nginx.ts";
import { rackConfig } from "./node-config.ts";
import { notesOf } from "./notes.ts";
import { knownServers } from "./other-servers.ts";
import { plainRack } from "./rack.cases.ts";
import { type Rack, type RackNode, rackSchema } from "./rack.ts";

beforeEach(() => {
  for (const { settle, source, name } of pendingSecrets())
    settle(source.from === "generatedKey" ? newOpenSshKey(name) : "grainofsalt");
});

const parsed = (more: object = {}): Rack => rackSchema.parse({ ...plainRack, ...more });
const rack = parsed();
const [first, second] = rack.nodes as [RackNode, RackNode];
const config = (of: Rack, node: RackNode, created = false): Record<string, object> =>
  JSON.parse(reveal(renderConfig(rackConfig(of, node, created)))) as Record<string, object>;

describe("the configuration of a node", () => {
  test("has a static address with its mask, router and name servers, on the card from which the node boots", () => {
    expect(config(rack, first)).toMatchObject({
      os: { hostname: "node-1", dns_nameservers: ["192.168.0.2"] },
      install: {
        mode: "create",
        vip: "192.168.0.175",
        device: "/dev/disk/by-id/a",
        management_interface: {
          method: "static",
          ip: "192.168.0.11",
          subnet_mask: "255.255.255.0",
          gateway: "192.168.0.1",
          interfaces: [{ hw_addr: "52:54:00:00:00:01" }],
        },
      },
    });
  });

  test("has the bond, VLAN and MTU of all nodes, but the node's own settings take precedence", () => {
    const management = (node: object): unknown => {
      const common = { management_interface: { bond_options: { mode: "802.3ad" }, vlan_id: 20, mtu: 9000 } };
      const own = parsed({ config: { install: common }, nodes: [{ ...plainRack.nodes[0], management: node }] });
      return (config(own, own.nodes[0] as RackNode)["install"] as { management_interface: unknown })
        .management_interface;
    };
    expect(management({})).toMatchObject({ bond_options: { mode: "802.3ad" }, vlan_id: 20, mtu: 9000 });
    expect(management({ vlan_id: 21, ip: "10.20.0.11" })).toMatchObject({ vlan_id: 21, ip: "10.20.0.11", mtu: 9000 });
    expect(management({ method: "dhcp" })).not.toHaveProperty("ip");
  });

  test("creates the cluster only on the first node, and only if the cluster does not exist yet", () => {
    expect(config(rack, second)).toMatchObject({ server_url: "https://192.168.0.175:443", install: { mode: "join" } });
    expect(config(rack, first, true)).toMatchObject({
      server_url: "https://192.168.0.175:443",
      install: { mode: "join" },
    });
    const joining = parsed({ join: true });
    expect(config(joining, joining.nodes[0] as RackNode)).toMatchObject({ install: { mode: "join" } });
  });

  test("contains the password only as a hash, and makes the installer report its completion", () => {
    const text = reveal(renderConfig(rackConfig(rack, first, false)));
    expect(text).not.toContain("the-password");
    const { webhooks } = config(rack, first)["install"] as {
      webhooks: { event: string; method: string; url: string }[];
    };
    expect(webhooks.filter(({ method }) => method === "PUT").map(({ event, url }) => `${event} ${url}`)).toEqual([
      "SUCCEEDED http://192.168.0.90/created/done",
      "SUCCEEDED http://192.168.0.90/installed/node-1/done",
    ]);
  });
});

describe("the boot script of a node", () => {
  test("names its own configuration, and runs the installer's checks unless they are skipped", () => {
    expect(nodeScript(rack, first)).toContain("config_url=http://192.168.0.90/nodes/52-54-00-00-00-01.yaml\n");
    expect(nodeScript(rack, second)).toContain("config_url=http://192.168.0.90/nodes/52-54-00-00-00-02.yaml\n");
    expect(nodeScript(parsed({ skipChecks: true }), first)).toContain(" harvester.install.skipchecks=true\n");
  });

  test("requests an address on the card that the node specifies", () => {
    expect(nodeScript(rack, first)).toContain(" ip=dhcp ");
    expect(nodeScript(rack, { ...first, bootCard: "eno2" })).toContain(" ip=eno2:dhcp ");
  });
});

describe("nginx", () => {
  test("serves a node's script and configuration to that node's address alone, and lists no directory", () => {
    const site = nginxSite(rack);
    for (const { address, mac } of rack.nodes) {
      const name = mac.replaceAll(":", "-");
      expect(site).toContain(`location = /nodes/${name}.yaml {`);
      expect(site.split(`location = /nodes/${name}.ipxe {`)[1]?.split("}\n  location")[0]).toContain(
        `allow ${address}; deny all;`,
      );
    }
    expect(site).toContain("location /nodes/ { deny all; }");
    expect(site.match(/location = /g)).toHaveLength(9);
    expect(site.match(/deny all; *\n? *}/g)?.length).toBeGreaterThan(8);
  });

  test("gives an installed node the script that boots from its disk, and the first node its second configuration", () => {
    const site = nginxSite(rack);
    expect(site.match(/installed\/\S+\) \{ rewrite \^ \/installed\.ipxe last; }/g)).toHaveLength(2);
    expect(site.match(/created\/done\) \{ rewrite \^ \/nodes\/52-54-00-00-00-01\.join\.yaml last; }/g)).toHaveLength(1);
  });
});

describe("the DHCP server", () => {
  test("gets the inventory's addresses, except those of the nodes themselves", () => {
    const { statics } = dhcpParams(rack, "eno1", { bastion: "192.168.0.9", "first-node": "192.168.0.11" });
    expect(statics).toEqual({
      bastion: "192.168.0.9",
      "node-1": "192.168.0.11",
      "node-2": "192.168.0.12",
      "the PXE server": "192.168.0.90",
      "the cluster (its virtual address)": "192.168.0.175",
    });
  });

  test("is refused if a pool contains a host of the inventory", () => {
    const vms = parsed({
      vmNetworks: [{ network: "10.0.0.0/24", interface: "eno1.7", from: "10.0.0.5", to: "10.0.0.9" }],
    });
    const issues = (inventory: Record<string, string>): string[] =>
      (dhcpServerParams.safeParse(dhcpParams(vms, "eno1", inventory)).error?.issues ?? []).map(
        ({ message }) => message,
      );
    expect(issues({ bastion: "10.0.0.7" })).toEqual([
      "a range without 10.0.0.7, the address of bastion, not 10.0.0.5 to 10.0.0.9",
    ]);
    expect(issues({ bastion: "10.0.0.4" })).toEqual([]);
  });
});

describe("another DHCP server", () => {
  const answer = (server: string): string =>
    `|   Response 1 of 1: \n|     Server Identifier: ${server}\nNmap done: 0 IP addresses`;
  const silence = "Starting Nmap 7.93\nNmap done: 0 IP addresses (0 hosts up) scanned in 4.23 seconds\n";
  const told = (answers: string, asNode: string, more: object = {}) =>
    explain(knownServers({ answers, asNode, card: "eno1", allowed: ["192.168.0.90"], proxy: false, ...more }), {});

  test("is refused, with its address, even if it answers only the nodes", () => {
    for (const { refusal } of [told(answer("192.168.0.1"), silence), told(silence, answer("192.168.0.1"))]) {
      expect(refusal).toMatchObject({ code: "other-dhcp-server", current: "192.168.0.1" });
    }
    expect(told(silence, silence).refusal).toBeUndefined();
    expect(told(answer("192.168.0.90"), silence).refusal).toBeUndefined();
  });

  test("may answer if the vars name it", () => {
    const allowed = ["192.168.0.1"];
    const { refusal, notes } = told(answer("192.168.0.1"), silence, { allowed, proxy: true });
    expect([refusal, notes]).toEqual([undefined, ["the addresses come from 192.168.0.1"]]);
    expect(told(silence, silence, { proxy: true }).notes[0]).toContain("the nodes would get no address");
  });

  test.each([
    ["an nmap run that was cut off", ""],
    [
      "a script that fails",
      "|_broadcast-dhcp-discover: ERROR: Script execution failed (use -d to debug)\nNmap done: 0",
    ],
  ])("cannot be ruled out after %s, so the run is refused", (_title, output) => {
    expect(told(output, silence).refusal?.code).toBe("no-probe");
    expect(told(silence, output).refusal?.code).toBe("no-probe");
  });
});

test("case 77: an 802.3ad bond is accepted, with a note that the switch needs LACP", () => {
  const bonded = parsed({ config: { install: { management_interface: { bond_options: { mode: "802.3ad" } } } } });
  expect(notesOf(bonded)).toContain("the bond of node-1, node-2 is 802.3ad: the switch needs LACP on their ports");
  expect(notesOf(rack).join()).not.toContain("LACP");
});

test("the server is the only host, or the one in the group pxe", () => {
  const host = (name: string, groups: string[] = []) => ({ name, address: "192.0.2.1", groups, index: 0 });
  const hosts = [host("a"), host("b", ["pxe"])];
  expect(hosts.map((one) => isServer(one, hosts))).toEqual([false, true]);
  expect(isServer(host("a"), [host("a")])).toBe(true);
  expect(() => refuseServers(hosts)).not.toThrow();
  expect(() => refuseServers([host("a"), host("b")])).toThrow("no host is in the group pxe");
  expect(() => refuseServers([host("a", ["pxe"]), host("b", ["pxe"])])).toThrow("several hosts are in the group pxe");
  expect(addressesOf([host("a"), { ...host("b"), address: "b.example" }])).toEqual({ a: "192.0.2.1" });
});
