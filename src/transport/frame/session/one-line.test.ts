import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Frame } from "../../../core/host/frame.ts";
import { ignoreAll } from "../../../core/host/frame.ts";
import { openFrameSession } from "./session.ts";
import { linkTo } from "../fixtures/shell-link.fixture.ts";
import { ShellLine } from "./shell-line.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-one-line-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const never = new AbortController().signal;
const runs = (...argv: string[]): Frame => ({
  items: [{ item: "steps", task: argv.join(" "), steps: [{ step: "run", argv }] }],
});

test("refuses a second frame immediately while one is open, and completes the first", async () => {
  const session = await openFrameSession({
    host: "here",
    link: linkTo("dash", folder),
    user: "root",
    become: undefined,
    signal: never,
  });
  const first = session.frame(runs("sleep", "0.3"), ignoreAll, never);
  await expect(session.frame(runs("true"), ignoreAll, never)).rejects.toMatchObject({
    code: "E_BUG",
    failure: { details: ["open: steps of sleep 0.3", "second: steps of true"] },
  });
  expect(await first).toMatchObject([{ item: "steps", results: [{ exitCode: 0 }] }]);
  expect(await session.frame(runs("true"), ignoreAll, never)).toMatchObject([{ item: "steps" }]);
  await session.close();
});

test("allows one listener on a line, refuses a second, and keeps the next if an old listener is removed twice", async () => {
  const shell = await linkTo("dash", folder).exec("sh");
  const line = new ShellLine(shell, "here", { run: "r", session: "s", holder: undefined });
  const leave = line.listen(() => {});
  expect(() => line.listen(() => {})).toThrow(expect.objectContaining({ code: "E_BUG" }) as Error);
  leave();
  line.listen(() => {});
  leave();
  expect(() => line.listen(() => {})).toThrow(expect.objectContaining({ code: "E_BUG" }) as Error);
  await line.bye(true);
});
