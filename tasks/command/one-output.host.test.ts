import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { taskHost } from "../../test/tasks/on-host.ts";
import * as t from "../index.ts";

const host = taskHost();
let folder = "";
const at = (path: string): string => join(folder, path);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "furrow-output-"));
  writeFileSync(at("motd"), "hello\n", { mode: 0o644 });
});
afterAll(() => rmSync(folder, { recursive: true }));

test("after a file receives a command's output, later tasks still know the file's directory and owner", async () => {
  const version = t.command({ command: ["uname", "-r"], always: true, disturbs: [] });
  const content = version.output.map(({ stdout }) => stdout);
  const own = { owner: "daemon", group: "daemon" };
  const ends = await host.check(
    version,
    t.file({ path: at("ver"), content, ...own }),
    t.fileLine({ path: at("lines"), line: content, create: true, ...own }),
    t.file({ path: at("motd"), content: "hello\n" }),
    t.file({ path: at("new"), content: "hello\n", ...own }),
    t.fileLine({ path: at("line"), line: "x", create: true, ...own }),
    t.file({ path: at("ver"), content: "other\n" }),
  );
  expect(ends.map(({ outcome }) => outcome)).toEqual([
    "changed",
    "undecided",
    "undecided",
    "ok",
    "changed",
    "changed",
    "undecided",
  ]);
});
