import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { converge } from "../../test/packages/converge.ts";
import { taskHost } from "../../test/tasks/on-host.ts";
import { directoryTree } from "../directory-tree/directory-tree.ts";
import { file } from "./file.ts";

const tools = mkdtempSync(join(tmpdir(), "furrow-busybox-"));
execFileSync("busybox", ["--install", "-s", tools]);
afterAll(() => rmSync(tools, { recursive: true }));
const hosts = [
  { name: "GNU", shell: ["sh"] },
  { name: "busybox", shell: ["env", `PATH=${tools}`, "sh"] },
];

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "furrow-link-"));
  for (const name of ["from", "to", "dir"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "from/lnk"), "tree\n");
  writeFileSync(join(folder, "large"), "x".repeat(100_000));
  symlinkSync("../dir", join(folder, "to/lnk"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe.each(hosts)("a link to a directory in place of a file ($name)", ({ shell }) => {
  test.each([
    { what: "content", call: () => file({ path: `${folder}/to/lnk`, content: "text\n" }), text: "text\n" },
    {
      what: "staged content",
      call: () => file({ path: `${folder}/to/lnk`, source: `${folder}/large` }),
      text: "x".repeat(100_000),
    },
    { what: "tree", call: () => directoryTree({ source: `${folder}/from`, path: `${folder}/to` }), text: "tree\n" },
  ])("is replaced with the $what, and nothing is written into the directory", async ({ call, text }) => {
    const host = taskHost(shell);
    expect(await converge(host, call())).toEqual({ checked: ["changed"], ran: ["changed"] });
    expect(lstatSync(`${folder}/to/lnk`).isFile()).toBe(true);
    expect(readFileSync(`${folder}/to/lnk`, "utf8")).toBe(text);
    expect([readdirSync(`${folder}/dir`), readdirSync(`${folder}/to`)]).toEqual([[], ["lnk"]]);
  });
});
