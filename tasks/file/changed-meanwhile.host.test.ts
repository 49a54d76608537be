import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { secretOf } from "../../src/core/secrets/secret.ts";
import { taskHost } from "../../test/tasks/on-host.ts";
import { fileBlock } from "../file-block/file-block.ts";
import { fileLine } from "../file-line/file-line.ts";

const host = taskHost();
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "furrow-race-"));
  // When this program runs for the second time, just before the rename, another program adds a line to the file.
  writeFileSync(
    join(folder, "check"),
    `#!/bin/sh
[ -e ${folder}/asked ] && [ ! -e ${folder}/done ] && { echo other >>${folder}/conf; touch ${folder}/done; }
touch ${folder}/asked
`,
  );
  chmodSync(join(folder, "check"), 0o755);
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("a file that another program changes while its validator runs", () => {
  const own = () => ({ path: `${folder}/conf`, validate: `${folder}/check %s` });
  const long = "x".repeat(100_000);
  test.each([
    { what: "a line", old: "base\n", call: () => fileLine({ ...own(), line: "mine" }) },
    { what: "a block", old: "base\n", call: () => fileBlock({ ...own(), block: "mine" }) },
    { what: "a secret line", old: "base\n", call: () => fileLine({ ...own(), line: `${secretOf("mine", "s")}` }) },
    { what: "a line of a long file", old: `${long}\n`, call: () => fileLine({ ...own(), line: "mine" }) },
    { what: "the first line", old: undefined, call: () => fileLine({ ...own(), line: "mine", create: true }) },
  ])("keeps the other program's change: inserting $what fails, and the next run inserts it", async ({ old, call }) => {
    if (old !== undefined) writeFileSync(`${folder}/conf`, old);
    const [end] = await host.apply(call());
    expect(end?.error?.failure.details?.join("\n")).toContain("while this task ran, so furrow left it as it is");
    expect(readFileSync(`${folder}/conf`, "utf8")).toBe(`${old ?? ""}other\n`);
    expect(readdirSync(folder).toSorted()).toEqual(["asked", "check", "conf", "done"]);

    expect(await host.apply(call())).toMatchObject([{ outcome: "changed" }]);
    expect(readFileSync(`${folder}/conf`, "utf8")).toMatch(/other\n[^]*mine\n/);
    expect(await host.apply(call())).toMatchObject([{ outcome: "ok" }]);
  });
});
