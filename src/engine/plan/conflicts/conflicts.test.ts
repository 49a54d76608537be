import { describe, expect, test } from "vitest";
import { isFurrowError } from "../../../core/errors.ts";
import { block, type Node, on } from "../../../core/authoring/group.ts";
import { secretOf } from "../../../core/secrets/secret.ts";
import { secret } from "../../../core/secrets/secret-source.ts";
import * as t from "../../../../tasks/index.ts";
import { checkConflicts } from "./conflicts.ts";
import { planNodes } from "../plan.ts";

const path = "/etc/motd";
const content = (text: string, over: object = {}) => t.file({ path, content: text, ...over });
const line = (text: string) => t.fileLine({ path, line: text });
const setting = { target: "h", path: [], tags: [], when: [], become: undefined };
const pending = secret.env("A_PENDING_SECRET_OF_THIS_TEST");
const token = secretOf("hunter2", "token");

function refusal(nodes: readonly Node[]): Record<string, unknown> | undefined {
  try {
    checkConflicts(planNodes(nodes, setting, ""), { treeText });
    return undefined;
  } catch (error) {
    if (!isFurrowError(error) || error.code !== "E_CONFLICTING_WANTS") throw error;
    return { ...error.failure };
  }
}

describe("two tasks that want different values for one fact", () => {
  test("are refused, and the error names both places", () => {
    const nodes = [t.file({ path, content: "a\n" }), t.file({ path, content: "b\n" })];
    const sources = nodes.map(({ source = "" }) => source);
    expect(sources.every((source) => /\/conflicts\.test\.ts:\d+:\d+$/.test(source))).toBe(true);
    expect(refusal(nodes)).toMatchObject({
      what: "two tasks want different values for text of file:/etc/motd: they would undo each other in every run",
      details: [
        `"a\\n" is wanted by file /etc/motd at ${sources[0]}`,
        `"b\\n" is wanted by file /etc/motd at ${sources[1]}`,
      ],
      where: { source: sources[1] },
    });
  });

  test.each([
    { number: "GID 6001", of: (name: string) => t.group({ name, gid: 6001 }) },
    { number: "UID 6001", of: (name: string) => t.user({ name, uid: 6001 }) },
  ])("are refused if they give $number to two names, and the error names both places", ({ number, of }) => {
    const nodes = [of("a"), of("b")];
    expect(refusal(nodes)).toMatchObject({
      what: `two tasks assign the ${number} to different names`,
      details: [
        expect.stringMatching(/^"a" gets it from (group|user) a at .*conflicts\.test\.ts/),
        expect.stringMatching(/^"b" gets it from (group|user) b at .*conflicts\.test\.ts/),
      ],
      where: { source: nodes[1]?.source },
    });
    expect(refusal([of("a"), of("a"), on("other", [of("b")])])).toBeUndefined();
  });
  test("are accepted if a user's UID equals a group's GID", () => {
    expect(refusal([t.group({ name: "a", gid: 7 }), t.user({ name: "b", uid: 7 })])).toBeUndefined();
  });

  test.each<{ what: string; nodes: () => readonly Node[]; part: string }>([
    { what: "two modes", nodes: () => [content("a", { mode: "0644" }), content("a", { mode: "0600" })], part: "mode" },
    {
      what: "present and absent",
      nodes: () => [content("a"), t.file({ path, state: "absent" })],
      part: "file:/etc/motd",
    },
    { what: "content, then a line", nodes: () => [content("a\n"), line("b")], part: "text" },
    {
      what: "content, then a block",
      nodes: () => [content("a\n"), t.fileBlock({ path, block: "b\n" })],
      part: "text",
    },
    {
      what: "two GIDs for a group",
      nodes: () => [t.group({ name: "x", gid: 1 }), t.group({ name: "x", gid: 2 })],
      part: "gid",
    },
    { what: "two values for a parameter", nodes: () => [sysctl("1"), sysctl("2")], part: "sysctl:vm/swappiness" },
    {
      what: "two blocks with the same marker",
      nodes: () => [t.fileBlock({ path, block: "a\n" }), t.fileBlock({ path, block: "b\n" })],
      part: "text",
    },
    {
      what: "two lines that replace the same match",
      nodes: () => [t.fileLine({ path, line: "k=1", match: "^k=" }), t.fileLine({ path, line: "k=2", match: "^k=" })],
      part: "text",
    },
    {
      what: "a line present and absent",
      nodes: () => [line("a"), t.fileLine({ path, line: "a", state: "absent" })],
      part: "text",
    },
    {
      what: "a file, then the removal of its parent directory",
      nodes: () => [t.file({ path: "/srv/a/b/c", content: "x" }), gone("/srv/a")],
      part: "file:/srv/a/b/c",
    },
    {
      what: "the removal of a directory, then a file in it",
      nodes: () => [gone("/srv/a"), t.file({ path: "/srv/a/b", source: "./nowhere" })],
      part: "file:/srv/a/b",
    },
    {
      what: "a tree, then the removal of its parent directory",
      nodes: () => [t.directoryTree({ path: "/srv/a/b", source: "site" }), gone("/srv/a")],
      part: "file:/srv/a/b",
    },
    {
      what: "a tree, then a line in a file of the tree",
      nodes: () => [site(), t.fileLine({ path: "/srv/site/conf", line: "mine" })],
      part: "text of file:/srv/site/conf",
    },
    {
      what: "a block, then a tree that contains the file",
      nodes: () => [t.fileBlock({ path: "/srv/site/conf", block: "mine" }), site()],
      part: "text of file:/srv/site/conf",
    },
    {
      what: "a tree, and other content for one of its files",
      nodes: () => [site(), t.file({ path: "/srv/site/conf", content: "other\n" })],
      part: "text of file:/srv/site/conf",
    },
    {
      what: "a tree, and the removal of one of its files",
      nodes: () => [site(), t.file({ path: "/srv/site/conf", state: "absent" })],
      part: "file:/srv/site/conf",
    },
    { what: "inside groups", nodes: () => [block("a", [content("a")]), [[content("b")]]], part: "text" },
    {
      what: "with another task in between",
      nodes: () => [content("a"), content("a", { mode: "0644" }), content("b")],
      part: "text",
    },
    { what: "on another host", nodes: () => [on("other", [content("a")]), on("other", [content("b")])], part: "text" },
    { what: "secrets", nodes: () => [content(`${token}`), content("b")], part: "text" },
  ])("are refused: $what", ({ nodes, part }) => {
    expect(refusal(nodes())?.["what"]).toContain(part);
  });

  test("are refused without showing a secret", () => {
    expect(JSON.stringify(refusal([content(`x ${token}`), content("b")]))).toMatch(/«secret token»/);
    expect(JSON.stringify(refusal([content(`x ${token}`), content("b")]))).not.toContain("hunter2");
  });
});

