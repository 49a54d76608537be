import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Node } from "../../src/core/authoring/group.ts";
import * as t from "../../tasks/index.ts";
import { runNodes } from "../tasks/on-host.ts";

type At = (path: string) => string;
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Runs tasks in a new folder. Returns the outcome of each task, and all warnings. */
async function ends(prepare: (at: At) => void, nodes: (at: At) => Node[], oneByOne: boolean): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "furrow-ahead-"));
  folders.push(folder);
  chmodSync(folder, 0o755);
  const at: At = (path) => join(folder, path);
  prepare(at);
  const events = await runNodes(["sh"], "apply", nodes(at), { oneByOne });
  return events.flatMap((event) => {
    if (event.type === "warning") return [event.text];
    return event.type === "taskFinished" ? [`${event.task.module} ${event.outcome}`] : [];
  });
}

const last = (at: At): Node => t.file({ path: at("last"), content: "performed last\n" });

describe("performs no step until every earlier task is decided, and gives the same result as running one task at a time, if", () => {
  test.each<{ what: string; prepare: (at: At) => void; nodes: (at: At) => Node[]; expected: string[] }>([
    {
      what: "a task that becomes another user changes nothing after a command that may have changed everything",
      prepare: (at) => {
        mkdirSync(at("sub"));
        writeFileSync(at("sub/conf"), "x\n");
      },
      nodes: (at) => [
        t.command({ command: ["true"], always: true }),
        t.file({ path: at("sub/conf"), content: "x\n" }, { become: "nobody" }),
        last(at),
      ],
      expected: ["command changed", "file ok", "file changed"],
    },
    {
      what: "a command gives a file a second name",
      prepare: (at) => {
        for (const name of ["one", "two"]) writeFileSync(at(name), "x\n");
      },
      nodes: (at) => [
        t.command({ command: ["ln", "-f", at("one"), at("two")], always: true }),
        t.fileLine({ path: at("one"), line: "y" }),
        t.fileLine({ path: at("two"), line: "x" }),
        last(at),
      ],
      expected: ["command changed", "fileLine changed", "fileLine ok", "file changed"],
    },
    {
      what: "a command gives a second name to a file that was just written",
      prepare: (at) => {
        for (const name of ["one", "two"]) writeFileSync(at(name), "x\n");
      },
      nodes: (at) => [
        t.fileLine({ path: at("one"), line: "y" }),
        t.fileLine({ path: at("two"), line: "y" }),
        t.command({ command: ["ln", "-f", at("one"), at("two")], always: true }),
        t.fileLine({ path: at("one"), line: "z" }),
        t.fileLine({ path: at("two"), line: "y" }),
        last(at),
      ],
      expected: [
        "fileLine changed",
        "fileLine changed",
        "command changed",
        "fileLine changed",
        "fileLine ok",
        "file changed",
      ],
    },
    {
      what: "a command creates the directories above the file that it declares",
      prepare: () => {},
      nodes: (at) => [
        t.command({
          command: ["sh", "-c", `mkdir -p ${at("a/b")} && echo >${at("a/b/made")}`],
          creates: at("a/b/made"),
          disturbs: [`file:${at("a/b/made")}`],
        }),
        t.file({ path: at("a/b"), state: "directory" }),
        last(at),
      ],
      expected: ["command changed", "file ok", "file changed"],
    },
    {
      what: "the name of a file's directory contains a star, and also matches the name that a command creates",
      prepare: (at) => {
        for (const name of ["*.example.com", "www.example.com"]) mkdirSync(at(name));
      },
      nodes: (at) => [
        t.file({ path: at("*.example.com/cert.pem"), content: "x\n" }),
        t.command({ command: ["false"], creates: at("www.example.com") }),
        t.command({ command: ["sh", "-c", `echo once >>${at("log")}`], always: true, disturbs: [] }),
        t.command({ command: ["sh", "-c", `test "$(cat ${at("log")})" = once`], always: true, disturbs: [] }),
        last(at),
      ],
      expected: ["file changed", "command ok", "command changed", "command changed", "file changed"],
    },
    ...["*", "**", "!x", "[a]", "?", "{a,b}", "[*]"].map((name) => ({
      what: `a file is created in the directory ${name}, and then another one next to that directory`,
      prepare: (at: At) => mkdirSync(at(name)),
      nodes: (at: At) => [
        t.file({ path: at(`${name}/q`), content: "x\n" }),
        t.file({ path: at("a"), content: "x\n" }),
        t.command({ command: ["sh", "-c", `echo once >>${at("log")}`], always: true, disturbs: [] }),
        t.command({ command: ["sh", "-c", `test "$(cat ${at("log")})" = once`], always: true, disturbs: [] }),
        last(at),
      ],
      expected: ["file changed", "file changed", "command changed", "command changed", "file changed"],
    })),
    {
      what: "a task asks where a link leads",
      prepare: (at) => {
        mkdirSync(at("releases"));
        mkdirSync(at("releases/7"));
        symlinkSync("releases/7", at("current"));
      },
      nodes: (at) => [
        t.file({ path: at("current/first.conf"), content: "x\n" }),
        t.command({ command: ["true"], always: true }),
        t.file({ path: at("current/second.conf"), content: "x\n" }),
        last(at),
      ],
      expected: ["file changed", "command changed", "file changed", "file changed"],
    },
  ])("$what", async ({ prepare, nodes, expected }) => {
    expect(await ends(prepare, nodes, false)).toEqual(expected);
    expect(await ends(prepare, nodes, true)).toEqual(expected);
  });
});
