import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { array, assert, asyncProperty, boolean, constantFrom, double, integer, record } from "fast-check";
import { afterAll, expect, test } from "vitest";
import { covered } from "../../../../test/covered.ts";
import { CutLink, onLink } from "../fixtures/cut-link.fixture.ts";
import { localLink, shellsHere } from "../fixtures/local-shells.fixture.ts";
import { type StageShape, stageContent } from "./resumable-upload.ts";
import { stagedPath } from "./stage-script.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-resume-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const { signal } = new AbortController();
const unit = 65_536;
const shape: StageShape = { aloneBytes: 0, blockBytes: () => unit, longMs: 0, lanes: { always: 2, more: 1 } };
/** Bytes written in addition to the content: scripts, and a line for each block. */
const beside = 16_384;

const transfers = record({
  shell: constantFrom(...shellsHere),
  bytes: integer({ min: 1, max: 12 * unit }),
  /** Where the link is cut, as a fraction of a whole transfer, for each attempt. */
  cuts: array(double({ min: 0.01, max: 1, noNaN: true }), { minLength: 1, maxLength: 4 }),
  alone: boolean(),
});

test("delivers content despite cuts at random bytes, and does not resend blocks that have arrived", async () => {
  let resumed = 0;
  let saved = 0;
  let number = 0;
  await assert(
    asyncProperty(transfers, async ({ shell, bytes, cuts, alone }) => {
      number += 1;
      const content = Buffer.from(Uint8Array.from({ length: bytes }, (_, index) => index * 7 + (index >> 8) + number));
      const sha256 = createHash("sha256").update(content).digest("hex");
      const from = join(folder, "from");
      writeFileSync(from, content);
      const step = { step: "upload", from, path: join(folder, `to-${number}`), sha256 } as const;
      const way = alone ? { ...shape, aloneBytes: Number.POSITIVE_INFINITY } : shape;
      for (const cut of cuts) {
        const link = new CutLink(localLink(shell, folder), Math.ceil(cut * (bytes + 4096)));
        // Only blocks that arrived before the cut may be on the host. A cut after the last byte has no effect.
        await stageContent(onLink(link), step, signal, way).catch(() => {});
        await settled(step.path);
      }
      const there = blocksThere(step.path, bytes);
      const last = new CutLink(localLink(shell, folder));
      await stageContent(onLink(last), step, signal, way);
      expect(last.written).toBeLessThanOrEqual(bytes - there + beside);
      const staged = readFileSync(stagedPath(step.path));
      expect(staged.subarray(0, bytes).equals(content)).toBe(true);
      expect(staged.subarray(bytes).toString()).toContain(`verified ${sha256}`);
      rmSync(stagedPath(step.path));
      if (there > 0) resumed += 1;
      saved += there;
    }),
    // Each transfer takes a second, so this test tries far fewer random cases than the tests with random playbooks.
    { numRuns: Math.ceil(Number(process.env["FURROW_PROPERTY_RUNS"] ?? 10_000) / 250) },
  );
  expect(resumed).toBeGreaterThan(number / 5);
  covered(
    `${number} contents cut and resumed; ${resumed} found blocks there, ${Math.round(saved / 1024)} KiB not sent again`,
  );
});

/** The total size, in bytes, of the blocks listed in the notes at the end of a staged file. */
function blocksThere(path: string, bytes: number): number {
  const file = readOr(stagedPath(path));
  const notes = file.subarray(bytes).toString("latin1").split("\n").slice(2);
  if (notes.some((note) => note.startsWith("verified"))) return bytes;
  const numbers = new Set(notes.filter((note) => /^\d+$/.test(note)).map(Number));
  return [...numbers].reduce((sum, number) => sum + Math.min(unit, bytes - number * unit), 0);
}

/** Waits until the processes of a cut link have seen the end of their input and exited. */
async function settled(path: string): Promise<void> {
  let before = "";
  for (let now = stateOf(path); now !== before; now = stateOf(path)) {
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

function stateOf(path: string): string {
  return createHash("sha256")
    .update(readOr(stagedPath(path)))
    .digest("hex");
}

function readOr(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
