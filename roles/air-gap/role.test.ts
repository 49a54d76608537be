import { expect, test } from "vitest";
import { playbook } from "../../src/authoring.ts";
import { simulate } from "../../src/testing/index.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { airGap, airGapRules } from "./role.ts";

const book = (given: object) =>
  playbook({
    name: "air gap alone",
    plays: [
      {
        hosts: "all",
        become: true,
        tasks: ({ facts }) => [
          airGap({ cluster: clusterSchema.parse({ disks: ["/dev/a"], token: "t", password: "p", ...given }), facts }),
        ],
      },
    ],
  });

test("keeps its own table across reboots, and makes the host a time server", async () => {
  const comesWith = {};
  const unit = { load: "loaded", state: "stopped", enabled: false };
  const state = { metal: { "unit:nftables.service": unit, "unit:chrony.service": unit } };
  const { tasks, state: after } = await simulate(book({ airGap: {} }), { hosts: ["metal"], state, comesWith });
  expect(tasks.map(({ title, outcome }) => [title, outcome])).toEqual([
    ["nftables inet harvester_air_gap", "changed"],
    ["service nftables", "changed"],
    ["file /etc/chrony/conf.d", "changed"],
    ["file /etc/chrony/conf.d/harvester.conf", "changed"],
    ["service chrony", "changed"],
  ]);
  expect(after["metal"]?.["file:/etc/chrony/conf.d/harvester.conf"]).toMatchObject({
    text: expect.stringContaining("allow 192.168.130.0/24\nlocal stratum 10") as string,
  });
});

test("removes its table if there is no air gap", async () => {
  const { tasks } = await simulate(book({}), { hosts: ["metal"] });
  expect(tasks).toMatchObject([{ title: "nftables inet harvester_air_gap", outcome: "ok" }]);
});

test("lets nodes reach each other and the allowed addresses, and forwards nothing else", () => {
  const lines = airGapRules("virbr1", ["10.0.0.5"])
    .split("\n")
    .map((line) => line.trim());
  expect(lines.slice(2, -1)).toEqual([
    'iifname "virbr1" oifname "virbr1" accept',
    'iifname "virbr1" ip daddr { 10.0.0.5 } accept',
    'iifname "virbr1" drop',
  ]);
});
