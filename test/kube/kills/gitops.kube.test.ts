import { afterAll, beforeAll } from "vitest";
import { gitopsRows } from "./gitops-rows.ts";
import { testKills } from "./perform.ts";
import { Rig } from "./rig.ts";

let rig: Rig;

beforeAll(async () => {
  rig = await Rig.up();
});
afterAll(() => rig?.down());

for (const row of gitopsRows) testKills(row, () => rig);
