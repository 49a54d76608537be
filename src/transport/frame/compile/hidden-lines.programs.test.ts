import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { FrameItem, ItemResult, Session } from "../../../core/host/frame.ts";
import { reveal } from "../../../core/secrets/secret.ts";
import { absent } from "../../../core/facts/symbols.ts";
import { file } from "../../../facts/files/file.ts";
import { HiddenLines } from "./hidden-lines.ts";
import { openFrameSession } from "../session/session.ts";
import { linkTo } from "../fixtures/shell-link.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-hidden-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const open: Session[] = [];
afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
});
const never = new AbortController().signal;
let runs = 0;

/** A session of a run. `look` is a step that prints all journals of that run. */
async function start(shell: string, place = folder): Promise<{ session: Session; look: FrameItem }> {
  const run = { id: `hidden${process.pid}n${(runs += 1)}`, holder: "anna@laptop", since: "2026", waitSeconds: 120 };
  const options = { host: "here", link: linkTo(shell, place), user: "root", become: undefined, signal: never, run };
  const session = await openFrameSession(options);
  open.push(session);
  const bases = ["/run/furrow", `/tmp/furrow-${userInfo().uid}`].map((base) => `${base}/at.${run.id}.*/j.*`);
  const script = `cat ${bases.join(" ")} 2>/dev/null || :`;
  return {
    session,
    look: { item: "steps", task: "t", steps: [{ step: "run", argv: ["sh", "-c", script] }] },
  };
}

const secretText = (path: string) => file(path, ["hidden"], { secret: true });
/** The text in an item's answer. */
function textOf(result: ItemResult | undefined): string {
  const { answers: [answer] = [] } = result as { answers?: { value?: { text: string } }[] };
  return reveal(answer?.value?.text ?? "");
}
/** The output of a step. */
function printed(result: ItemResult | undefined): string {
  return result?.item === "steps" ? (result.results[0]?.stdout ?? "") : "";
}
const quiet = { output: () => {} };

describe.each(["dash", "bash", "busybox", "mksh"])("the text that a frame reads from a secret file, in %s", (shell) => {
  const content = "token = «hunter2»\n\n";
  const plain = Buffer.from(content).toString("base64").slice(0, 20);

  test("comes back unchanged, and is encrypted in the journal", async () => {
    const { session, look } = await start(shell);
    const path = join(folder, `it's ${shell}`);
    writeFileSync(path, content);
    const question = secretText(path);
    const [read, guard, steps] = await session.frame(
      {
        items: [
          { item: "read", questions: [question, file("/")] },
          { item: "guard", expected: [{ question, lines: {}, open: ["*"] }] },
          look,
        ],
      },
      quiet,
      never,
    );
    expect([textOf(read), textOf(guard)]).toEqual([content, content]);
    expect(read).toMatchObject({ answers: [{}, { value: { type: "directory" } }] });
    expect(printed(steps).match(/ hidden=~\S{40,}$/gm)).toHaveLength(2);
    expect(printed(steps)).toMatch(/^\d+ seal=/m);
    expect(printed(steps)).not.toContain(plain);
  });

  test("is in no journal if the host cannot encrypt: the frame then runs in the session's shell, without a notice", async () => {
    const place = join(folder, "without");
    mkdirSync(join(place, `bin-${shell}`), { recursive: true });
    symlinkSync("/bin/false", join(place, `bin-${shell}`, "openssl"));
    const { session, look } = await start(shell, place);
    const path = join(folder, "plain");
    writeFileSync(path, content);
    const notices: string[] = [];
    const listener = { ...quiet, notice: (text: string) => notices.push(text) };
    for (const _ of ["first", "second"]) {
      const items: FrameItem[] = [{ item: "read", questions: [secretText(path)] }, look];
      const [read, steps] = await session.frame({ items }, listener, never);
      expect(textOf(read)).toBe(content);
      expect(printed(steps)).toBe("");
    }
    expect(notices).toEqual([]);
  });
});

test("a secret text is returned in full even if it is large, and as absent if its file does not exist", async () => {
  const { session, look } = await start("dash");
  const path = join(folder, "large");
  const text = "0123456789abcde\n".repeat(20_000);
  writeFileSync(path, text);
  const questions = [secretText(path), secretText(`${path}-not`)];
  const [read] = await session.frame({ items: [{ item: "read", questions }, look] }, quiet, never);
  expect(textOf(read) === text).toBe(true);
  expect(read).toMatchObject({ answers: [{}, { value: absent }] });
});

describe("a hidden line", () => {
  test("causes an error about openssl if it cannot be decrypted", () => {
    const { key } = new HiddenLines();
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    const hidden = new HiddenLines();
    expect(() => hidden.shown("hidden=~")).toThrow(expect.objectContaining({ code: "E_FACT" }));
    expect(hidden.shown("target=a=~b")).toBe("target=a=~b");
  });
});
