import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { FrameItem, Session } from "../../../core/host/frame.ts";
import { type FrameSessionOptions, openFrameSession } from "./session.ts";
import { askHangingKind } from "../fixtures/slow-kind.fixture.ts";
import { linkTo } from "../fixtures/shell-link.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-orders-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
const never = new AbortController().signal;
const sessions: Session[] = [];
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.close();
});

const base = userInfo().uid === 0 ? "/run/furrow" : `/tmp/furrow-${userInfo().uid}`;
/** The folder of these tests' session. Other sessions on this machine have their own. */
const sessionFolder = (): string =>
  readdirSync(base)
    .filter((name) => name.startsWith("at."))
    .map((name) => join(base, name))
    .find((path) => existsSync(join(path, "task")) && readFileSync(join(path, "task"), "utf8").includes(mine)) ??
  "none";
const mine = `of ${process.pid}`;

async function start(shell: string, more: Partial<FrameSessionOptions> = {}): Promise<Session> {
  const options = { host: "here", link: linkTo(shell, folder), user: "root", become: undefined, signal: never };
  const session = await openFrameSession({ ...options, ...more });
  sessions.push(session);
  return session;
}

let marks = 0;
/** The path of a file that a step creates when it begins. */
const begin = (): string => at(`begun-${(marks += 1)}`);
const there = (path: string): Promise<void> => vi.waitFor(() => expect(existsSync(path)).toBe(true), 60_000);

const steps = (task: string, script: string, more: { uncut?: boolean } = {}): FrameItem => ({
  item: "steps",
  task,
  title: `the task ${task} ${mine}`,
  steps: [{ step: "run", argv: ["sh", "-c", script], ...more }],
});

describe.each(["dash", "bash", "busybox", "mksh"])("a frame in %s", (shell) => {
  test("stops between two tasks when ordered to, and names the task before the stop", async () => {
    const stop = new AbortController();
    const begun = begin();
    const session = await start(shell, { stop: stop.signal });
    const notices: string[] = [];
    const frame = session.frame(
      { items: [steps("one", `touch ${begun}; sleep 0.8; echo well`), steps("two", `touch ${at(`two-${shell}`)}`)] },
      { output: () => {}, notice: (text) => notices.push(text) },
      never,
    );
    await there(begun);
    stop.abort();
    expect(await frame).toMatchObject([{ results: [{ exitCode: 0, stdout: "well\n" }] }, { item: "skipped" }]);
    expect(notices).toEqual([`stops after its task the task one ${mine}`]);
    expect(existsSync(at(`two-${shell}`))).toBe(false);
  });

  test("ends its step when ordered to, but never a package transaction", async () => {
    for (const uncut of [false, true]) {
      const kill = new AbortController();
      const begun = begin();
      const session = await start(shell);
      const frame = session.frame(
        { items: [steps("one", `touch ${begun}; sleep 1.5; echo well`, { uncut }), steps("two", "true")] },
        { output: () => {} },
        kill.signal,
      );
      await there(begun);
      kill.abort();
      const [first, second] = await frame;
      const ended = uncut ? { results: [{ exitCode: 0, stdout: "well\n" }] } : { failed: { index: 0 } };
      expect(first).toMatchObject(ended);
      expect(second).toEqual({ item: "skipped" });
      await session.close();
      sessions.pop();
    }
  });

  test("begins no new task after its lease has run out; a controller that is still alive then sends the rest of the frame", async () => {
    const session = await start(shell);
    const notices: string[] = [];
    const mark = at(`lease-${shell}`);
    const frame = session.frame(
      { items: [steps("one", "sleep 0.8; echo one"), steps("two", `echo x >>${mark}; echo two`)] },
      { output: () => {}, notice: (text) => notices.push(text) },
      never,
    );
    // On a busy machine, the task may start late.
    await vi.waitFor(() => expect(sessionFolder()).not.toBe("none"), 9000);
    writeFileSync(join(sessionFolder(), "lease"), "-1000\n");
    expect(await frame).toMatchObject([{ results: [{ stdout: "one\n" }] }, { results: [{ stdout: "two\n" }] }]);
    expect(notices).toEqual([expect.stringContaining("heard nothing from furrow for too long")]);
    expect(readFileSync(mark, "utf8")).toBe("x\n");
  });
});

describe("the lease of a run", () => {
  const run = { id: `life${process.pid}`, holder: "anna@laptop", since: "2026-11-21", waitSeconds: 120 };
  const claim = (): string =>
    join(base, readdirSync(base).find((file) => file.startsWith(`run.a.${run.id}.`)) ?? "none");
  const expire = (): void => writeFileSync(claim(), "-9 anna@laptop 2026-11-21\n");
  const now = (): string => readFileSync(claim(), "utf8");
  const renewed = /^\d+ anna@laptop 2026-11-21\n$/;

  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());

  test("is renewed while a frame with steps runs, and between frames", async () => {
    const session = await start("dash", { run });
    const frame = session.frame({ items: [steps("one", "sleep 2")] }, { output: () => {} }, never);
    await sleep(700);
    expire();
    vi.advanceTimersByTime(61_000);
    await expect.poll(now, { timeout: 9000 }).toMatch(renewed);
    await frame;
    await sleep(100);
    expire();
    vi.advanceTimersByTime(61_000);
    await expect.poll(now, { timeout: 9000 }).toMatch(renewed);
  });

  test("is renewed while a frame that only reads runs for minutes", async () => {
    const session = await start("dash", { run });
    await session.frame({ items: [] }, { output: () => {} }, never);
    const frame = session.frame({ items: [askHangingKind(6)] }, { output: () => {} }, never);
    await sleep(300);
    expire();
    vi.advanceTimersByTime(61_000);
    await expect.poll(now, { timeout: 9000 }).toMatch(renewed);
    await frame;
  });

  test("is renewed after a short frame that only reads if a heartbeat was due during the frame", async () => {
    const session = await start("dash", { run });
    await session.frame({ items: [] }, { output: () => {} }, never);
    vi.advanceTimersByTime(59_000);
    expire();
    // If a wait's checks take as long as the pauses between them, a check may be running whenever a heartbeat is due.
    const frame = session.frame({ items: [askHangingKind(1)] }, { output: () => {} }, never);
    await sleep(300);
    vi.advanceTimersByTime(2000);
    await frame;
    await expect.poll(now, { timeout: 9000 }).toMatch(renewed);
  });
});
