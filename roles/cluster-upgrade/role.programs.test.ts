import { describe, expect, test } from "vitest";
import { type Json, playbook } from "../../src/authoring.ts";
import { explain, simulate, type Simulation } from "../../src/testing/index.ts";
import { answerFor, answersOf, type Objects, soundCluster, threeNodes, upgradeOf } from "../../test/guards/examples.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { fingerprintPath } from "../cluster/places.ts";
import { fingerprintText } from "../identity/fingerprint.ts";
import { artifactsOfOther } from "./artifacts.ts";
import { clusterUpgrade } from "./role.ts";
import { upgradeFinished } from "./upgrade-finished.ts";

const digest = "b".repeat(128);
const artifact = (name: string) => ({ url: `https://mirror.example/v1.8.2/${name}`, checksum: `sha512:${digest}` });
const cluster = clusterSchema.parse({
  version: "v1.8.2",
  disks: ["/dev/a"],
  token: "t",
  password: "p",
  artifacts: { kernel: artifact("k"), initrd: artifact("i"), rootfs: artifact("r"), iso: artifact("iso") },
});
const kubeconfig = { path: "k", authority: "a" };
const book = playbook({
  name: "an upgrade alone",
  plays: [
    {
      hosts: "all",
      become: true,
      tasks: () => [clusterUpgrade({ cluster, kubeconfig, retry: true, deadlineSeconds: 60 })],
    },
  ],
});
const record = { version: "v1.8.1", ca: "a".repeat(64), token: "scrypt:x", password: "scrypt:y", config: {} };
const recordId = `file:${fingerprintPath("harvester-1")}`;
const state = { metal: { [recordId]: { type: "file", text: fingerprintText(record), mode: "0600" } } };
const single: Partial<Objects> = { ...soundCluster, nodes: threeNodes().slice(0, 1) };

interface GivenCluster {
  readonly upgrades?: object[];
  readonly running?: string;
  readonly known?: object;
  readonly trial?: object;
}

/**
 * Runs the role on a cluster with these upgrades. `running` is the version that it reports, and `known` the Version
 * object in the cluster, if there is one. `trial` is Harvester's answer when it is asked whether it would accept the
 * upgrade.
 */
async function run(
  { upgrades = [], running = "v1.8.1", known, trial = { accepted: true } }: GivenCluster = {},
  mode: "check" | "apply" = "apply",
): Promise<Simulation> {
  const kubernetes = (request: Json): unknown => {
    const { path, tried } = request as { readonly path: string; readonly tried?: string };
    if (tried !== undefined) return trial;
    if (path.endsWith("/settings/server-version"))
      return { found: true, object: { kind: "Setting", metadata: { name: "server-version" }, value: running } };
    if (path.includes("/versions/")) return known === undefined ? { found: false } : { found: true, object: known };
    if (path.includes("/upgrades/")) return { found: false };
    return answerFor({ ...single, upgrades }, { path });
  };
  return simulate(book, { hosts: ["metal"], drivers: { kubernetes }, state, mode });
}
const done = ({ tasks }: Simulation): [string, string][] => tasks.map(({ title, outcome }) => [title, outcome]);
const steps = ({ tasks }: Simulation): string[] => tasks.flatMap((one) => one.steps);

test("serves the release, offers it with its digest, starts the upgrade, waits and records the version", async () => {
  const check = await run({}, "check");
  expect(done(check)).toEqual([
    ["the cluster can be upgraded to v1.8.2", "ok"],
    ["file /srv/www", "changed"],
    ["file /srv/www/harvester", "changed"],
    ["download harvester-v1.8.2-vmlinuz-amd64", "changed"],
    ["download harvester-v1.8.2-initrd-amd64", "changed"],
    ["download harvester-v1.8.2-rootfs-amd64.squashfs", "changed"],
    ["download harvester-v1.8.2-amd64.iso", "changed"],
    ["Harvester knows v1.8.2", "changed"],
    ["the upgrade to v1.8.2 has begun", "changed"],
    ["the cluster has been upgraded to v1.8.2", "ok"],
    ["harvester-1 is recorded with v1.8.2", "changed"],
  ]);
  const { events } = await run();
  const calls = JSON.stringify(events);
  expect(steps(await run())).toEqual(
    expect.arrayContaining(["create version v1.8.2", "start upgrade hvst-upgrade-v1-8-2-1 to v1.8.2"]),
  );
  expect(calls).not.toContain("delete failed upgrade");
});

