import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { FrameItem, Session } from "../../../core/host/frame.ts";
import { openFrameSession } from "../session/session.ts";
import { linkTo } from "../fixtures/shell-link.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-waiting-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const never = new AbortController().signal;

function start(shell: string, id: string): Promise<Session> {
  const run = { id, holder: "anna@laptop", since: "2026-11-21", waitSeconds: 120 };
  const options = { host: "here", link: linkTo(shell, folder), user: "root", become: undefined, signal: never };
  return openFrameSession({ ...options, run });
}

const acts: FrameItem = { item: "steps", task: "t", steps: [{ step: "run", argv: ["true"] }] };

/** The files that a run has left on the host. */
const left = (id: string): string[] =>
  ["/run/furrow", `/tmp/furrow-${userInfo().uid}`]
    .flatMap((base) => (existsSync(base) ? readdirSync(base) : []))
    .filter((name) => name.includes(`.${id}.`));

test.each(["dash", "bash", "busybox", "mksh"])(
  "keeps the journal of a run in %s that had to wait, even though the run before it removed its own files",
  async (shell) => {
    const [one, two] = [`one${process.pid}${shell}`, `two${process.pid}${shell}`];
    const first = await start(shell, one);
    await first.frame({ items: [acts] }, { output: () => {} }, never);
    const second = await start(shell, two);
    const notices: string[] = [];
    const waiting = second.frame({ items: [acts] }, { output: () => {}, notice: (text) => notices.push(text) }, never);
    await expect.poll(() => notices, { timeout: 120_000 }).not.toEqual([]);
    await first.close();
    expect(await waiting).toMatchObject([{ results: [{ exitCode: 0 }] }]);
    expect(notices.filter((text) => text.includes("journal"))).toEqual([]);
    expect(left(two).length).toBeGreaterThan(1);
    await second.close();
    await expect.poll(() => left(two), { timeout: 120_000 }).toEqual([]);
  },
);
