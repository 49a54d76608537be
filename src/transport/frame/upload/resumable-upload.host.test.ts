import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openShell } from "../../become.ts";
import { localLink, shellsHere } from "../fixtures/local-shells.fixture.ts";
import { type StageShape, stageContent } from "./resumable-upload.ts";
import { stagedPath } from "./stage-script.ts";
import { CutLink, onLink } from "../fixtures/cut-link.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-stage-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
const never = new AbortController().signal;
const unit = 65_536;

/** Small blocks, so that even short content consists of many blocks. */
const shape: StageShape = { aloneBytes: 0, blockBytes: () => unit, longMs: 0, lanes: { always: 2, more: 1 } };
const alone: StageShape = { ...shape, aloneBytes: Number.POSITIVE_INFINITY };

function source(name: string, bytes: number): { from: string; content: Buffer; sha256: string } {
  const content = randomBytes(bytes);
  writeFileSync(at(name), content);
  return { from: at(name), content, sha256: createHash("sha256").update(content).digest("hex") };
}

/** The content staged for a path, without the notes after it. */
function staged(path: string, size: number): Buffer {
  return readFileSync(stagedPath(path)).subarray(0, size);
}

describe.each(shellsHere)("content staged through %s", (shell) => {
  const link = localLink(shell, folder);
  const open = () => openShell(link, { host: "here", signal: never, eager: true });

  test.each([0, 1, unit - 1, unit, unit + 1, 5 * unit + 17])(
    "arrives in full if it has %i bytes, over one lane and over several",
    async (bytes) => {
      const { from, content, sha256 } = source(`from-${shell}`, bytes);
      for (const way of [alone, shape]) {
        const path = at(`to-${shell}-${bytes}-${way === alone ? "alone" : "abreast"}`);
        await stageContent(open, { step: "upload", from, path, sha256 }, never, way);
        expect(staged(path, bytes).equals(content)).toBe(true);
        expect(readFileSync(stagedPath(path)).subarray(bytes).toString()).toContain(`verified ${sha256} ${bytes}\n`);
        expect(statSync(stagedPath(path)).mode & 0o777).toBe(0o600);
      }
    },
  );

  test("is on the disk before the host notes that it arrived, because a power loss could otherwise leave a wrong file", async () => {
    const { from, sha256 } = source(`durable-${shell}`, 3 * unit);
    for (const way of [alone, shape]) {
      const path = at(`durable-to-${shell}-${way === alone ? "alone" : "abreast"}`);
      const log = `${path}.log`;
      mkdirSync(at(`bin-${shell}`), { recursive: true });
      writeFileSync(
        at(`bin-${shell}/sync`),
        `#!/bin/sh\necho "$(readlink -f "$1") $(grep -ac '^verified ' "$1")" >>${log}\n`,
      );
      chmodSync(at(`bin-${shell}/sync`), 0o755);
      await stageContent(open, { step: "upload", from, path, sha256 }, never, way);
      rmSync(at(`bin-${shell}/sync`));
      expect(readFileSync(log, "utf8")).toBe(`${stagedPath(path)} 0\n`);
    }
  });

  test("has only its corrupted blocks sent again", async () => {
    const { from, content, sha256 } = source(`flip-${shell}`, 6 * unit);
    const path = at(`flipped-${shell}`);
    const cut = new CutLink(link, 4 * unit);
    await expect(stageContent(onLink(cut), { step: "upload", from, path, sha256 }, never, shape)).rejects.toMatchObject(
      { code: "E_UNREACHABLE" },
    );
    const arrived = readFileSync(stagedPath(path));
    arrived.fill(0, 0, 6 * unit);
    writeFileSync(stagedPath(path), arrived);
    await stageContent(open, { step: "upload", from, path, sha256 }, never, shape);
    expect(staged(path, content.length).equals(content)).toBe(true);
  });

  test("replaces different content or a link, and fails in a missing folder", async () => {
    const { from, content, sha256 } = source(`next-${shell}`, 3 * unit);
    const path = at(`next-to-${shell}`);
    writeFileSync(stagedPath(path), `${"x".repeat(3 * unit)}\n${"0".repeat(64)} ${3 * unit}\n0\n1\n2\n`);
    await stageContent(open, { step: "upload", from, path, sha256 }, never, shape);
    expect(staged(path, content.length).equals(content)).toBe(true);

    writeFileSync(at(`victim-${shell}`), "untouched");
    rmSync(stagedPath(path));
    symlinkSync(at(`victim-${shell}`), stagedPath(path));
    await stageContent(open, { step: "upload", from, path, sha256 }, never, shape);
    expect(lstatSync(stagedPath(path)).isFile()).toBe(true);
    expect(readFileSync(at(`victim-${shell}`), "utf8")).toBe("untouched");

    const nowhere = { step: "upload", from, path: at("no-such-folder/file"), sha256 } as const;
    await expect(stageContent(open, nowhere, never, shape)).rejects.toMatchObject({
      code: "E_STEP",
      failure: { current: expect.stringMatching(/no-such-folder|directory/i) as string },
    });
  });
});

describe("content that changes or cannot be read on the controller", () => {
  const open = () => openShell(localLink("dash", folder), { host: "here", signal: never, eager: true });

  test("is refused if it differs from the hashed content", async () => {
    const { from } = source("changing", 2 * unit);
    const step = { step: "upload", from, path: at("changed"), sha256: "0".repeat(64) } as const;
    await expect(stageContent(open, step, never, shape)).rejects.toMatchObject({
      code: "E_FILE",
      message: expect.stringContaining("changed while it was being sent") as string,
    });
    expect(existsSync(stagedPath(step.path))).toBe(false);
  });

  test("is refused if the file was deleted", async () => {
    const step = { step: "upload", from: at("gone"), path: at("x"), sha256: "" } as const;
    await expect(stageContent(open, step, never)).rejects.toMatchObject({ code: "E_FILE" });
  });

  test("is no longer sent after an interruption", async () => {
    const { from, sha256 } = source("long", 8 * unit);
    const controller = new AbortController();
    const step = { step: "upload", from, path: at("interrupted"), sha256 } as const;
    const staging = stageContent(open, step, controller.signal, shape);
    controller.abort();
    await expect(staging).rejects.toMatchObject({ code: "E_INTERRUPTED" });
  });

  test("is sent by the keeper alone if no lane opens", async () => {
    const { from, content, sha256 } = source("refused", 5 * unit);
    let opened = 0;
    const few = async () => {
      opened += 1;
      if (opened > 1) throw new Error("no more channels");
      return open();
    };
    await stageContent(few, { step: "upload", from, path: at("few"), sha256 }, never, shape);
    expect(staged(at("few"), content.length).equals(content)).toBe(true);
    expect(readdirSync(folder).filter((name) => name.startsWith(".few"))).toEqual([".few.furrow"]);
  });
});
