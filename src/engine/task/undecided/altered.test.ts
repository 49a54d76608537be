import { expect, test } from "vitest";
import { type Node, playbook } from "../../../authoring.ts";
import { simulate } from "../../../testing/index.ts";
import * as t from "../../../../tasks/index.ts";

const file = { type: "file", mode: "0644", owner: "root", group: "root" };
const state = {
  "file:/srv": { type: "directory", mode: "0755", owner: "root", group: "root" },
  "file:/srv/a": { ...file, text: "right\n" },
  "file:/srv/b": { ...file, text: "right\n" },
};

const outcomes = async (tasks: () => Node[]): Promise<string[]> => {
  const book = playbook({ name: "test", plays: [{ hosts: "all", become: true, tasks }] });
  const done = await simulate(book, { hosts: ["a"], mode: "check", state: { a: state } });
  return done.tasks.map(({ outcome }) => outcome);
};
const both = (): Node[] => ["a", "b"].map((name) => t.file({ path: `/srv/${name}`, content: "right\n" }));
const wrong = { command: "echo wrong >/srv/a", always: true } as const;

test("check does not report a file as ok if an earlier command declares that it changes the file, even if the file is correct", async () => {
  expect(await outcomes(() => [t.command({ ...wrong, disturbs: ["file:/srv/a"] }), ...both()])).toEqual([
    "changed",
    "undecided",
    "ok",
  ]);
});

test("a command that declares that it only provides a file is assumed to leave a correct file as it is", async () => {
  const mayProvide = ["file:/srv/a"];
  expect(await outcomes(() => [t.command({ ...wrong, disturbs: mayProvide, mayProvide }), ...both()])).toEqual([
    "changed",
    "ok",
    "ok",
  ]);
});

test("a command that declares nothing is assumed to leave later tasks' files alone, as its docs say", async () => {
  expect(await outcomes(() => [t.command(wrong), ...both()])).toEqual(["changed", "ok", "ok"]);
});
