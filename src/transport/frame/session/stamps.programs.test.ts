import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { Session } from "../../../core/host/frame.ts";
import { shellQuote } from "../../../core/host/step.ts";
import { stampFunctions } from "../../../core/host/stamp.ts";
import { openFrameSession } from "./session.ts";
import { linkTo } from "../fixtures/shell-link.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-stamps-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const open: Session[] = [];
afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
});
const never = new AbortController().signal;
const content = "content";
const sha256 = createHash("sha256").update(content).digest("hex");

/** Sets a file's mode with a step that knows the file's stamp. */
async function setMode(shell: string, path: string, stamp: string, mode: string): Promise<void> {
  const options = { host: "here", link: linkTo(shell, folder), user: "root", become: undefined, signal: never };
  const session = await openFrameSession(options);
  open.push(session);
  const step = { step: "setAttributes", path, stamp, mode } as const;
  const [result] = await session.frame(
    { items: [{ item: "steps", task: "t", steps: [step] }] },
    { output: () => {} },
    never,
  );
  expect(result).toMatchObject({ results: [{ exitCode: 0, stdout: "", stderr: "" }] });
  expect(statSync(path).mode & 0o777).toBe(Number.parseInt(mode, 8));
}

describe.each(["dash", "bash", "busybox", "mksh"])("a step that changes a stamped file's mode, in %s", (shell) => {
  const words = (path: string): string => `${shellQuote(path)} ${shellQuote(`${path}.stamp`)}`;
  const stamp = (path: string): unknown =>
    execFileSync("sh", ["-c", `${stampFunctions}\nstamp ${words(path)} sha256=${sha256}`]);
  const held = (path: string): string =>
    execFileSync("sh", ["-c", `${stampFunctions}\nstamped ${words(path)} sha256 || echo none`], {
      encoding: "utf8",
    }).trim();
  const stamped = (name: string): string => {
    const path = join(folder, `${name} ${shell}`);
    writeFileSync(path, content, { mode: 0o644 });
    stamp(path);
    return path;
  };
  /** Waits for the kernel clock to tick, so that the next change gets a new ctime. */
  const tick = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 20));

  test("renews the stamp", async () => {
    const path = stamped("it's ours");
    await tick();
    await setMode(shell, path, `${path}.stamp`, "0600");
    expect(held(path)).toBe(sha256);
  });

  test("also renews a stamp that another program's mode change has made stale", async () => {
    const path = stamped("theirs");
    await tick();
    chmodSync(path, 0o600);
    expect(held(path)).toBe("none");
    await setMode(shell, path, `${path}.stamp`, "0640");
    expect(held(path)).toBe(sha256);
  });

  test("leaves a stamp stale if the content differs, regardless of its timestamps", async () => {
    const path = stamped("written");
    const { atime, mtime } = statSync(path);
    await tick();
    writeFileSync(path, "CONTENT");
    utimesSync(path, atime, mtime);
    await setMode(shell, path, `${path}.stamp`, "0640");
    expect(held(path)).toBe("none");
    expect(readFileSync(`${path}.stamp`, "utf8")).toContain(sha256);
  });

  test("creates no stamp for a file without one", async () => {
    const path = stamped("unstamped");
    rmSync(`${path}.stamp`);
    await setMode(shell, path, `${path}.stamp`, "0640");
    expect(held(path)).toBe("none");
  });
});
