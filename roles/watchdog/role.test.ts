import { expect, test } from "vitest";
import { playbook } from "../../src/authoring.ts";
import { simulate } from "../../src/testing/index.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { watchdog } from "./role.ts";

const cluster = clusterSchema.parse({ nodes: 3, disks: ["/dev/a", "/dev/b", "/dev/c"], token: "t", password: "p" });
const book = playbook({
  name: "watchdog alone",
  plays: [{ hosts: "all", become: true, tasks: () => [watchdog({ cluster })] }],
});

test("installs the script and the job on a fresh host, and does nothing the second time", async () => {
  const first = await simulate(book, { hosts: ["metal"] });
  expect(first.tasks.map(({ title, outcome, steps }) => [title, outcome, steps])).toEqual([
    ["file /usr/local/sbin/furrow-node-watchdog", "changed", ["write /usr/local/sbin/furrow-node-watchdog"]],
    ["cron harvester node watchdog of root", "changed", ["install the crontab of root"]],
  ]);
  expect(first.state["metal"]).toMatchObject({
    "file:/usr/local/sbin/furrow-node-watchdog": {
      mode: "0755",
      text: expect.stringContaining("for node in harvester-1 harvester-2 harvester-3; do") as string,
    },
    "crontab:root": { text: expect.stringContaining("*/2 * * * * /usr/local/sbin/furrow-node-watchdog") as string },
  });
  const second = await simulate(book, { hosts: ["metal"], state: first.state });
  expect(second.tasks.map(({ outcome }) => outcome)).toEqual(["ok", "ok"]);
});

test("keeps root's other jobs", async () => {
  const state = { metal: { "crontab:root": { text: "0 3 * * * backup\n" } } };
  const { state: after } = await simulate(book, { hosts: ["metal"], state });
  expect(after["metal"]?.["crontab:root"]).toMatchObject({
    text: expect.stringMatching(/^0 3 \* \* \* backup\n/) as string,
  });
});
