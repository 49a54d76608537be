import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { emptyProject, pageBlocks, putBlock, root } from "../../scripts/docs/pages.ts";

test("the inventory in docs/harvester.md, pasted word for word, is valid", { timeout: 600_000 }, () => {
  const block = pageBlocks("docs/harvester.md").find(({ name }) => name === "inventory.ts");
  if (block === undefined) throw new Error("docs/harvester.md shows no inventory.ts");
  const folder = emptyProject();
  try {
    putBlock(folder, block);
    const words = ["bin/furrow.js", "validate", "playbooks/harvester.ts", "-i", join(folder, "inventory.ts")];
    const env = { ...process.env, NODE_PASSWORD: "correct-horse-battery", XDG_STATE_HOME: join(folder, "state") };
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: "utf8", env });
    expect({ status, said: `${stdout}${stderr}` }).toMatchObject({ status: 0 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
