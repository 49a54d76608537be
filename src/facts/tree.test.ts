import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { absent } from "../core/symbols.ts";
import { readKind } from "../testing/read-kind.ts";
import { type Tree, tree, treeKind } from "./tree.ts";
import { treesAround } from "./trees-around.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-tree-kind-"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);
mkdirSync(at("odd/a = b%3D | c"), { recursive: true });
writeFileSync(at("odd/a = b%3D | c/back\\slash"), "hi\n");
writeFileSync(at("odd/-dash"), "");
chmodSync(at("odd/-dash"), 0o4711);
symlinkSync("to = %25  nowhere", at("odd/link"));
writeFileSync(at("odd/large"), "");
truncateSync(at("odd/large"), 17 * 1024 * 1024);
mkdirSync(at("line"));
writeFileSync(at("line/a\nb"), "");

describe("the tree kind", () => {
  const questions = [tree(at("odd")), tree(at("none")), tree(at("odd/link")), tree(at("odd/-dash"))];

  test.each(["sh", "bash"])("reads names of all sorts with %s, and prints what it parses", async (shell) => {
    const answers = await readKind(questions, { shell: [shell, "-c"] });
    const [odd, none, link, file] = answers.map(({ value }) => value as Tree);
    expect(odd?.names).toEqual(["-dash", ".", "a = b%3D | c", "a = b%3D | c/back\\slash", "large", "link"]);
    expect(odd?.entries).toMatchObject({
      ".": { type: "directory" },
      "-dash": { mode: "4711", sha256: expect.stringMatching(/^e3b0c442/) as string },
      "a = b%3D | c/back\\slash": { type: "file", sha256: expect.stringMatching(/^98ea6e4f/) as string },
      link: { type: "link", target: "to = %25  nowhere" },
    });
    expect(odd?.entries["large"]).not.toHaveProperty("sha256");
    expect(none).toBe(absent);
    expect([link?.entries["."]?.type, file?.entries["."]?.type]).toEqual(["link", "file"]);
    answers.forEach(({ value, lines }, index) => {
      expect(treeKind.print?.(value as never, questions[index]!)).toEqual(lines);
    });
  });

  test("says which tree has a name with a newline", async () => {
    const [answer] = await readKind([tree(at("line"))]);
    expect(answer?.unreadable).toBe(`a name below ${at("line")} has a newline in it`);
  });

  test("a path is part of the trees at and above it", () => {
    expect(treesAround("/srv/www")).toEqual(["tree:/srv/www", "tree:/srv", "tree:/"]);
  });
});
