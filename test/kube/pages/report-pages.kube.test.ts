import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Clone } from "../../cloud/pages/clone.ts";
import { covered } from "../../covered.ts";
import { soundCluster } from "../../guards/examples.ts";
import { apply } from "../actors.ts";
import { makeKinds, makeObjects } from "../reports/report-scene.ts";
import { ApiServer } from "../server/api-server.ts";
import { guide, perform, putFiles, putOwn } from "./perform.ts";
import { reportPageRows } from "./report-rows.ts";

let server: ApiServer;
let clone: Clone;

beforeAll(async () => {
  clone = new Clone();
  server = await ApiServer.up();
  makeKinds(server);
  makeObjects(server, soundCluster);
  const setting = { apiVersion: "harvesterhci.io/v1beta1", kind: "Setting" };
  const settings = {
    "overcommit-config": '{"cpu":1600,"memory":150,"storage":200}',
    "vm-force-reset-policy": '{"enable":true,"period":300}',
  };
  for (const [name, value] of Object.entries(settings)) apply(server, { ...setting, metadata: { name }, value });
  putOwn(clone, { "harvester.kubeconfig": readFileSync(server.kubeconfig(), "utf8") });
});
afterAll(async () => {
  clone?.remove();
  await server?.down();
});

test.each(reportPageRows.map((row) => [`${guide(row.page)}: ${row.start}`, row] as const))(
  "%s works word for word",
  { timeout: 600_000 },
  async (_, row) => {
    for (const page of [...(row.filesOf ?? []), row.page]) putFiles(clone, page);
    const before = server.requests().length;
    expect(await perform(clone, row)).toBe("");
    const verbs = server
      .requests()
      .slice(before)
      .map((request) => request.split(" ")[0]);
    expect(verbs.filter((verb) => verb !== "get" && verb !== "list")).toEqual([]);
    expect(verbs.length).toBeGreaterThan(0);
    covered(`${guide(row.page)}: a block of reports run word for word`);
  },
);