test("offers the image at the host's address in the nodes' network, with its SHA-512", async () => {
  const { events } = await run();
  const offered = events.find(
    (event) => event.type === "taskFinished" && event.task.title === "Harvester knows v1.8.2",
  );
  const spec = { isoURL: "http://192.168.130.1/harvester-v1.8.2-amd64.iso", isoChecksum: digest };
  expect(offered).toMatchObject({ changes: [{ differences: [{ path: "found" }, { path: "object", to: { spec } }] }] });
});

const spec = {
  isoURL: "https://releases.rancher.com/harvester/v1.8.2/harvester-v1.8.2-amd64.iso",
  isoChecksum: digest,
};
const known = { kind: "Version", metadata: { name: "v1.8.2" }, spec };
const conditions = [{ type: "ImageReady", status: "False", message: "no route to host" }];
const failed = [upgradeOf("hvst-upgrade-v1-8-2-1", "v1.8.2", "Failed", { conditions })];

test("corrects a version that Harvester got from the official server", async () => {
  expect(steps(await run({ upgrades: failed, known })).slice(-3, -1)).not.toContain("create version v1.8.2");
  expect(steps(await run({ upgrades: failed, known }))).toContain("update version v1.8.2");
});

test("a failed attempt stays until Harvester has accepted the next one, so a refusal does not hide why it failed", async () => {
  const calls = steps(await run({ upgrades: failed, known })).filter((label) => label.includes("upgrade hvst"));
  expect(calls).toEqual([
    "start upgrade hvst-upgrade-v1-8-2-2 to v1.8.2",
    "delete failed upgrade hvst-upgrade-v1-8-2-1",
  ]);
});

test.each(["check", "apply"] as const)(
  "an upgrade that Harvester would not accept is refused before anything changes, in mode %s",
  async (mode) => {
    const message = "please suspend all backup/snapshot schedule, for example default/daily is running";
    const trial = { refused: { code: "denied", message, hint: "" } };
    const { tasks } = await run({ upgrades: failed, known, trial }, mode);
    expect(tasks.map(({ title, outcome }) => [title, outcome])).toEqual([
      ["the cluster can be upgraded to v1.8.2", "failed"],
    ]);
    expect(tasks[0]?.error?.failure.what).toBe(`Harvester would not accept an upgrade to v1.8.2: ${message}`);
  },
);

test("an upgrade is refused before anything changes if Harvester does not say whether it would accept it", async () => {
  const trial = { error: { code: "HTTP 500", message: "no endpoints available" } };
  const { tasks } = await run({ upgrades: failed, known, trial }, "check");
  expect(tasks.map(({ outcome, error }) => [outcome, error?.failure.what])).toEqual([
    [
      "failed",
      "cannot tell whether the cluster can be upgraded to v1.8.2: Harvester does not say whether it would accept the upgrade (HTTP 500: no endpoints available)",
    ],
  ]);
});

test("an upgrade that no dry run can check is started, and a note says so", async () => {
  const trial = { unasked: "a webhook does not support dry run" };
  const { tasks } = await run({ upgrades: failed, known, trial }, "check");
  expect(tasks[0]?.outcome).toBe("ok");
  expect(tasks[0]?.notes).toContain(
    "not checked in advance: the upgrade to v1.8.2 (a webhook does not support dry run)",
  );
});

