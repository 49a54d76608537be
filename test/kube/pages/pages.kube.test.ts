import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Clone } from "../../cloud/pages/clone.ts";
import { covered } from "../../covered.ts";
import { Cast, Rig } from "../kills/rig.ts";
import { gitopsPageRows } from "./gitops-rows.ts";
import { opsPageRows } from "./ops-rows.ts";
import { commandsOf, guide, perform, putFiles, putOwn } from "./perform.ts";

let rig: Rig;
let clone: Clone;
const rows = [...gitopsPageRows, ...opsPageRows];

beforeAll(async () => {
  clone = new Clone();
  rig = await Rig.up();
  rig.proxy.arm(0, () => {});
});
afterAll(async () => {
  clone?.remove();
  await rig?.down();
});

describe.each(
  rows.map((row) => [`${guide(row.page)}: ${row.start.trim().replaceAll(/\s*\\\n\s*/g, " ")}`, row] as const),
)("%s", (_, row) => {
  const { like } = row;
  beforeAll(() => like.up?.(rig));
  afterAll(() => like.down?.());

  test("works word for word, with the files of the page", { timeout: 600_000 }, async () => {
    await rig.stage.set(row.objects?.(rig) ?? like.objects(rig));
    const cast = new Cast(rig.server, like.actors);
    try {
      await like.begin?.(rig, cast);
      const vars = like.vars(rig) as Readonly<Record<string, string>>;
      clone.placeholders.splice(
        0,
        Infinity,
        ...(row.filled?.(vars, rig) ?? []).map(([from, to]): [string, string] => [from, to]),
      );
      const kubeconfig = readFileSync(rig.kubeconfig, "utf8");
      const own = ["harvester", "platform", "rancher-local"].map((name) => [`${name}.kubeconfig`, kubeconfig]);
      putOwn(clone, { ...(Object.fromEntries(own) as object), ...row.files?.(rig) });
      for (const page of [...(row.filesOf ?? []), row.page]) putFiles(clone, page);
      if (row.after !== undefined) await clone.run(commandsOf(row.page, row.after));
      expect(await perform(clone, row)).toBe("");
    } finally {
      await cast.end();
    }
  });
});

test("no block is listed twice", () => {
  const listed = rows.map(({ page, start }) => `${page} ${start}`);
  expect(listed).toEqual([...new Set(listed)]);
  covered(`${rows.length} blocks of commands of the guides about Harvester run word for word`);
});
