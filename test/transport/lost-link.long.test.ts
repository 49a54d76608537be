import { existsSync, readdirSync, readFileSync, writeFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { FrameItem, ItemResult, Session, StepOutput } from "../../src/core/host/frame.ts";
import { file } from "../../src/facts/files/file.ts";
import { openFrameSession, type FrameSessionOptions } from "../../src/transport/frame/session/session.ts";
import type { RunClaim } from "../../src/transport/frame/lock/wait-for-lock.ts";
import { SshTransport } from "../../src/transport/ssh/ssh.ts";
import { type Proxy, startProxy } from "./ssh/proxy.ts";
import { addressOf, makeKey, removeFolders, startSshd, temporaryFolder } from "./sshd.ts";
import type { Sshd } from "./sshd.ts";

const { signal } = new AbortController();
const folder = temporaryFolder();
const key = makeKey(folder, "id");
const at = (name: string): string => join(folder, name);
let sshd: Sshd;
let proxy: Proxy;
const open: Session[] = [];

beforeAll(async () => {
  sshd = await startSshd({ authorizedKeys: [key] });
});
afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
  await proxy.close();
});
afterAll(async () => {
  await sshd.stop();
  removeFolders();
});

async function start(more: Partial<FrameSessionOptions> = {}): Promise<{ session: Session; notices: string[] }> {
  proxy ??= await startProxy(sshd.port);
  const transport = new SshTransport();
  const address = addressOf(proxy.port, { identityFiles: [key], keepaliveSeconds: 1 });
  const link = await transport.connect(address, signal);
  const options = { host: "web1", link, relink: (again: AbortSignal) => transport.connect(address, again) };
  const session = await openFrameSession({ ...options, user: "root", become: undefined, signal, ...more });
  open.push(session);
  return { session, notices: [] };
}

const steps = (task: string, script: string): FrameItem => ({
  item: "steps",
  task,
  steps: [{ step: "run", argv: ["sh", "-c", script] }],
});
const once = (name: string, more = ""): string => `echo x >>${at(name)}; ${more}`;
const times = (name: string): number => readFileSync(at(name), "utf8").split("x").length - 1;
const runNamed = (name: string): RunClaim => ({
  id: `${name}${process.pid}`,
  holder: "anna@laptop",
  since: "2026-11-21T10:00:00Z",
  waitSeconds: 120,
});
/** Files that a run has left on the host. */
const left = (name: string): string[] =>
  existsSync("/run/furrow")
    ? readdirSync("/run/furrow").filter((file) => file.includes(`.${name}${process.pid}.`))
    : [];
/** A shell line that makes a step wait until the test creates a file. */
const held = (name: string): string => `until [ -e ${at(`go-${name}`)} ]; do sleep 0.05; done`;
const letGo = (name: string): void => writeFileSync(at(`go-${name}`), "");
/** Waits until the step with this mark is running on the host. */
async function begun(mark: string): Promise<void> {
  await expect.poll(() => existsSync(at(mark)), { timeout: 120_000 }).toBe(true);
}

describe("a frame whose connection is lost", () => {
  const losses: readonly [string, () => void][] = [
    ["reset", () => proxy.cut()],
    ["half open", () => proxy.freeze()],
  ];
  test.each(losses)("continues while the connection is %s, and its whole answer arrives", async (name, lose) => {
    proxy = await startProxy(sshd.port);
    const { session, notices } = await start();
    const mark = `once-${name.replace(" ", "-")}`;
    const output: StepOutput[] = [];
    const frame = session.frame(
      {
        items: [
          steps("one", once(mark, `echo before; ${held(mark)}; echo after`)),
          steps("two", once(mark, "echo second")),
          { item: "read", questions: [file(at(mark), ["text"])] },
        ],
      },
      { output: (part) => output.push(part), notice: (text) => notices.push(text) },
      signal,
    );
    await begun(mark);
    lose();
    letGo(mark);
    expect(await frame).toMatchObject([
      { results: [{ exitCode: 0, stdout: "before\nafter\n" }] },
      { results: [{ stdout: "second\n" }] },
      { answers: [{ value: { text: "x\nx\n" } }] },
    ]);
    expect(output.map(({ text }) => text).join("")).toBe("before\nafter\nsecond\n");
    expect(notices[0]).toMatch(/^the connection was lost .*; the host kept working in the meantime$/);
  });

  test(
    "runs once and gives the same answer, no matter at which byte the connection breaks",
    { timeout: 600_000 },
    async () => {
      proxy = await startProxy(sshd.port);
      const { session } = await start();
      const items = (round: number): FrameItem[] => [
        steps("one", once(`bytes-${round}`, `echo ${"y".repeat(2000)}`)),
        { item: "read", questions: [file(at(`bytes-${round}`), ["text"])] },
      ];
      for (let round = 0; round < 25; round += 1) {
        if (round > 0) proxy.after(1 + ((round * 797) % 9000), () => (round % 3 === 2 ? proxy.freeze() : proxy.cut()));
        const results: readonly ItemResult[] = await session.frame(
          { items: items(round) },
          { output: () => {} },
          signal,
        );
        expect(results).toMatchObject([{ results: [{ exitCode: 0 }] }, { answers: [{ value: { text: "x\n" } }] }]);
        expect(times(`bytes-${round}`)).toBe(1);
      }
    },
  );

  test("uses a new connection if the old connection broke between frames", async () => {
    proxy = await startProxy(sshd.port);
    const { session } = await start();
    await session.frame({ items: [steps("one", "true")] }, { output: () => {} }, signal);
    proxy.cut();
    const [result] = await session.frame({ items: [steps("two", "echo here")] }, { output: () => {} }, signal);
    expect(result).toMatchObject({ results: [{ stdout: "here\n" }] });
  });

  test("is resumed if the host becomes reachable before the deadline, and fails otherwise", async () => {
    proxy = await startProxy(sshd.port);
    const { session } = await start({ reconnectSeconds: 30 });
    const waits = once("waits", `${held("waits")}; echo done`);
    const frame = session.frame({ items: [steps("one", waits)] }, { output: () => {} }, signal);
    await begun("waits");
    proxy.refuse(true);
    proxy.cut();
    setTimeout(() => proxy.refuse(false), 3000);
    letGo("waits");
    expect(await frame).toMatchObject([{ results: [{ stdout: "done\n" }] }]);

    const { session: hopeless } = await start({ reconnectSeconds: 1 });
    const script = once("hopeless", held("hopeless"));
    const lost = hopeless.frame({ items: [steps("one", script)] }, { output: () => {} }, signal);
    await begun("hopeless");
    proxy.refuse(true);
    proxy.cut();
    await expect(lost).rejects.toMatchObject({ code: "E_UNREACHABLE" });
    letGo("hopeless");
    proxy.refuse(false);
  });

  test("gets its answer from another shell if its shell on the host is killed", async () => {
    proxy = await startProxy(sshd.port);
    const { session } = await start({ run: runNamed("shellkill") });
    const script = once("shell", `${held("shell")}; echo well`);
    const frame = session.frame({ items: [steps("one", script)] }, { output: () => {} }, signal);
    await begun("shell");
    const claim = left("shellkill").find((name) => name.startsWith("run.a."));
    process.kill(Number(claim?.split(".")[4]), "SIGKILL");
    letGo("shell");
    expect(await frame).toMatchObject([{ results: [{ stdout: "well\n" }] }]);
    expect(times("shell")).toBe(1);
  });

  test("leaves nothing on the host", async () => {
    proxy = await startProxy(sshd.port);
    const { session } = await start({ run: runNamed("cleanup") });
    const script = once("leaves", held("leaves"));
    const frame = session.frame({ items: [steps("one", script)] }, { output: () => {} }, signal);
    await begun("leaves");
    proxy.cut();
    letGo("leaves");
    await frame;
    expect(left("cleanup").length).toBeGreaterThan(2);
    await session.close();
    open.pop();
    await expect.poll(() => left("cleanup"), { timeout: 120_000 }).toEqual([]);
  });
});