describe("a rerun", () => {
  test("starts no second upgrade while one is running, and downloads nothing", async () => {
    const ran = await run({ upgrades: [upgradeOf("hvst-upgrade-v1-8-2-1", "v1.8.2", "PreparingNodes")] });
    expect(steps(ran)).not.toContain("start upgrade hvst-upgrade-v1-8-2-2 to v1.8.2");
    expect(
      done(ran)
        .filter(([, outcome]) => outcome !== "skipped")
        .map(([title]) => title)
        .slice(0, 2),
    ).toEqual(["the cluster can be upgraded to v1.8.2", "the cluster has been upgraded to v1.8.2"]);
  });

  test("records the version after the upgrade, and has nothing else to do", async () => {
    const upgraded = { running: "v1.8.2", upgrades: [upgradeOf("hvst-upgrade-v1-8-2-1", "v1.8.2", "Succeeded")] };
    const first = await run(upgraded);
    expect(steps(first)).toEqual([`write ${fingerprintPath("harvester-1")}`]);
    expect(first.state["metal"]?.[recordId]).toMatchObject({ text: fingerprintText({ ...record, version: "v1.8.2" }) });
  });
});

describe("the wait", () => {
  const call = upgradeFinished({ kubeconfig: "k", version: "v1.8.2", name: "u", deadlineSeconds: 60 });
  const look = (upgrades: object[], running = "v1.8.2", nodes = threeNodes()) =>
    explain(call, {
      ...answersOf({ ...soundCluster, upgrades, nodes }),
      running: { found: true, object: { kind: "Setting", metadata: { name: "server-version" }, value: running } },
    }).refusal;

  test("ends once Harvester reports success, the cluster has the version and all nodes are back", () => {
    const ended = [upgradeOf("u", "v1.8.2", "Succeeded")];
    expect(look(ended)).toBeUndefined();
    expect(look(ended, "v1.8.1")?.message).toBe("the upgrade has finished, but the cluster still reports v1.8.1");
    expect(look(ended, "v1.8.2", threeNodes(3))?.message).toContain("these nodes are not available yet: harvester-3");
  });

  test("says how far the upgrade has got, and that it is paused", () => {
    const nodes = { "harvester-1": { state: "Succeeded" }, "harvester-2": { state: "Pre-draining" } };
    const conditions = [{ type: "Paused", status: "True" }];
    expect(look([upgradeOf("u", "v1.8.2")])).toMatchObject({ code: "not-yet", message: "u: created" });
    expect(look([upgradeOf("u", "v1.8.2", "UpgradingNodes", { nodes, conditions })])?.message).toBe(
      "u: UpgradingNodes, paused, harvester-1 Succeeded, harvester-2 Pre-draining",
    );
  });

  test("ends at once with Harvester's own reasons if the upgrade fails, or if it is deleted", () => {
    const conditions = [
      { type: "Completed", status: "False", reason: "current version does not meet minimum upgrade requirement" },
    ];
    expect(look([upgradeOf("u", "v1.8.2", "Failed", { conditions })])).toMatchObject({
      message: "the upgrade u to v1.8.2 failed: Completed: current version does not meet minimum upgrade requirement",
      final: true,
    });
    expect(look([upgradeOf("u", "v1.8.2", "Failed")])?.message).toContain("Harvester gives no reason");
    expect(look([])).toMatchObject({ code: "upgrade-missing", final: true });
  });
});

test.each([
  ["https://mirror.example/v1.8.1/x.iso", "URLs of v1.8.2, not https://mirror.example/v1.8.1/x.iso"],
  [
    "https://mirror.example/harvester-v1.8.2-rc1-amd64.iso",
    "URLs of v1.8.2, not https://mirror.example/harvester-v1.8.2-rc1-amd64.iso",
  ],
  ["https://mirror.example/v1.8.2/x.iso", undefined],
  ["https://mirror.example/harvester.iso", undefined],
])("reports the image at %s if v1.8.2 is wanted: %s", (url, says) => {
  const own = cluster.artifacts as NonNullable<typeof cluster.artifacts>;
  expect(artifactsOfOther({ version: "v1.8.2", artifacts: { ...own, iso: { url } } })).toBe(says);
});
