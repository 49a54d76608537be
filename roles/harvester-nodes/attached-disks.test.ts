import { expect, test } from "vitest";
import { playbook } from "../../src/authoring.ts";
import { simulate } from "../../src/testing/index.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { attachedDisks } from "./attached-disks.ts";

const notes = async (extraDisks: object[]): Promise<readonly string[]> => {
  const cluster = clusterSchema.parse({ disks: ["/dev/a"], token: "t", password: "p", extraDisks });
  const book = playbook({ name: "disks", plays: [{ hosts: "all", tasks: () => [attachedDisks({ cluster })] }] });
  const { tasks } = await simulate(book, { hosts: ["metal"], mode: "check" });
  return tasks.flatMap((task) => task.notes);
};

test("says why nothing is attached if no extra disk is listed", async () => {
  expect(await notes([])).toEqual(["`extraDisks` is empty: list the new disks there, each with its node"]);
  expect(await notes([{ node: 1, device: "/dev/b" }])).toEqual([]);
});
