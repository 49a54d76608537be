import { expect, test } from "vitest";
import { explain } from "../../src/testing/index.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { clusterNodes } from "../cluster/nodes.ts";
import { powerOrder } from "../cluster/places.ts";
import { powerOffOrder } from "./order.ts";
import { usualOrder } from "./role.ts";

const given = { disks: ["/dev/a", "/dev/b", "/dev/c"], token: "t", password: "p", nodes: 3 };
const cluster = clusterSchema.parse(given);

test("switches a witness off first, then the nodes from the last to the first", () => {
  expect(usualOrder(cluster)).toEqual(["harvester-3", "harvester-2", "harvester-1"]);
  const witnessed = clusterSchema.parse({ ...given, witness: true });
  expect(usualOrder(witnessed)).toEqual(["harvester-3", "harvester-2", "harvester-1"]);
  expect(clusterNodes(witnessed).find(({ role }) => role === "witness")?.name).toBe(usualOrder(witnessed)[0]);
});

test("keeps a recorded order unless it names other nodes", () => {
  const order = powerOffOrder({ path: powerOrder, names: usualOrder(cluster) });
  const recorded = (text: string): string[] =>
    explain(order, { order: { type: "file", text } }).steps.map(({ step }) => step);
  expect(recorded("harvester-2\nharvester-3\nharvester-1\n")).toEqual([]);
  expect(recorded("a\nb\n")).toEqual(["writeFile"]);
});
