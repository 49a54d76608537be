import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { blocksOf, withBlocks } from "../../scripts/docs/blocks.ts";
import { covered } from "../covered.ts";
import { layOut, root, triedPages } from "../../scripts/docs/pages.ts";

describe("the code in the pages", () => {
  it("compiles in every block", { timeout: 600_000 }, () => {
    const folder = layOut(triedPages());
    try {
      const { stdout, status } = spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", folder, "--noEmit"], {
        encoding: "utf8",
        cwd: folder,
      });
      const ours = stdout.split("\n").filter((line) => !line.startsWith(".."));
      expect(ours.join("\n").trim()).toBe("");
      expect(status === 0 || stdout !== "").toBe(true);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("the parts of playbooks in the pages", () => {
  it("can be planned: their params are right, and no two tasks conflict", { timeout: 600_000 }, () => {
    const { stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, "plan-parts.ts")], {
      encoding: "utf8",
      cwd: root,
    });
    const { planned, refused } = JSON.parse(stdout || JSON.stringify({ refused: [stderr] })) as Planned;
    expect(refused).toEqual([]);
    expect(planned.filter((part) => part === "docs/guides/failures.md tasks")).toHaveLength(2);
    covered(`${planned.length} lists of tasks in the pages planned`);
  });
});

interface Planned {
  readonly planned: readonly string[];
  readonly refused: readonly string[];
}

describe("code blocks in Markdown", () => {
  const page = "# A\n\n```ts site.ts\nconst a = 1;\n```\n\n```console\n$ true\n```\n";

  it("are found with language, name, text and line", () => {
    expect(blocksOf(page)).toEqual([
      { language: "ts", name: "site.ts", text: "const a = 1;\n", line: 3 },
      { language: "console", name: undefined, text: "$ true\n", line: 7 },
    ]);
  });

  it("are replaced if their text differs, and the rest of the page stays unchanged", () => {
    expect(withBlocks(page, ({ name }) => (name === undefined ? "$ false" : undefined))).toBe(
      page.replace("true", "false"),
    );
  });
});
