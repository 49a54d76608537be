import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { absent } from "../../core/facts/symbols.ts";
import { readKind } from "../../testing/read-kind.ts";
import { type Tree, tree, treeKind } from "./tree.ts";
import { treesContaining } from "./trees-containing.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-tree-kind-"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);
mkdirSync(at("odd/a = b%3D | c"), { recursive: true });
writeFileSync(at("odd/a = b%3D | c/back\\slash"), "hi\n");
writeFileSync(at("odd/-dash"), "");
writeFileSync(at("odd/!exclamation"), "");
writeFileSync(at("odd/%21"), "");
writeFileSync(at("odd/__proto__"), "");
chmodSync(at("odd/-dash"), 0o4711);
symlinkSync("to = %25  nowhere", at("odd/link"));
writeFileSync(at("odd/large"), "");
truncateSync(at("odd/large"), 17 * 1024 * 1024);
mkdirSync(at("bin"));
mkdirSync(at("many"));
for (let number = 0; number < 60; number += 1) writeFileSync(at(`many/\\ *${number}`), `${number}`);
mkdirSync(at("line"));
writeFileSync(at("line/a\nb"), "");

describe("the tree kind", () => {
  const questions = [tree(at("odd")), tree(at("none")), tree(at("odd/link")), tree(at("odd/-dash"))];

  test.each(["sh", "bash"])(
    "reads names of all kinds with %s, and prints each tree back as the lines that it was read from",
    async (shell) => {
      const answers = await readKind(questions, { shell: [shell, "-c"] });
      const [odd, none, link, file] = answers.map(({ value }) => value as Tree);
      expect(odd?.names).toEqual([
        "!exclamation",
        "%21",
        "-dash",
        ".",
        "__proto__",
        "a = b%3D | c",
        "a = b%3D | c/back\\slash",
        "large",
        "link",
      ]);
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
    },
  );

  const hashed = (shell: string, openssl: string): Promise<Tree> => {
    writeFileSync(at("bin/openssl"), `#!/bin/sh\n${openssl}\n`, { mode: 0o755 });
    return readKind([tree(at("many"))], {
      shell: ["env", `PATH=${at("bin")}:${process.env["PATH"]}`, shell, "-c"],
    }).then(([answer]) => answer?.value as Tree);
  };

  test.each([
    ["hashes with openssl", 'exec /usr/bin/openssl "$@"'],
    ["has no openssl", "exit 127"],
    ["has an openssl that fails halfway", "echo 'abc *./0'; exit 1"],
    ["has an openssl that prints something else", "echo 'SHA2-256(./0)= abc'"],
  ])("reads the same hashes for many files if the host %s", async (_, openssl) => {
    for (const shell of ["sh", "bash"]) {
      const { entries } = await hashed(shell, openssl);
      for (let number = 0; number < 60; number += 1) {
        expect(entries[`\\ *${number}`]?.sha256).toBe(createHash("sha256").update(`${number}`).digest("hex"));
      }
    }
  });

  test("reports the tree that contains a name with a newline", async () => {
    const [answer] = await readKind([tree(at("line"))]);
    expect(answer?.unreadable).toBe(`a name below ${at("line")} contains a line break`);
  });

  test.each(["sh", "bash"])(
    "reports a link whose target contains a line break, instead of a forged entry: %s",
    async (shell) => {
      mkdirSync(at("forged"), { recursive: true });
      rmSync(at("forged/link"), { force: true });
      symlinkSync("x\ns regular file|600|root|root|0|./shadow", at("forged/link"));
      const [answer] = await readKind([tree(at("forged"))], { shell: [shell, "-c"] });
      expect(answer?.unreadable).toBe(`the target of a link below ${at("forged")} contains a line break`);
      rmSync(at("forged/link"));
      symlinkSync("x\n", at("forged/link"));
      const [last] = await readKind([tree(at("forged"))], { shell: [shell, "-c"] });
      expect(last?.unreadable).toContain("contains a line break");
    },
  );

  test("treats a path as part of the trees at and above it", () => {
    expect(treesContaining("/srv/www")).toEqual(["tree:/srv/www", "tree:/srv", "tree:/"]);
  });
});
