import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { FrameItem, ItemResult, Session } from "../../../core/host/frame.ts";
import type { Step } from "../../../core/host/step.ts";
import { file } from "../../../facts/files/file.ts";
import { openFrameSession } from "./session.ts";
import { linkTo } from "../fixtures/shell-link.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-items-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
const open: Session[] = [];
afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
});
const never = new AbortController().signal;

async function openSession(shell: string): Promise<Session> {
  const options = { host: "here", link: linkTo(shell, folder), user: "root", become: undefined, signal: never };
  const session = await openFrameSession(options);
  open.push(session);
  return session;
}

const steps = (...list: Step[]): FrameItem => ({ item: "steps", task: "t", steps: list });
const runs = (...argv: string[]): Step => ({ step: "run", argv });

describe.each(["dash", "bash", "busybox"])("a session with %s", (shell) => {
  test("returns the facts that a guard read; a failed guard ends the frame, except for items that are always read", async () => {
    const session = await openSession(shell);
    const frame = (items: FrameItem[]): Promise<readonly ItemResult[]> =>
      session.frame({ items }, { output: () => {} }, never);
    const question = file("/");
    const lines = { group: "root", mode: "755", owner: "root", type: "directory" };
    expect(await frame([{ item: "guard", expected: [{ question, lines }] }, steps(runs("true"))])).toMatchObject([
      { held: true, answers: [{ value: { mode: "0755" } }] },
      { results: [{ exitCode: 0 }] },
    ]);
    const wrong = { ...lines, mode: "700" };
    expect(await frame([{ item: "guard", expected: [{ question, lines: wrong }] }, steps(runs("true"))])).toMatchObject(
      [{ held: false, answers: [{ value: { mode: "0755" } }] }, { item: "skipped" }],
    );
    const always = { item: "read", questions: [question], always: true } as const;
    expect(
      await frame([{ item: "guard", expected: [{ question, lines: wrong }] }, steps(runs("true")), always]),
    ).toMatchObject([{ held: false }, { item: "skipped" }, { answers: [{ value: { mode: "0755" } }] }]);
    expect(await frame([steps(runs("false")), always])).toMatchObject([{ failed: { index: 0 } }, { item: "skipped" }]);
  });

  test("reports each item when it is complete, even if the frame is split because content is sent separately", async () => {
    const session = await openSession(shell);
    const large = "x".repeat(70_000);
    const seen: string[] = [];
    const question = file(at("large"), ["sha256"]);
    const items: FrameItem[] = [
      { item: "read", questions: [question] },
      steps(runs("true"), { step: "writeFile", path: at("large"), text: large }, runs("true")),
      { item: "guard", expected: [{ question, lines: {}, open: ["*"] }] },
      steps(runs("sleep", "0.3")),
    ];
    const results = session.frame(
      { items },
      {
        output: () => {},
        item: (index, result) => seen.push(`${index} ${result.item === "steps" ? result.results.length : result.item}`),
      },
      never,
    );
    expect((await results).map(({ item }) => item)).toEqual(["read", "steps", "guard", "steps"]);
    expect(seen).toEqual(["0 read", "1 3", "2 guard", "3 1"]);
  });
});
