import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { furrow } from "../../../test/cloud/furrow.ts";

const root = join(import.meta.dirname, "../../..");

describe("furrow doc PLAYBOOK", () => {
  let folder: string;
  let path: string;
  beforeAll(() => {
    // The folder is inside this repository so that the playbook can import furrow.
    folder = mkdtempSync(join(root, "test/cli/doc-"));
    path = join(folder, "site.ts");
    const vars = [
      'region: z.enum(["north", "south"]).describe("Where the site is")',
      "replicas: z.number().default(3)",
      'password: secretText().default("correct-horse").describe("Password of the site")',
    ];
    writeFileSync(
      path,
      `import { playbook, secretText, z } from "furrow";
       export default playbook({ name: "A site", vars: z.object({ ${vars.join(", ")} }), plays: [] });`,
    );
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("shows each var with its type, default and description, but hides the default of a secret", async () => {
    const { code, stdout } = await furrow("doc", path);
    expect(code).toBe(0);
    expect(stdout.split("\n").map((line) => line.trim())).toEqual([
      "A site",
      "",
      "vars",
      'region    Where the site is ("north" | "south", required)',
      "replicas  (number, default 3)",
      "password  Password of the site (string | Secret, optional)",
      "",
    ]);
  });

  test("has the same content as JSON", async () => {
    const { stdout } = await furrow("doc", path, "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      name: "A site",
      vars: [{ rows: [{ name: "region", required: true }, { name: "replicas", default: "3" }, { name: "password" }] }],
    });
    expect(stdout).not.toContain("correct-horse");
  });

  test("finds a playbook by the name that the pages use", async () => {
    const { code, stdout } = await furrow("doc", "gitops/networks");
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("clusterNetworks") as string });
  });

  test("refuses a file that does not exist", async () => {
    const { code, stderr } = await furrow("doc", join(folder, "other.ts"));
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("other.ts does not exist") as string });
  });
});