describe("connections that all go silent after their first bytes", () => {
  /** Sends a frame and breaks the connection once its step has begun, so that the answer can no longer arrive. */
  async function silent(
    name: string,
    more: Partial<FrameSessionOptions>,
  ): Promise<{ frame: Promise<readonly ItemResult[]> }> {
    // A retry must not find the marks of the first attempt.
    for (const mark of [at(name), at(`go-${name}`)]) rmSync(mark, { force: true });
    proxy = await startProxy(sshd.port);
    const { session, notices } = await start(more);
    const listener = { output: () => {}, notice: (text: string) => void notices.push(text) };
    const frame = session.frame({ items: [steps("one", once(name, `${held(name)}; seq 1 20000`))] }, listener, signal);
    frame.catch(() => {});
    await begun(name);
    proxy.silenceEach(5000);
    proxy.cut();
    letGo(name);
    return { frame };
  }

  test("fail the frame once the time for reconnecting is over, with an error that names the host, the task and the last journal entry", async () => {
    const began = performance.now();
    const { frame } = await silent("mute", { reconnectSeconds: 8, stallSeconds: 3 });
    await expect(frame).rejects.toMatchObject({
      code: "E_UNREACHABLE",
      failure: {
        where: { host: "web1", task: "one" },
        current: expect.stringMatching(/the last entry in its journal: (began one|the frame has begun)$/),
      },
    });
    expect(performance.now() - began).toBeLessThan(120_000);
    expect(times("mute")).toBe(1);
  }, 600_000);

  test("do not block a run that is stopping", async () => {
    const stop = new AbortController();
    const { frame } = await silent("stopped", { reconnectSeconds: 300, stallSeconds: 3, stop: stop.signal });
    const began = performance.now();
    stop.abort();
    await expect(frame).rejects.toMatchObject({ code: "E_INTERRUPTED" });
    expect(performance.now() - began).toBeLessThan(120_000);
  }, 600_000);
});

describe("a run that has lost its host to another run", () => {
  test("gets the answer to its last frame, then E_LOCKED for the next frame; nothing is done twice", async () => {
    proxy = await startProxy(sshd.port);
    const { session } = await start({ run: runNamed("first") });
    const script = once("taken", held("taken"));
    const frame = session.frame({ items: [steps("one", script)] }, { output: () => {} }, signal);
    await begun("taken");
    proxy.refuse(true);
    proxy.cut();
    letGo("taken");
    // A separate proxy, because the first one's connections are cut.
    const way = await startProxy(sshd.port);
    const address = addressOf(way.port, { identityFiles: [key] });
    const link = await new SshTransport().connect(address, signal);
    const run = runNamed("second");
    const other = await openFrameSession({ host: "web1", link, user: "root", become: undefined, signal, run });
    const notices: string[] = [];
    await other.frame(
      { items: [{ item: "read", questions: [file("/")] }] },
      { output: () => {}, notice: (text) => notices.push(text) },
      signal,
    );
    expect(notices.join("\n")).toMatch(/run first\d+ was cut off; its task one ended well/);
    proxy.refuse(false);
    expect(await frame).toMatchObject([{ results: [{ exitCode: 0 }] }]);
    await other.close();
    await way.close();
    const next = session.frame({ items: [steps("next", once("taken"))] }, { output: () => {} }, signal);
    await expect(next).rejects.toMatchObject({ code: "E_LOCKED" });
    expect(times("taken")).toBe(1);
  });
});
