import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "furrow-loaded-"));
const playbook = join(folder, "one.ts");
writeFileSync(
  playbook,
  `import { playbook } from ${JSON.stringify(join(root, "src/authoring.ts"))};
import { file } from ${JSON.stringify(join(root, "tasks/file/file.ts"))};
export default playbook({
  name: "One task",
  plays: [{ hosts: "all", tasks: () => [file({ path: ${JSON.stringify(folder)}, state: "directory" })] }],
});
`,
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The packages and furrow's own files that a command loads. */
function loadedBy(...words: readonly string[]): { own: string[]; packages: string[] } {
  const to = join(folder, "loaded");
  const hook = join(import.meta.dirname, "loaded.js");
  execFileSync(process.execPath, ["--import", hook, join(root, "bin/furrow.js"), ...words], {
    env: { ...process.env, LOADED_TO: to, XDG_STATE_HOME: folder },
  });
  const names = readFileSync(to, "utf8").split("\n").filter(Boolean).toSorted();
  const isOwn = (name: string): boolean => /\.(ts|js)$/.test(name);
  return { own: names.filter(isOwn), packages: names.filter((name) => !isOwn(name)) };
}

const folders = (own: readonly string[]): string[] => [
  ...new Set(
    own.map((path) =>
      path
        .split("/")
        .slice(0, path.startsWith("src/") ? 2 : 1)
        .join("/"),
    ),
  ),
];

describe("a command loads only the modules that it needs", () => {
  test.each(["--version", "--help", "help", "-V"])("furrow %s loads only bin/furrow.js", (word) => {
    expect(loadedBy(word)).toEqual({ own: ["bin/furrow.js"], packages: [] });
  });

  test("furrow run --help loads the command line, and no package", () => {
    const { own, packages } = loadedBy("run", "--help");
    expect(packages).toEqual([]);
    expect(folders(own)).toEqual(["bin", "src/cli", "src/core"]);
    expect(own.length).toBeLessThan(14);
  });

  test("furrow list loads no transport, driver or report", () => {
    const { own, packages } = loadedBy("list", playbook, "-i", "local");
    expect(packages).toEqual(["chalk", "zod"]);
    expect(folders(own).filter((name) => /transport|drivers|report|cloud|lab|testing/.test(name))).toEqual([
      "src/report",
    ]);
    expect(own.filter((name) => /report\/(live|plain|changes)/.test(name))).toEqual([]);
  });

  test("neither listing a cloud's playbook nor importing a cloud inventory loads an SDK", { timeout: 600_000 }, () => {
    const provision = join(root, "playbooks/clouds/provision-aws.ts");
    const { packages } = loadedBy("list", provision, "-i", "local", "--var", "publicKey=ssh-ed25519 AAAA");
    expect(packages.filter((name) => /aws|google|smithy/.test(name))).toEqual([]);
    const google = ["--var", "project=project-1", "--var", "publicKey=ssh-ed25519 AAAA"];
    const other = loadedBy("list", join(root, "playbooks/clouds/provision-gcp.ts"), "-i", "local", ...google);
    expect(other.packages.filter((name) => /aws|google|smithy/.test(name))).toEqual([]);
    const clouds = join(folder, "clouds.ts");
    writeFileSync(
      clouds,
      `import { inventory } from ${JSON.stringify(join(root, "src/authoring.ts"))};
import { ec2Inventory, gceInventory } from ${JSON.stringify(join(root, "src/cloud/index.ts"))};
export const unused = [ec2Inventory(), gceInventory()];
export default inventory({ hosts: { here: { transport: "local" } } });
`,
    );
    const listed = loadedBy("list", playbook, "-i", clouds);
    expect(listed.packages.filter((name) => /aws|google|smithy/.test(name))).toEqual([]);
  });

  test(
    "a run on this machine loads no ssh2, listr2 or diff, and no code for YAML, XML, HTTP or the clouds",
    { timeout: 600_000 },
    () => {
      // Another test may hold the lock on this machine right now.
      const { own, packages } = loadedBy("run", playbook, "-i", "local", "--wait-lock", "45");
      expect(packages).toEqual(["chalk", "zod"]);
      expect(own.filter((name) => /^src\/(transport\/ssh|drivers|cloud|lab|testing)\//.test(name))).toEqual([]);
    },
  );
});
