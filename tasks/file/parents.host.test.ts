import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Node } from "../../src/core/authoring/group.ts";
import { taskHost } from "../../test/tasks/on-host.ts";
import { fileLine } from "../file-line/file-line.ts";
import { file } from "./file.ts";

const host = taskHost();
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "furrow-parents-"));
});
afterEach(() => rmSync(folder, { recursive: true }));
const outcomes = async (way: "apply" | "check", ...nodes: readonly Node[]): Promise<unknown[]> =>
  (await host[way](...nodes)).map(({ outcome, error }) => error?.failure.details?.[0] ?? error?.message ?? outcome);

describe("a directory whose parents are created with it", () => {
  test("lets later tasks use each parent, in check mode and in the run", async () => {
    const nodes = [
      file({ path: `${folder}/a/b/c/d`, state: "directory" }),
      file({ path: `${folder}/a/x`, content: "x" }),
      fileLine({ path: `${folder}/a/b/y`, line: "y", create: true }),
      file({ path: `${folder}/a/b`, state: "directory", mode: "0700" }),
    ] as const;
    const all = ["changed", "changed", "changed", "changed"];
    expect([await outcomes("check", ...nodes), await outcomes("apply", ...nodes)]).toEqual([all, all]);
    expect(await outcomes("apply", ...nodes)).toEqual(["ok", "ok", "ok", "ok"]);
  });

  test.each([{ below: "b/c/d" }, { below: "b/c" }, { below: "b" }])(
    "is refused if a parent is a regular file: file/$below",
    async ({ below }) => {
      writeFileSync(join(folder, "file"), "");
      const call = file({ path: `${folder}/file/${below}`, state: "directory" });
      const refused = ["refused: parent-not-directory"];
      expect([await outcomes("check", call), await outcomes("apply", call)]).toEqual([refused, refused]);
      expect(readdirSync(folder)).toEqual(["file"]);
    },
  );
});
