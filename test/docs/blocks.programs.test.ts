import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { blocksOf, withBlocks } from "../../scripts/docs/blocks.ts";
import { layOut, root, triedPages } from "../../scripts/docs/pages.ts";

describe("the code in the pages", () => {
  it("compiles in every block", { timeout: 60_000 }, () => {
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

describe("code blocks in Markdown", () => {
  const page = "# A\n\n```ts site.ts\nconst a = 1;\n```\n\n```console\n$ true\n```\n";

  it("are found with language, name, text and line", () => {
    expect(blocksOf(page)).toEqual([
      { language: "ts", name: "site.ts", text: "const a = 1;\n", line: 3 },
      { language: "console", name: undefined, text: "$ true\n", line: 7 },
    ]);
  });

  it("are replaced if their text differs, and the rest of the page stays", () => {
    expect(withBlocks(page, ({ name }) => (name === undefined ? "$ false" : undefined))).toBe(
      page.replace("true", "false"),
    );
  });
});
