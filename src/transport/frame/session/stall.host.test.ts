import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { FurrowError } from "../../../core/errors.ts";
import type { FrameItem, ItemResult, Session } from "../../../core/host/frame.ts";
import type { Channel, Link } from "../../../core/host/transport.ts";
import { CutLink } from "../fixtures/cut-link.fixture.ts";
import { type FrameSessionOptions, openFrameSession } from "./session.ts";
import { linkTo } from "../fixtures/shell-link.fixture.ts";
import { askHangingKind } from "../fixtures/slow-kind.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-stall-"));
const never = new AbortController().signal;
const sessions: Session[] = [];
afterAll(async () => {
  for (const session of sessions) await session.close();
  rmSync(folder, { recursive: true, force: true });
});

const steps = (task: string, script: string, more: { uncut?: boolean; timeoutSeconds?: number } = {}): FrameItem => ({
  item: "steps",
  task,
  steps: [{ step: "run", argv: ["sh", "-c", script], ...more }],
});

/**
 * A link whose channels fall silent, as when a firewall drops the state of the connection: no bytes in either
 * direction, and no end of the stream.
 */
class SilentLink implements Link {
  readonly closed = new Promise<undefined>(() => {});
  readonly execPty = (command: string): Promise<Channel> => this.exec(command);
  /** Number of channels that do not fall silent. */
  spared = 0;
  silent = false;
  readonly #link: Link;
  #channels = 0;

  constructor(link: Link) {
    this.#link = link;
  }

  async exec(command: string): Promise<Channel> {
    const channel = await this.#link.exec(command);
    const number = this.#channels++;
    const isSilent = (): boolean => this.silent && number >= this.spared;
    return {
      ...channel,
      write: (data) => (isSilent() ? new Promise(() => {}) : channel.write(data)),
      onStdout: (listener) => channel.onStdout((data) => (isSilent() ? undefined : listener(data))),
      onStderr: (listener) => channel.onStderr(listener),
      ended: channel.ended.then((end) => (isSilent() ? new Promise<never>(() => {}) : end)),
    };
  }

