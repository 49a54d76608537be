import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
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
import type { UploadStep } from "../../../core/host/step.ts";
import { openShell } from "../../become.ts";
import { type Batch, batchesOf } from "./batch.ts";
import { CutLink, onLink } from "../fixtures/cut-link.fixture.ts";
import { localLink, shellsHere } from "../fixtures/local-shells.fixture.ts";
import { splitAtStaged } from "./frame-parts.ts";
import { performSteps, stepCodes } from "../fixtures/perform-steps.fixture.ts";
import { stageTogether } from "../upload/stage-batch.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-batch-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const never = new AbortController().signal;
const isRoot = process.getuid?.() === 0;

function upload(path: string, content: Buffer, more: Partial<UploadStep> = {}): UploadStep {
  const from = join(folder, `from-${createHash("sha256").update(path).digest("hex")}`);
  writeFileSync(from, content);
  const sha256 = createHash("sha256").update(content).digest("hex");
  return { step: "upload", from, path, sha256, bytes: content.length, ...more };
}

describe("files that are sent together", () => {
  const some = (count: number, more: Partial<UploadStep> = {}): UploadStep[] =>
    Array.from({ length: count }, (_, at) => upload(`/srv/site/${at}`, Buffer.from(`${at}`), more));

  test("are small, of known size, sent as the same user, and consecutive", () => {
    expect(batchesOf(some(3))).toMatchObject([{ first: 0, top: "/srv/site", entries: { length: 3 } }]);
    expect(batchesOf(some(2))).toEqual([]);
    expect(batchesOf(some(3, { user: "bob" }))).toEqual([]);
    expect(batchesOf(some(3, { bytes: 100_000_000 }))).toEqual([]);
    expect(batchesOf(some(3).map(({ step, from, path, sha256 }) => ({ step, from, path, sha256 })))).toEqual([]);
    expect(batchesOf([...some(3), ...some(3)]).map(({ first }) => first)).toEqual([0, 3]);
    expect(batchesOf(["/a/x", "/b/y", "/c/z"].map((path) => upload(path, Buffer.from(path))))).toEqual([]);
  });

  test("split the frame only once, before the first of them", () => {
    const item = { item: "steps", task: "t", steps: some(200) } as const;
    const parts = splitAtStaged([item]);
    expect(parts).toHaveLength(1);
    expect(parts[0]?.staged).toMatchObject({ item: 0, batch: { entries: { length: 200 } } });
  });
});

describe.each(shellsHere)("a batch staged and placed by %s", (shell) => {
  const open = () => openShell(localLink(shell, folder), { host: "here", signal: never, eager: true });
  const place = (name: string): string => {
    const path = join(folder, `${shell}-${name}`);
    mkdirSync(join(path, "sub"), { recursive: true });
    return path;
  };
  const contents = new Map<string, Buffer>();
  const stepsIn = (top: string, more: Partial<UploadStep> = {}): UploadStep[] =>
    ["one", "two.bin", "sub/three", "sub/four"].map((name) => {
      const content = randomBytes(name === "two.bin" ? 70_001 : 512);
      contents.set(`${top}/${name}`, content);
      return upload(`${top}/${name}`, content, { mode: "0640", ...more });
    });
  const only = (steps: readonly UploadStep[]): Batch => batchesOf(steps)[0] as Batch;

  /** Performs the steps. Returns the exit codes in the records, by step, and the messages on stderr. */
  function perform(steps: readonly UploadStep[]): { codes: string[]; said: string } {
    const said = performSteps(shell, [steps]);
    return { codes: stepCodes(said), said };
  }
  const allGood = { codes: ["0 0", "1 0", "2 0", "3 0"] };
  const expectPlaced = (steps: readonly UploadStep[]): void => {
    for (const { path } of steps) expect(readFileSync(path).equals(contents.get(path) as Buffer), path).toBe(true);
  };

  test("writes new files in full, with their mode, and leaves no staging files next to them", async () => {
    const top = place("new");
    const steps = stepsIn(top);
    await stageTogether(open, only(steps), never);
    expect(perform(steps)).toMatchObject(allGood);
    expectPlaced(steps);
    expect(statSync(`${top}/one`).mode & 0o777).toBe(0o640);
    expect(readdirSync(top).toSorted()).toEqual(["one", "sub", "two.bin"]);
  });

  test.runIf(isRoot)("keeps the owner and mode of a replaced file if none is given", async () => {
    const top = place("old");
    const steps = stepsIn(top).map(({ step, from, path, sha256, bytes = 0 }): UploadStep => ({
      step,
      from,
      path,
      sha256,
      bytes,
    }));
    writeFileSync(`${top}/one`, "before");
    chmodSync(`${top}/one`, 0o604);
    chownSync(`${top}/one`, 1234, 2345);
    await stageTogether(open, only(steps), never);
    expect(perform(steps)).toMatchObject(allGood);
    expectPlaced(steps);
    expect(statSync(`${top}/one`)).toMatchObject({ uid: 1234, gid: 2345, mode: 0o100604 });
  });

  test("sends only the missing part after a lost link", async () => {
    const top = place("cut");
    const steps = stepsIn(top);
    const link = localLink(shell, folder);
    const cut = new CutLink(link, 80_000);
    await expect(stageTogether(onLink(cut), only(steps), never)).rejects.toMatchObject({ code: "E_UNREACHABLE" });
    await expect.poll(() => existsSync(`${top}/.furrow.staged/0/two.bin`)).toBe(true);
    const again = new CutLink(link);
    await stageTogether(onLink(again), only(steps), never);
    expect(perform(steps)).toMatchObject(allGood);
    expectPlaced(steps);
    expect(readdirSync(top).toSorted()).toEqual(["one", "sub", "two.bin"]);
  });

  test("does not place content that was changed after staging, and places the rest", async () => {
    const top = place("forged");
    const steps = stepsIn(top);
    await stageTogether(open, only(steps), never);
    writeFileSync(`${top}/.furrow.staged/1/four`, "forged");
    const { codes, said } = perform(steps);
    expect(codes).toEqual(["0 0", "1 0", "2 0", "3 1"]);
    expect(said).toContain(`the content staged for ${top}/sub/four differs from what was sent`);
    expect(existsSync(`${top}/sub/four`)).toBe(false);
    await stageTogether(open, only(steps), never);
    expect(perform(steps)).toMatchObject(allGood);
    expectPlaced(steps);
  });

  test("does not follow a symlink that has taken the staging folder's place, and sends the contents one by one", async () => {
    const top = place("link");
    const elsewhere = place("elsewhere");
    symlinkSync(elsewhere, `${top}/.furrow.staged`);
    const steps = stepsIn(top);
    await stageTogether(open, only(steps), never);
    expect(perform(steps)).toMatchObject(allGood);
    expectPlaced(steps);
    expect(readdirSync(elsewhere)).toEqual(["sub"]);
  });

  test("reports a missing folder by name", async () => {
    const steps = stepsIn(join(folder, `${shell}-missing`));
    await expect(stageTogether(open, only(steps), never)).rejects.toMatchObject({ code: "E_STEP" });
  });
});
