import { expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { explain } from "../../src/testing/index.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { clusterNodes } from "../cluster/nodes.ts";
import { nodeStatus } from "./node-status.ts";

const [node] = clusterNodes(clusterSchema.parse({ disks: ["/dev/a"], token: "t", password: "p" })) as [never];

test("a node whose kernel has panicked is not reported as if it were still booting", () => {
  const closed = { open: false };
  const notes = (text: string): readonly string[] =>
    explain(nodeStatus({ stages: [], node }), {
      domain: { state: "running", reason: "booted" },
      kubelet: closed,
      ssh: closed,
      log: absent,
      console: { text },
    }).notes;
  const halted = 'harvester-1 has halted; to boot it again, run "virsh reset harvester-1" on the host';
  expect(notes("---[ end Kernel panic - not syncing: no init ]---\n")).toEqual([
    "harvester-1 (default, 192.168.130.11) is running: booted",
    "not part of the cluster yet; harvester-1 has fetched nothing yet; its kernel panicked: no init",
    halted,
  ]);
  expect(notes("login:")).not.toContain(halted);
});
