import { chmodSync, mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { decodeBytes } from "../../core/host/bytes.ts";
import { reveal, seal } from "../../core/secrets/secret.ts";
import { absent } from "../../core/facts/symbols.ts";
import { readKind } from "../../testing/read-kind.ts";
import { file, fileKind } from "./file.ts";
import { fileFunctions } from "./file-script.ts";
import { gone } from "./hidden-path.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-file-"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);
const bytes = Buffer.from([0x68, 0xff, 0x00, 0x0a, 0xc3, 0xa9]);
writeFileSync(at("it's | here"), bytes);
chmodSync(at("it's | here"), 0o4640);
writeFileSync(at("empty"), "");
mkdirSync(at("dir"));
symlinkSync("no where\n", at("link"));

describe("the file kind", () => {
  const questions = [
    file(at("missing"), ["text", "sha256", "size"]),
    file(at("it's | here"), ["text", "sha256", "size"]),
    file(at("dir"), ["text", "sha256"]),
    file(at("empty"), ["sha256", "text"]),
    file(at("link"), ["sha256"]),
    file(at("it's | here"), ["text"], { secret: true }),
    file(at("it's | here"), ["hidden"], { secret: true }),
  ];

  test("reads many paths in the given order, and prints each value back as the lines that it was read from", async () => {
    const answers = await readKind(questions);
    const [missing, odd, directory, empty, link, sealed, hidden] = answers.map(
      ({ value }) => value as Record<string, unknown>,
    );
    expect(missing).toBe(absent);
    expect(odd).toMatchObject({ type: "file", mode: "4640", size: 6, text: decodeBytes(bytes) });
    expect(directory).toMatchObject({ type: "directory" });
    expect(directory).not.toHaveProperty("sha256");
    expect(empty).toMatchObject({ text: "", sha256: expect.stringMatching(/^e3b0c44298fc/) as string });
    expect(link).toMatchObject({ type: "link", target: "no where\n" });
    expect(sealed).toMatchObject({ seal: seal(bytes) });
    expect(sealed).not.toHaveProperty("text");
    expect(hidden).toMatchObject({ seal: seal(bytes) });
    expect(JSON.stringify(hidden)).toContain(`"text":"«secret ${at("it's").split(" ")[0]}`);
    expect(reveal(hidden?.["text"] as string)).toBe(decodeBytes(bytes));
    for (const [index, { value, lines }] of answers.entries()) {
      const question = questions[index] ?? file("/");
      expect(fileKind.print?.(value as never, question)).toEqual(lines);
    }
  });

  test("predicts the hash of a predicted text, and leaves unspecified parts of a new file unknown", () => {
    const predicted = fileKind.predict?.(absent, { type: "file", text: "" }, { user: "root" });
    expect(predicted).toMatchObject({
      sha256: expect.stringMatching(/^e3b0c44298fc/) as string,
      owner: "root",
      mode: "0644",
    });
  });
});

test("recognizes every message that means that a path does not exist", () => {
  expect(gone.filter((message) => !fileFunctions.includes(`*'${message}'`))).toEqual([]);
});
