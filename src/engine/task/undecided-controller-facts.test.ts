import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import * as t from "../../../tasks/index.ts";
import type { Node } from "../../core/authoring/group.ts";
import { playbook } from "../../core/authoring/playbook.ts";
import { refuse } from "../../core/authoring/refusal.ts";
import { task } from "../../core/authoring/task.ts";
import { localFile } from "../../facts/controller/local-file.ts";
import { simulate } from "../../testing/simulate.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-undecided-"));
const tree = join(folder, "tr");
const source = join(folder, "app.conf");

beforeAll(() => {
  mkdirSync(tree);
  writeFileSync(join(tree, "a"), "a\n");
  writeFileSync(source, "x = 1\n");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The outcomes of tasks in check mode. */
async function checked(tasks: () => Node[]): Promise<string[]> {
  const book = playbook({ name: "undecided", plays: [{ hosts: "a", tasks }] });
  return (await simulate(book, { hosts: ["a"], mode: "check" })).tasks.map(({ outcome }) => outcome);
}

/** A task with a param that is unknown in check mode. */
const unknownMode = (): [Node, string] => {
  const asks = t.command({ command: ["/usr/bin/id", "-u"], always: true });
  return [asks, asks.output.map(({ stdout }) => stdout.trim()) as unknown as string];
};

test("a source on the controller is still known after an undecided directoryTree with the same source", async () => {
  const paths = ["/srv/po/x", "/srv/po/x/sub", "/srv/elsewhere"];
  expect(await checked(() => paths.map((path) => t.directoryTree({ source: tree, path })))).toEqual([
    "changed",
    "undecided",
    "changed",
  ]);
});

test.each([
  { title: "file", copy: (path: string, mode?: string) => t.file({ source, path, mode }) },
  {
    title: "directoryTree",
    copy: (path: string, fileMode?: string) => t.directoryTree({ source: tree, path, fileMode }),
  },
])("a source is still known after an undecided $title that reads it", async ({ copy }) => {
  const tasks = (): Node[] => {
    const [asks, mode] = unknownMode();
    return [asks, copy("/srv/one", mode), copy("/srv/two")];
  };
  expect((await checked(tasks)).slice(1)).toEqual(["undecided", "changed"]);
});

test("a copy on the controller is unknown after an undecided fetch", async () => {
  const tasks = (): Node[] => {
    const [asks, mode] = unknownMode();
    return [asks, t.fetch({ path: "/etc/hostname", to: source, mode }), t.file({ source, path: "/srv/two" })];
  };
  expect((await checked(tasks)).slice(1)).toEqual(["undecided", "undecided"]);
});

test("a source is still known after an undecided task that has no steps, and after one that may be skipped", async () => {
  const looks = task({
    name: "looks",
    summary: "Look",
    params: z.strictObject({ source: z.string(), about: z.string() }),
    examples: [],
  })
    .facts((p) => ({ found: localFile(p.source) }))
    .want((p) => (p.about === "x" ? refuse({ code: "about-x", message: "about x" }) : {}))
    .steps(() => []);
  const tasks = (): Node[] => {
    const asks = t.command({ command: ["/usr/bin/id", "-u"], always: true });
    const about = asks.output.map(({ stdout }) => stdout);
    const maybe = asks.output.map(({ stdout }) => stdout === "0");
    return [
      asks,
      looks({ source, about }),
      looks({ source, about: "y" }, { when: maybe }),
      t.file({ source, path: "/srv/two" }),
    ];
  };
  expect((await checked(tasks)).slice(1)).toEqual(["undecided", "undecided", "changed"]);
});