const gone = (path: string) => t.file({ path, state: "absent", recursive: true });
const site = (over: object = {}) => t.directoryTree({ path: "/srv/site", source: "site", ...over });
/** The text of a file in the tree "site", which has two files. */
const treeText = (request: unknown, below: string): string | undefined => {
  const { path, exclude } = request as { readonly path: string; readonly exclude: readonly string[] };
  if (path !== "site" || exclude.includes(below)) return undefined;
  return { conf: "its\nown\n", "sub/x": "x" }[below];
};
const sysctl = (value: string) => t.sysctl({ key: "vm.swappiness", value, persist: false });

describe("two tasks that can both be satisfied", () => {
  test.each<{ what: string; nodes: () => readonly Node[] }>([
    { what: "the same twice", nodes: () => [content("a"), content("a")] },
    {
      what: "a file, and its parent directory",
      nodes: () => [content("a"), t.file({ path: "/etc", state: "directory" })],
    },
    { what: "content and attributes", nodes: () => [content("a"), content("a", { mode: "0600" })] },
    { what: "a line and another line", nodes: () => [line("a"), line("b"), t.fileBlock({ path, block: "c" })] },
    {
      what: "lines with different matches",
      nodes: () => [
        t.fileLine({ path, line: "k=1", match: "^k=" }),
        t.fileLine({ path, line: "l=2", match: "^l=" }),
        t.fileLine({ path, line: "old", state: "absent" }),
        t.fileBlock({ path, block: "c\n", insertBefore: "^k=" }),
      ],
    },
    { what: "content that contains the line", nodes: () => [content("a\nb\n"), line("b")] },
    {
      what: "two jobs in one crontab",
      nodes: () => [
        t.cron({ name: "a", schedule: "@daily", command: "a" }),
        t.cron({ name: "b", schedule: "@daily", command: "b" }),
      ],
    },
    { what: "files on two hosts", nodes: () => [content("a"), on("other", [content("b")])] },
    {
      what: "a task whose condition is false",
      nodes: () => [content("a"), block("never", [content("b")], { when: false })],
    },
    {
      what: "a task whose condition is not known yet",
      nodes: () => {
        const asked = t.command({ command: ["id"], always: true });
        return [asked, content("a"), block("maybe", [content("b")], { when: asked.changed })];
      },
    },
    {
      what: "a task whose params are not known yet",
      nodes: () => {
        const asked = t.command({ command: ["id"], always: true });
        return [asked, content("a"), t.file({ path, content: asked.output.map(({ stdout }) => stdout) })];
      },
    },
    {
      what: "a tree, and a line that a file in its source already contains",
      nodes: () => [site(), t.fileLine({ path: "/srv/site/conf", line: "own" })],
    },
    {
      what: "a tree, and a line in a file that the tree excludes",
      nodes: () => [site({ exclude: ["conf"] }), t.fileLine({ path: "/srv/site/conf", line: "mine" })],
    },
    {
      what: "a tree, and a line in another file below the tree's path",
      nodes: () => [site(), t.fileLine({ path: "/srv/site/local", line: "mine" })],
    },
    {
      what: "an absent directory, a file next to it, and the directory above it",
      nodes: () => [
        gone("/srv/a"),
        t.file({ path: "/srv/ab", content: "x" }),
        t.file({ path: "/srv", state: "directory" }),
      ],
    },
    {
      what: "an absent directory, and an absent file in it",
      nodes: () => [gone("/srv/a/b"), gone("/srv/a")],
    },
    {
      what: "an absent file in a directory, and the directory itself",
      nodes: () => [gone("/srv/a/b"), t.file({ path: "/srv/a", state: "directory" })],
    },
    { what: "a rescue", nodes: () => [block("a", [content("a")], { rescue: [content("b")] })] },
    { what: "two commands that run every time", nodes: () => [always(), always()] },
    { what: "a wait", nodes: () => [t.file({ path, state: "absent" }), t.waitFor({ path })] },
    { what: "a secret that has not been read yet", nodes: () => [content(`${pending}`), content(`${pending}`)] },
    { what: "two secrets that have not been read yet", nodes: () => [content(`${pending}`), content(`x${pending}`)] },
  ])("are accepted: $what", ({ nodes }) => {
    expect(refusal(nodes())).toBeUndefined();
  });
});

const always = () => t.command({ command: ["true"], always: true });
