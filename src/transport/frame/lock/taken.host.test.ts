import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { FrameItem, Session } from "../../../core/host/frame.ts";
import type { Channel, Link } from "../../../core/host/transport.ts";
import { CutLink } from "../fixtures/cut-link.fixture.ts";
import { openFrameSession } from "../session/session.ts";
import { linkTo } from "../fixtures/shell-link.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-taken-"));
const never = new AbortController().signal;
const sessions: Session[] = [];
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.close();
});

/** A link that a test can cut. A mute link drops every answer to a frame. */
class Cable extends CutLink {
  readonly #isMute: boolean;

  constructor(link: Link, isMute: boolean) {
    super(link);
    this.#isMute = isMute;
  }

  override async exec(command: string): Promise<Channel> {
    const channel = await super.exec(command);
    return {
      ...channel,
      onStdout: (listener) =>
        channel.onStdout((data) => {
          if (this.isCut) return;
          if (!this.#isMute) return listener(data);
          // The start of an answer may arrive together with the greeting.
          const greeting = /^(\n?(start|ready)-\w+\n)*/.exec(Buffer.from(data).toString("latin1"))?.[0] ?? "";
          if (greeting !== "") return listener(Buffer.from(greeting));
        }),
    };
  }
}

const at = (name: string): string => join(folder, name);
const steps = (task: string, script: string): FrameItem => ({
  item: "steps",
  task,
  title: task,
  steps: [{ step: "run", argv: ["sh", "-c", script] }],
});
const runOf = (id: string) => ({ id, holder: "anna@laptop", since: "2026-11-22", waitSeconds: 120 });

const ways = [
  ["had an answer from its host, and another run now holds the host", false, false],
  ["had an answer from its host, and another run has held the host in the meantime", false, true],
  ["had no answer from its host, and another run now holds the host", true, false],
  ["had no answer from its host, and another run has held the host in the meantime", true, true],
] as const;

describe.each(["dash", "bash", "busybox", "mksh"])("a run in %s whose connection is lost", (shell) => {
  // Each case takes a second in which no other test may hold the host, so shells other than dash run only half of the
  // cases.
  test.each(shell === "dash" ? ways : ways.slice(1, 3))(
    "ends with E_LOCKED, and does nothing twice, if it %s",
    async (title, isMute, isGone) => {
      const name = `${shell}-${title.replaceAll(/\W/g, "")}`;
      const [mark, go] = [at(`mark-${name}`), at(`go-${name}`)];
      const back = Promise.withResolvers<Link>();
      const cable = new Cable(linkTo(shell, folder), isMute);
      const options = { host: "here", user: "root", become: undefined, signal: never };
      const first = await openFrameSession({
        ...options,
        link: cable,
        relink: () => back.promise,
        run: runOf(`first${process.pid}${name.length}`),
      });
      sessions.push(first);
      const told: number[] = [];
      const script = `echo x >>${mark}; n=0; until [ -e ${go} ] || [ $n -gt 600 ]; do n=$((n + 1)); sleep 0.05; done; echo done`;
      const frame = first.frame(
        { items: [steps("one", script), steps("two", "true")] },
        { output: () => {}, item: (at, result) => result.item === "steps" && told.push(at) },
        never,
      );
      frame.catch(() => {});
      await expect.poll(() => existsSync(mark), { timeout: 120_000 }).toBe(true);
      cable.cut();
      // A lost connection ends the process that carried it. Here, that process is the test itself, so the shell is
      // killed instead.
      const claim = left(`first${process.pid}${name.length}`).find((file) => file.startsWith("run.a."));
      process.kill(Number(claim?.split(".")[4]), "SIGKILL");
      const second = await openFrameSession({
        ...options,
        link: linkTo(shell, folder),
        run: runOf(`second${process.pid}${name.length}`),
      });
      sessions.push(second);
      const notices: string[] = [];
      const other = second.frame(
        { items: [steps("three", "true")] },
        { output: () => {}, notice: (text) => notices.push(text) },
        never,
      );
      await expect.poll(() => notices.join("\n"), { timeout: 120_000 }).toMatch(/its task .one/);
      writeFileSync(go, "");
      await other;
      expect(notices.join("\n")).toMatch(/was cut off; its task one ended well/);
      if (isGone) await second.close();
      back.resolve(linkTo(shell, folder));
      const current = `run second${process.pid}${name.length} by anna@laptop, since 2026-11-22`;
      await expect(frame).rejects.toMatchObject({ code: "E_LOCKED", failure: { current } });
      expect(readFileSync(mark, "utf8")).toBe("x\n");
      // The journal of the first run is kept while the second holds the host.
      expect(told).toEqual(isGone ? [] : [0]);
      await first.close();
      await expect.poll(() => left(`first${process.pid}${name.length}`), { timeout: 120_000 }).toEqual([]);
    },
  );
});

test("a run that takes the host keeps the new folder of a session that belongs to no run", async () => {
  const base = userInfo().uid === 0 ? "/run/furrow" : `/tmp/furrow-${userInfo().uid}`;
  const young = join(base, `at.xyoung${process.pid}.s`);
  mkdirSync(young, { recursive: true, mode: 0o700 });
  const options = { host: "here", user: "root", become: undefined, signal: never };
  const session = await openFrameSession({
    ...options,
    link: linkTo("dash", folder),
    run: runOf(`young${process.pid}`),
  });
  sessions.push(session);
  await session.frame({ items: [steps("one", "true")] }, { output: () => {} }, never);
  expect(existsSync(young)).toBe(true);
  rmSync(young, { recursive: true });
});

/** The files that a run has left on the host. */
const left = (id: string): string[] =>
  ["/run/furrow", `/tmp/furrow-${userInfo().uid}`]
    .flatMap((base) => (existsSync(base) ? readdirSync(base) : []))
    .filter((name) => name.includes(`.${id}.`));
