import { describe, expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { instanceOf, nodeOf, type Objects, upgradeOf, volumeOf } from "../../test/guards/examples.ts";
import { failed, login, machines, nodes, notes, own, recorded, run, steps } from "../../test/power/metal-run.ts";

describe("the nodes of a cluster", () => {
  test("are switched off from the last to the first, each as configured", async () => {
    const ran = await run({ on: ["n1", "n2", "n3"], mode: "check" });
    expect(ran.tasks.filter(({ outcome }) => outcome === "changed").map(({ title }) => title)).toEqual([
      "nothing runs on the cluster",
      "n3 has been asked to shut down",
      "n2 is off",
      "n1 is off",
    ]);
    expect(steps(ran)).toEqual([]);
  });

  test("that are on are switched off in order, and one that accepts no logins is left alone", async () => {
    const ran = await run({ on: ["n1", "n2"] });
    expect(failed(ran)).toEqual([]);
    expect(steps(ran)).toEqual(["write /root/shutdown.json", "switch bmc-2 off", "switch bmc-1 off"]);
    expect(notes(ran)).toContain("n3 accepts no logins");
    expect(notes(ran)).toContain("n3 is not known to be off: it answers at none of the ports 22, 2380 and 10250");
  });

  test.each([
    ["kubelet", 10_250],
    ["etcd", 2380],
  ])("stay on if one before them hangs: it accepts no logins, but its %s answers", async (_what, answersAt) => {
    const ran = await run({ on: ["n1", "n2"], answersAt });
    expect(steps(ran)).toEqual(["write /root/shutdown.json"]);
    expect(failed(ran)).toEqual([
      `open of port:192.168.10.13 ${answersAt}: current value is true, expected false`,
      "refused: shutdown-unfinished",
    ]);
    expect(notes(ran)).not.toContain("not known to be off");
    // A rerun does not count the node as off either.
    const again = await run({ on: [], answersAt, record: recorded(10) });
    expect(notes(again)).not.toContain("all nodes are off");
  });

  test("on ESXi are not reported as off without a check", async () => {
    const ran = await run({ on: [], record: recorded(10), vars: { hypervisor: "esxi" } });
    expect(notes(ran)).not.toContain("it has switched off the nodes");
    expect(notes(ran)).toContain("it has asked the nodes to shut down");
  });

  test.each([
    ["machines run", { instances: [instanceOf("web", "n1")] }, "machines-running"],
    ["volumes are in use", { volumes: [volumeOf("pvc-1")] }, "volumes-attached"],
    [
      "the cluster is being upgraded",
      { upgrades: [upgradeOf("u", "v1.8.0", "UpgradingNodes")] },
      "upgrade-in-progress",
    ],
    ["the cluster does not answer", "silent" as const, "cluster-not-seen"],
    ["the cluster denies access", "forbids" as const, "cluster-not-seen"],
  ])("stay on if %s, in check mode and in a run", async (_why, cluster, code) => {
    for (const mode of ["check", "apply"] as const) {
      const ran = await run({ cluster, mode });
      expect(failed(ran)).toEqual([`refused: ${code}`]);
      expect(steps(ran)).toEqual([]);
    }
  });

  test("are switched off without an answer only if force is set", async () => {
    const ran = await run({ cluster: "silent", vars: { force: true }, mode: "check" });
    expect(failed(ran)).toEqual([]);
    expect(notes(ran)).toContain("force is set, so the cluster was not asked");
  });

  test("do not count as checked after a forced shutdown", async () => {
    const ran = await run({ on: ["n1"], cluster: "silent", vars: { force: true }, record: recorded(10) });
    expect(failed(ran)).toEqual([]);
    expect(steps(ran)).toContain("remove /root/shutdown.json");
  });

  test("that are all off are left alone, and the cluster is not queried", async () => {
    const ran = await run({ on: [], cluster: "silent", record: recorded(10) });
    expect(failed(ran)).toEqual([]);
    expect(steps(ran)).toEqual([]);
    expect(notes(ran)).toContain("all nodes are off");
  });
});

/** Machines of another site. */
const elsewhere = machines.map((one) => one.replace("192.168.10.", "10.1.1.").replace("bmc", "other-bmc"));

describe("a rerun", () => {
  test("continues with a cluster that no longer answers because of this shutdown", async () => {
    const ran = await run({ on: ["n1"], cluster: "silent", record: recorded(10) });
    expect(failed(ran)).toEqual([]);
    expect(steps(ran)).toEqual(["switch bmc-1 off"]);
    expect(notes(ran)).toContain("1 of 3 nodes is still up, and cannot answer alone");
  });

  test.each([
    ["no shutdown was recorded", { record: absent }],
    ["the shutdown was recorded too long ago", { record: recorded(180) }],
    ["the record is dated in the future", { record: recorded(-5) }],
    ["the shutdown was of other nodes", { record: recorded(10, machines.slice(0, 2)) }],
    ["the shutdown was of another cluster, whose nodes have the same names", { record: recorded(10, elsewhere) }],
    ["the record has only names, as an earlier furrow wrote it", { record: recorded(10, ["n1", "n2", "n3"]) }],
    ["enough nodes for a quorum are on", { record: recorded(10), on: ["n1", "n2"] }],
    ["the cluster denies access", { record: recorded(10), cluster: "forbids" as const }],
  ])("queries the cluster again if %s", async (_why, given) => {
    const ran = await run({ on: ["n1"], cluster: "silent", ...given });
    expect(failed(ran)).toEqual(["refused: cluster-not-seen"]);
    expect(steps(ran)).toEqual([]);
  });
});

describe("the kubeconfig of another idle cluster", () => {
  const named = (...names: readonly string[]): Partial<Objects> => ({
    nodes: names.map((name) => nodeOf(name, { address: name.replace(/.(?=\d$)/, "192.168.10.1") })),
  });

  test.each([
    [
      "with other nodes",
      named("x1", "x2", "x3", "x4"),
      "the cluster does not have n1, n2, n3; the vars do not list x1, x2, x3, x4",
    ],
    ["with one more node", named("n1", "n2", "n3", "n4"), "the vars do not list n4"],
    ["with one node fewer", named("n1", "n2"), "the cluster does not have n3"],
    ["without nodes", named(), "the cluster does not have n1, n2, n3"],
  ])("%s switches no machine off, in check mode and in a run", async (_which, cluster, says) => {
    for (const mode of ["check", "apply"] as const)
      for (const record of [absent, recorded(10)]) {
        const ran = await run({ cluster, mode, record });
        expect(failed(ran)).toEqual(["refused: nodes-differ"]);
        expect(ran.tasks.at(-1)?.error?.failure.what).toBe(
          `the cluster of the kubeconfig k does not have the nodes in the vars: ${says}`,
        );
        expect(ran.tasks.at(-1)?.error?.failure.expected).toBe("n1, n2, n3");
        expect(steps(ran)).toEqual([]);
      }
  });

  test.each([
    ["no node", "10.99.0.1", "n1 is at 10.99.0.1, not at 192.168.10.11; n3 is at 10.99.0.3, not at 192.168.10.13"],
    ["not every node", "192.168.10.11", "n3 is at 10.99.0.3, not at 192.168.10.13"],
  ])(
    "with the same names, but %s at the address in the vars, switches no machine off",
    async (_which, address, says) => {
      const found = [nodeOf("n1", { address }), own[1] ?? {}, nodeOf("n3", { address: "10.99.0.3" })];
      for (const mode of ["check", "apply"] as const) {
        const ran = await run({ cluster: { nodes: found }, mode, record: recorded(10) });
        expect(failed(ran)).toEqual(["refused: nodes-differ"]);
        expect(ran.tasks.at(-1)?.error?.failure.what).toMatch(new RegExp(`: ${says}$`));
        expect(ran.tasks.at(-1)?.error?.failure.hint).toContain("set the node's `internalAddress`");
        expect(steps(ran)).toEqual([]);
      }
    },
  );

  test.each([
    ["its own address in the cluster is given", "192.168.10.13", "10.99.0.3", "10.99.0.3"],
    ["an IPv6 address is written differently", "fd00:0:0::13", "fd00::13", undefined],
    ["the vars have a name in place of its address", "node-3.example.org", "10.99.0.3", undefined],
  ])("is not confused with the cluster of a node if %s", async (_why, address, inCluster, internalAddress) => {
    const last = { name: "n3", address, internalAddress, ipmi: { address: "bmc-3", ...login } };
    const cluster = { nodes: [...own.slice(0, 2), nodeOf("n3", { address: inCluster })] };
    const ran = await run({ cluster, vars: { nodes: [...nodes.slice(0, 2), last] }, mode: "check" });
    expect(failed(ran)).toEqual([]);
  });

  test("is not noticed if force is set, and the run says so", async () => {
    const ran = await run({ cluster: named("x1"), vars: { force: true }, mode: "check" });
    expect(failed(ran)).toEqual([]);
    expect(notes(ran)).toContain("or whether it has nodes that the vars do not list");
  });

  test("is refused if the names of its nodes cannot be read", async () => {
    const ran = await run({ cluster: { nodes: [{ metadata: {} }] } });
    expect(failed(ran)).toEqual(["refused: cluster-not-seen"]);
    expect(steps(ran)).toEqual([]);
  });

  test("is not confused with a cluster whose nodes are partly off: they are still listed", async () => {
    const off = nodeOf("n3", { ready: false, address: "192.168.10.13" });
    const ran = await run({ on: ["n1", "n2"], cluster: { nodes: [...own.slice(0, 2), off] }, record: recorded(10) });
    expect(failed(ran)).toEqual([]);
    expect(steps(ran)).toEqual(["switch bmc-2 off", "switch bmc-1 off"]);
  });
});

describe("a record path that something else occupies", () => {
  test.each([
    ["the kubeconfig", { type: "file", text: "apiVersion: v1\nkind: Config\n" }, "a file with other content"],
    ["a script", { type: "file", text: "#!/bin/sh precious\n" }, "a file with other content"],
    ["half a record", { type: "file", text: "{" }, "a file with other content"],
    ["an empty file", { type: "file", text: "" }, "a file with other content"],
    ["a directory", { type: "directory" }, "a directory"],
    ["a link", { type: "link", target: "/root/precious" }, "a link"],
    ["a device or FIFO", { type: "other" }, "a device node, FIFO or socket"],
  ])("is refused, with and without force, and stays as it is (%s)", async (_what, record, current) => {
    for (const mode of ["check", "apply"] as const)
      for (const force of [false, true]) {
        const ran = await run({ record, mode, vars: { force } });
        expect(failed(ran)).toEqual(["refused: not-our-record"]);
        expect(ran.tasks.at(-1)?.error?.failure).toMatchObject({
          what: "/root/shutdown.json on the controller is not the record of a shutdown, so it is neither replaced nor removed",
          current,
          expected: "nothing, or a record that power-off wrote",
        });
        expect(steps(ran)).toEqual([]);
        expect(ran.state["localhost"]?.["file:/root/shutdown.json"]).toMatchObject(record);
      }
  });

  test("is refused even if all nodes are off", async () => {
    const ran = await run({ on: [], record: { type: "file", text: "precious" } });
    expect(failed(ran)).toEqual(["refused: not-our-record"]);
  });
});

test("the report says that the hypervisor is out of reach, and what the operator must do", async () => {
  const ran = await run({ on: [], record: recorded(1), vars: { hypervisor: "esxi" } });
  expect(notes(ran)).toContain("furrow does not control ESXi");
  expect(notes(ran)).toContain("check that n3, n2, n1 are powered off");
  expect(notes(await run({ on: [], record: recorded(1) }))).not.toContain("ESXi");
});