  stats(): ReturnType<Link["stats"]> {
    return this.#link.stats();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

interface Begun {
  readonly session: Session;
  readonly link: SilentLink;
  readonly notices: string[];
  readonly frame: (items: FrameItem[], kill?: AbortSignal) => Promise<readonly ItemResult[]>;
}

async function start(shell: string, more: Partial<FrameSessionOptions> = {}): Promise<Begun> {
  const link = new SilentLink(linkTo(shell, folder));
  const options = { host: "quiet-1", link, user: "root", become: undefined, signal: never, stallSeconds: 0.5 };
  const session = await openFrameSession({ ...options, ...more });
  sessions.push(session);
  const notices: string[] = [];
  const listener = { output: () => {}, notice: (text: string) => void notices.push(text) };
  return { session, link, notices, frame: (items, kill = never) => session.frame({ items }, listener, kill) };
}

// These tests spend nearly all their time waiting, so they run concurrently.
describe.concurrent.each(["dash", "mksh"])("a host that runs %s and falls silent", (shell) => {
  test("is left alone while a long step prints nothing, and a notice says that the step is still running", async () => {
    const { frame, notices } = await start(shell);
    const [result] = await frame([steps("quiet", "sleep 2; echo well")]);
    expect(result).toMatchObject({ results: [{ exitCode: 0, stdout: "well\n" }] });
    expect(notices).toEqual(["has printed nothing for 0.5 s; the host reports that its task quiet is still running"]);
  });

  test("gets a new connection, and its journal is read, if nothing but the connection has stalled", async () => {
    const { frame, link, notices } = await start(shell, { relink: () => Promise.resolve(linkTo(shell, folder)) });
    const done = frame([steps("one", "sleep 1; echo well"), steps("two", "echo two")]);
    await sleep(400);
    link.silent = true;
    expect(await done).toMatchObject([{ results: [{ stdout: "well\n" }] }, { results: [{ stdout: "two\n" }] }]);
    expect(notices).toEqual([expect.stringContaining("the host kept working in the meantime")]);
  });
});

describe.concurrent("a host that falls silent", () => {
  test("causes an error that names the host and the task if a new connection does not help", async () => {
    const again = (): Promise<Link> => {
      const silent = new SilentLink(linkTo("dash", folder));
      silent.silent = true;
      return Promise.resolve(silent);
    };
    const { frame, link } = await start("dash", { relink: again });
    const done = frame([steps("one", "sleep 8")]);
    await sleep(400);
    link.silent = true;
    await expect(done).rejects.toMatchObject({
      code: "E_UNREACHABLE",
      failure: {
        what: "the host has sent no part of a frame's answer for 0.5 s",
        where: { host: "quiet-1", task: "one" },
        current: "it does not answer on a second shell either",
      },
    });
  });

  test("fails if a read hangs without using CPU time, and quotes the last entry of the journal", async () => {
    const { frame, notices } = await start("dash");
    await frame([steps("earlier", "true")]);
    await expect(frame([askHangingKind()])).rejects.toMatchObject({
      code: "E_UNREACHABLE",
      failure: {
        what: "the host has sent no part of a frame's answer for 1 s",
        where: { host: "quiet-1" },
        current: "it answers on a second shell, but a process of the frame hangs; its journal says: ok earlier",
      },
    });
    // The user must be told about a hanging program long before the stall timeout.
    expect(notices).toEqual([
      "has printed nothing for 0.5 s while furrow reads its facts; one of its programs is slow or hangs",
    ]);
  });

  test("is abandoned after the first Ctrl-C if the frame only reads and the read hangs", async () => {
    const stop = new AbortController();
    const { frame } = await start("dash", { stallSeconds: 120, stop: stop.signal });
    const done = frame([askHangingKind()]);
    await sleep(200);
    stop.abort();
    await expect(done).rejects.toMatchObject({ code: "E_INTERRUPTED" });
  });

  test("is abandoned soon after the second Ctrl-C, and a notice names what may still be running", async () => {
    const kill = new AbortController();
    const { session, frame, link, notices } = await start("dash", { stallSeconds: 120 });
    const done = frame([steps("one", "sleep 30")], kill.signal);
    await sleep(400);
    link.silent = true;
    const began = performance.now();
    kill.abort();
    await expect(done).rejects.toMatchObject({ code: "E_INTERRUPTED" });
    await session.close();
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(notices.join()).toContain("may still be running there");
  });

  test("is abandoned soon after the second Ctrl-C in a package transaction, which continues", async () => {
    const kill = new AbortController();
    const { session, frame, notices } = await start("dash", { stallSeconds: 120 });
    const done = frame([steps("apt", "sleep 30", { uncut: true })], kill.signal);
    await sleep(400);
    const began = performance.now();
    kill.abort();
    await expect(done).rejects.toMatchObject({ code: "E_INTERRUPTED" });
    await session.close();
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(notices.at(-1)).toMatch(/(?:apt|the last step sent) may still be running there/);
  });

  const refused = new FurrowError("E_UNREACHABLE", { what: "nobody answers there" });
  test.each([
    { title: "no new connection can be made", relink: () => Promise.reject<Link>(refused) },
    {
      title: "each connection is lost immediately",
      relink: () => Promise.resolve(new CutLink(linkTo("dash", folder), 1)),
    },
  ])("is left after the second Ctrl-C, and reported as interrupted, while $title", async ({ relink }) => {
    const kill = new AbortController();
    const link = new CutLink(linkTo("dash", folder));
    const more = { relink, reconnectSeconds: 300 };
    const options = { host: "quiet-1", link, user: "root", become: undefined, signal: never, ...more };
    const session = await openFrameSession(options);
    sessions.push(session);
    const done = session.frame({ items: [steps("one", "sleep 8")] }, { output: () => {} }, kill.signal);
    await sleep(400);
    link.cut();
    // The pause between two attempts grows each time.
    await sleep(3000);
    kill.abort();
    await expect(done).rejects.toMatchObject({ code: "E_INTERRUPTED" });
  });
});
