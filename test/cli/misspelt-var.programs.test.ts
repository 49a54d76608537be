import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "furrow-misspelt-"));
afterAll(() => rmSync(folder, { recursive: true }));

const from = JSON.stringify(join(root, "src/authoring.ts"));
const playbook = join(folder, "site.ts");
writeFileSync(
  playbook,
  `import { playbook, z } from ${from};
const vars = z.object({ harvesterVersion: z.string().default("v1"), servers: z.array(z.string()).default([]) });
export default playbook({ name: "Site", vars, plays: [{ hosts: "all", tasks: () => [] }] });
`,
);
const inventory = join(folder, "inventory.ts");
writeFileSync(
  inventory,
  `import { inventory } from ${from};
const vars = { harvesterVerison: "v2" };
export default inventory({ hosts: { web1: { transport: "local", vars }, web2: { transport: "local", vars } } });
`,
);

function furrow(...words: readonly string[]): { readonly code: number | null; readonly err: string } {
  const env = { ...process.env, XDG_STATE_HOME: join(folder, "state") };
  const argv = [join(root, "bin/furrow.js"), ...words, "-i", inventory];
  const { status, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8", env });
  return { code: status, err: stderr.replaceAll("\n  ", " ") };
}

test.each(["validate", "check", "run"])("%s names a misspelled optional var of the inventory once", (command) => {
  const { code, err } = furrow(command, playbook);
  expect(code, err).toBe(0);
  const notice =
    /inventory\.ts \(host web1\): "harvesterVerison" is not a var of this playbook, so it is not used; did you mean "harvesterVersion"\?/g;
  expect(err.match(notice), err).toHaveLength(1);
  expect(err.match(/harvesterVerison/g)).toHaveLength(1);
});

test("a list that is written with commas is refused with a hint on how to write a list", () => {
  const { code, err } = furrow("check", playbook, "--var", "servers=a,b");
  expect(code).toBe(1);
  expect(err).toContain(`hint      Write a list as JSON: --var 'servers=["a","b"]'`);
});

test("an unreadable inventory is reported only if no var is wrong", () => {
  const cloud = join(folder, "cloud.ts");
  writeFileSync(
    cloud,
    `import { azureInventory } from ${JSON.stringify(join(root, "src/cloud/index.ts"))};\nexport default azureInventory();\n`,
  );
  const env = { ...process.env, XDG_STATE_HOME: join(folder, "state"), AZURE_SUBSCRIPTION_ID: "" };
  const check = (...more: readonly string[]): string => {
    const argv = [join(root, "bin/furrow.js"), "check", playbook, "-i", cloud, ...more];
    return spawnSync(process.execPath, argv, { encoding: "utf8", env }).stderr;
  };
  const wrong = check("--var", "serverz=a", "--var", "harvesterVersion=7");
  expect(wrong).toContain(`E_VARS  the var "harvesterVersion" has a wrong value`);
  expect(wrong).toContain("Write --var servers=…");
  expect(wrong).not.toContain("azureInventory");
  expect(check("--var", "harvesterVersion=v3")).toContain("E_INVENTORY  azureInventory does not know");
});
