import { beforeEach, describe, expect, test } from "vitest";
import { newOpenSshKey } from "../../src/core/secrets/openssh-key.ts";
import { pendingSecrets, reveal } from "../../src/core/secrets/secret.ts";
import { absent } from "../../src/core/facts/symbols.ts";
import { explain } from "../../src/testing/index.ts";
import { renderConfig } from "../harvester-config/config-text.ts";
import { cardLink } from "./boot-files.ts";
import { clusterKnown, machineKnown } from "./earlier-reports.ts";
import { nginxSite } from "./nginx.ts";
import { rackConfig } from "./node-config.ts";
import { plainRack } from "./rack.cases.ts";
import { type Rack, type RackNode, rackSchema } from "./rack.ts";

beforeEach(() => {
  for (const { settle, source, name } of pendingSecrets())
    settle(source.from === "generatedKey" ? newOpenSshKey(name) : "grainofsalt");
});

const [one, two] = plainRack.nodes as [object, object];
const rackWith = (...nodes: readonly object[]): Rack => rackSchema.parse({ ...plainRack, nodes });
const replaced = { ...one, mac: "52:54:00:00:00:77" };

/** The URLs to which a node's installer reports. */
function reports(rack: Rack, place: number): string[] {
  const config = rackConfig(rack, rack.nodes[place] as RackNode, false);
  const { install } = JSON.parse(reveal(renderConfig(config))) as {
    install: { webhooks: { method: string; url: string }[] };
  };
  return install.webhooks.filter(({ method }) => method === "PUT").map(({ url }) => url);
}

/** nginx's configuration for one path, or `not served`. */
function location(rack: Rack, path: string): string {
  return (
    nginxSite(rack)
      .split(`location = ${path} {`)[1]
      ?.split(/^ {2}}$/m)[0] ?? "not served"
  );
}

describe("an installed node whose mac is edited is not reinstalled without confirmation", () => {
  const folder = "/var/lib/furrow-pxe/installed/node-1";
  const after = rackWith(replaced, two);

  test("its installer reported under the node's name", () => {
    expect(reports(rackWith(one, two), 1)).toEqual(["http://192.168.0.90/installed/node-2/done"]);
    expect(location(rackWith(one, two), "/installed/node-1/done")).toContain("allow 192.168.0.11; deny all;");
  });

  test("its new card finds the report over HTTP", () => {
    expect(location(after, "/nodes/52-54-00-00-00-77.ipxe")).toContain(
      `if (-f ${folder}/done) { rewrite ^ /installed.ipxe last; }`,
    );
    const program = location(after, "/ipxe.efi");
    expect(program).toContain("if ($remote_addr = 192.168.0.11) { set $furrow_node node-1; }");
    expect(program).toContain("if (-d /var/lib/furrow-pxe/installed/$furrow_node) { return 404; }");
  });

  test("its new card finds the report over TFTP", () => {
    expect(cardLink(after.nodes[0] as RackNode)).toEqual({
      path: "/srv/tftpboot/harvester/52-54-00-00-00-77",
      target: folder,
    });
  });
});

describe("an installed node whose name is edited is not reinstalled without confirmation", () => {
  const [node] = rackWith({ ...one, name: "renamed" }, two).nodes as [RackNode];
  const directory = { type: "directory", mode: "0755", owner: "www-data", group: "www-data" };
  const link = (name: string) => ({
    ...directory,
    type: "link",
    target: `/var/lib/furrow-pxe/installed/${name}`,
  });
  const told = (now: object, reinstalls = false) =>
    explain(machineKnown({ node, reinstalls }), { link: link("node-1"), own: absent, other: directory, ...now });

  test("it is refused, and the three ways out are named", () => {
    const { facts, refusal } = told({});
    expect(facts).toEqual([
      "file:/srv/tftpboot/harvester/52-54-00-00-00-01",
      "file:/var/lib/furrow-pxe/installed/renamed",
      "file:/var/lib/furrow-pxe/installed/node-1",
    ]);
    expect(refusal).toMatchObject({ code: "renamed", current: "node-1" });
    expect(refusal?.message).toContain("52:54:00:00:00:01 is installed as node-1; as renamed, it would be reinstalled");
    expect(refusal?.hint).toContain("mv /var/lib/furrow-pxe/installed/node-1 /var/lib/furrow-pxe/installed/renamed");
  });

  test("it is accepted if the reinstallation was confirmed, or if nothing would be reinstalled", () => {
    expect(told({}, true).refusal).toBeUndefined();
    expect(told({ own: directory }).refusal).toBeUndefined();
    expect(told({ other: absent }).refusal).toBeUndefined();
    expect(told({ link: absent }).refusal).toBeUndefined();
    expect(told({ link: link("renamed") }).refusal).toBeUndefined();
  });
});

describe("a node that becomes the first one does not create a second cluster", () => {
  test.each([
    ["the same one", [one, two], "52-54-00-00-00-01"],
    ["another one, after reordering", [two, one], "52-54-00-00-00-02"],
    ["a replaced one", [replaced, two], "52-54-00-00-00-77"],
    [
      "a new one at the front of the list",
      [{ ...one, name: "new", mac: "52:54:00:00:00:88", address: "192.168.0.88" }, one, two],
      "52-54-00-00-00-88",
    ],
  ])("with %s", (_title, nodes, mac) => {
    const rack = rackWith(...nodes);
    expect(reports(rack, 0)[0]).toBe("http://192.168.0.90/created/done");
    expect(location(rack, `/nodes/${mac}.yaml`)).toContain(
      `if (-f /var/lib/furrow-pxe/created/done) { rewrite ^ /nodes/${mac}.join.yaml last; }`,
    );
  });

  test("a report is accepted from a node that was the first one when its installation began", () => {
    const report = location(rackWith(two, one), "/created/done");
    expect(report).toContain("allow 192.168.0.12; allow 192.168.0.11; deny all;");
    expect(report).toContain("dav_methods PUT;");
  });
});

describe("a server that was set up again does not create a second cluster", () => {
  const report = { type: "file", mode: "0644", owner: "www-data", group: "www-data" };
  const told = (now: object) => explain(clusterKnown({ vip: "192.168.0.175" }), now as never);

  test("it is refused if a cluster answers, but no node has reported that it created one", () => {
    const { facts, refusal } = told({ report: absent, answer: { open: true } });
    expect(facts).toEqual(["file:/var/lib/furrow-pxe/created/done", "port:192.168.0.175 443"]);
    expect(refusal).toMatchObject({
      code: "unknown-cluster",
      hint: "Set the var `join` to true if this is the rack's cluster, or else set another `vip`",
    });
  });

  test("it is accepted if no cluster answers, or if a node has reported the creation", () => {
    expect(told({ report: absent, answer: { open: false } }).refusal).toBeUndefined();
    expect(told({ report, answer: { open: true } }).refusal).toBeUndefined();
    expect(told({ report, answer: { open: false } }).refusal).toBeUndefined();
  });
});
