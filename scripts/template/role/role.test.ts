import { expect, test } from "vitest";
import { exampleRole } from "./role.ts";

test("exampleRole lists its tasks in order", () => {
  const { children } = exampleRole({ folder: "/srv/example", note: "hello" });
  expect(children).toMatchObject([
    { input: { path: "/srv/example", state: "directory" } },
    { input: { path: "/srv/example/note.txt", content: "hello\n" } },
  ]);
});

test("exampleRole refuses wrong params", () => {
  expect(() => exampleRole({ folder: "srv", note: "hello" })).toThrow(/wrong value for param "folder"/);
});
