import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { FrameItem, ItemResult, Session, StepOutput } from "../../../core/host/frame.ts";
import { absent } from "../../../core/facts/symbols.ts";
import { secretOf } from "../../../core/secrets/secret.ts";
import type { Step } from "../../../core/host/step.ts";
import { file } from "../../../facts/files/file.ts";
import { openFrameSession } from "./session.ts";
import { linkTo } from "../fixtures/shell-link.fixture.ts";
import { askSlowKind } from "../fixtures/slow-kind.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-session-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

const open: Session[] = [];
afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
});
const never = new AbortController().signal;

async function start(
  shell: string,
): Promise<(items: FrameItem[], output?: StepOutput[]) => Promise<readonly ItemResult[]>> {
  const options = { host: "here", link: linkTo(shell, folder), user: "root", become: undefined, signal: never };
  const session = await openFrameSession(options);
  open.push(session);
  return (items, output = []) => session.frame({ items }, { output: (part) => output.push(part) }, never);
}

const steps = (...list: Step[]): FrameItem => ({ item: "steps", task: "t", steps: list });
const runs = (...argv: string[]): Step => ({ step: "run", argv });

describe.each(["dash", "bash", "busybox", "mksh"])("a session with %s", (shell) => {
  test("reads, writes and reads again in one frame", async () => {
    const frame = await start(shell);
    const path = at(`motd-${shell}`);
    const read: FrameItem = { item: "read", questions: [file(path, ["text"])] };
    const [before, wrote, after] = await frame([
      read,
      steps({ step: "writeFile", path, text: "it's «ü»\n\udcff\0end", mode: "0640" }),
      read,
    ]);
    expect(before).toEqual({ item: "read", answers: [{ value: absent }] });
    expect(wrote).toMatchObject({ item: "steps", results: [{ exitCode: 0, stderr: "" }] });
    expect(after).toMatchObject({
      answers: [{ value: { type: "file", mode: "0640", text: "it's «ü»\n\udcff\0end" } }],
    });
    expect(readdirSync(folder).filter((name) => name.includes(".furrow"))).toEqual([]);
  });

  test("keeps the mode and owner of the file that it replaces", async () => {
    const frame = await start(shell);
    const path = at(`kept-${shell}`);
    writeFileSync(path, "old");
    chmodSync(path, 0o4750);
    await frame([steps({ step: "writeFile", path, text: "new" })]);
    expect(statSync(path).mode & 0o7777).toBe(0o4750);
    expect(readFileSync(path, "utf8")).toBe("new");
  });

  test("ends at the first step that fails, and reports its exit code and output", async () => {
    const frame = await start(shell);
    const results = await frame([
      steps(runs("true"), runs("sh", "-c", "echo one; echo two >&2; exit 7"), runs("touch", at("never"))),
      { item: "read", questions: [file("/")] },
    ]);
    expect(results[0]).toMatchObject({
      results: [{ exitCode: 0 }, { exitCode: 7, stdout: "one\n", stderr: "two\n" }],
      failed: { index: 1, error: { code: "E_STEP", failure: { current: "exit code 7", details: ["one", "two"] } } },
    });
    expect(results[1]).toEqual({ item: "skipped" });
    expect(existsSync(at("never"))).toBe(false);
  });

  test("accepts additional exit codes as success, and passes on stdin, env and cwd", async () => {
    const frame = await start(shell);
    const run: Step = {
      step: "run",
      argv: ["sh", "-c", 'cat; echo "$A" "$PWD"; exit 100'],
      stdin: "in'put\n",
      env: { A: "b c" },
      cwd: "/tmp",
      okExit: [0, 100],
    };
    const [result] = await frame([steps(run)]);
    expect(result).toEqual({ item: "steps", results: [{ exitCode: 100, stdout: "in'put\nb c /tmp\n", stderr: "" }] });
  });

  test("survives a step that reads stdin, and does not wait for a daemon that keeps stdout open", async () => {
    const frame = await start(shell);
    const started = performance.now();
    const [first, second] = await frame([
      steps(runs("cat"), runs("sh", "-c", "sleep 60 & echo started")),
      steps(runs("echo", "next")),
    ]);
    expect(first).toMatchObject({ results: [{ stdout: "" }, { stdout: "started\n" }] });
    expect(second).toMatchObject({ results: [{ stdout: "next\n" }] });
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  test("streams output while a step runs", async () => {
    const frame = await start(shell);
    const output: StepOutput[] = [];
    const gate = at(`gate-${shell}`);
    const script = 'echo early; until [ -e "$1" ]; do sleep 0.1; done; echo late';
    const done = frame([steps(runs("sh", "-c", script, "sh", gate))], output);
    await expect.poll(() => output.map(({ text }) => text).join(""), { timeout: 60_000 }).toBe("early\n");
    writeFileSync(gate, "");
    expect(await done).toMatchObject([{ results: [{ stdout: "early\nlate\n" }] }]);
    expect(output.map(({ text }) => text).join("")).toBe("early\nlate\n");
  });

  test("survives 30 MB of output and keeps the end of the output", async () => {
    const frame = await start(shell);
    const [result] = await frame([steps(runs("sh", "-c", "head -c 30000000 /dev/zero | tr '\\0' x; echo END"))]);
    const stdout = result?.item === "steps" ? (result.results[0]?.stdout ?? "") : "";
    expect(stdout).toContain("bytes left out");
    expect(stdout.endsWith("xEND\n")).toBe(true);
  });

  test("returns output of up to 256 KiB in full", async () => {
    const frame = await start(shell);
    const [result] = await frame([
      steps(
        runs("seq", "1", "20000"),
        runs("sh", "-c", "seq 1 20000; sleep 1.2; seq 1 20000 >&2; seq 1 20000"),
        runs("sh", "-c", "head -c 262144 /dev/zero | tr '\\0' x"),
        runs("sh", "-c", "head -c 262145 /dev/zero | tr '\\0' x"),
      ),
    ]);
    const [whole, twice, most, more] = result?.item === "steps" ? result.results : [];
    const numbers = `${Array.from({ length: 20_000 }, (_, at) => at + 1).join("\n")}\n`;
    expect(whole?.stdout === numbers).toBe(true);
    expect(twice?.stdout === numbers + numbers && twice.stderr === numbers).toBe(true);
    expect([whole?.cut, twice?.cut, most?.cut]).toEqual([undefined, undefined, undefined]);
    expect(most?.stdout === "x".repeat(262_144)).toBe(true);
    expect(more?.cut).toEqual(["stdout"]);
    expect(more?.stdout.slice(0, 40)).toMatch(/^\n\[… 1 bytes left out …\]\nxxx/);
  });

  test("stages large content next to its target and checks its hash", async () => {
    const frame = await start(shell);
    const path = at(`large-${shell}/file`);
    const text = "0123456789abcdef".repeat(20_000);
    const [result, read] = await frame([
      steps(
        { step: "makeDirectory", path: at(`large-${shell}`), parents: true },
        { step: "writeFile", path, text, mode: "0600" },
        runs("echo", "after"),
      ),
      { item: "read", questions: [file(path, ["sha256"])] },
    ]);
    expect(result).toMatchObject({ results: [{ exitCode: 0 }, { exitCode: 0 }, { stdout: "after\n" }] });
    expect(read).toMatchObject({
      answers: [{ value: { mode: "0600", sha256: createHash("sha256").update(text).digest("hex") } }],
    });
  });

  test("uploads a file from the controller, and fetches a file to the controller", async () => {
    const frame = await start(shell);
    const content = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
    writeFileSync(at("source"), content);
    const sha256 = createHash("sha256").update(content).digest("hex");
    const [result] = await frame([steps({ step: "upload", from: at("source"), path: at("target"), sha256 })]);
    expect(result).toMatchObject({ results: [{ exitCode: 0 }] });
    await open[0]?.fetch({ step: "fetch", path: at("target"), to: at("back"), mode: "0600" }, never);
    expect(readFileSync(at("back")).equals(content)).toBe(true);
    expect(statSync(at("back")).mode & 0o777).toBe(0o600);
  });

  test("does not fetch more than allowed, so that a host cannot fill the controller's disk", async () => {
    await start(shell);
    const through = ["sh", "-c", "cat; exec cat /dev/zero"];
    const step = { step: "fetch", path: "/etc/hostname", to: at("endless"), mode: "0600", through } as const;
    await expect(open[0]?.fetch({ ...step, maxBytes: 1_000_000 }, never)).rejects.toMatchObject({
      code: "E_STEP",
      failure: { what: "/etc/hostname is larger than the fetch limit", expected: "at most 1000000 bytes (maxBytes)" },
    });
    expect(existsSync(at("endless"))).toBe(false);
    expect(existsSync(at("endless.furrow"))).toBe(false);
  });

  test("creates directories and links, sets attributes, and removes files", async () => {
    const frame = await start(shell);
    const base = at(`tree-${shell}`);
    const [result, read] = await frame([
      steps(
        { step: "makeDirectory", path: join(base, "a/b"), parents: true, mode: "0711" },
        { step: "link", path: join(base, "link"), target: "a" },
        { step: "link", path: join(base, "link"), target: "a/b" },
        { step: "setAttributes", path: base, mode: "0700" },
      ),
      { item: "read", questions: [file(join(base, "a/b")), file(join(base, "link")), file(base)] },
    ]);
    expect(result).not.toHaveProperty("failed");
    expect(read).toMatchObject({
      answers: [{ value: { mode: "0711" } }, { value: { target: "a/b" } }, { value: { mode: "0700" } }],
    });
    const [refused] = await frame([steps({ step: "remove", path: base, recursive: false })]);
    expect(refused).toHaveProperty("failed");
    await frame([steps({ step: "remove", path: base, recursive: true })]);
    expect(existsSync(base)).toBe(false);
  });

  test("names a missing program", async () => {
    const frame = await start(shell);
    const [result] = await frame([steps(runs("no-such-program-here"))]);
    expect(result).toMatchObject({ failed: { error: { code: "E_TOOL_MISSING" } } });
  });

  test("stops a step at its timeout", async () => {
    const frame = await start(shell);
    const [result] = await frame([steps({ step: "run", argv: ["sleep", "20"], timeoutSeconds: 1 })]);
    expect(result).toMatchObject({ failed: { error: { code: "E_TIMEOUT" } } });
  });

  test("refuses a secret in an argument, and passes it on only through stdin", async () => {
    const frame = await start(shell);
    const secret = secretOf("hunter2", "token");
    await expect(frame([steps(runs("echo", `${secret}`))])).rejects.toMatchObject({ code: "E_SECRET" });
    const [result] = await frame([steps({ step: "run", argv: ["cat"], stdin: `${secret}` })]);
    expect(result).toMatchObject({ results: [{ stdout: "hunter2" }] });
  });

  test("reads a kind with a deadline like other kinds, without passing its script as an argument", async () => {
    const frame = await start(shell);
    const late = { error: { failure: { current: "no answer within 1 s" } } };
    expect(await frame([askSlowKind("quick"), askSlowKind("slow")])).toMatchObject([
      { answers: [{ value: "no argument" }] },
      { answers: [late] },
    ]);
  });
});

test("leaves nothing on the host when a session ends", async () => {
  const run = { id: `unit${process.pid}`, holder: "anna@laptop", since: "2026-11-21", waitSeconds: 120 };
  const options = { host: "here", link: linkTo("dash", folder), user: "root", become: undefined, signal: never };
  const session = await openFrameSession({ ...options, run });
  const left = (): string[] =>
    ["/run/furrow", `/tmp/furrow-${userInfo().uid}`]
      .flatMap((base) => (existsSync(base) ? readdirSync(base) : []))
      .filter((name) => name.includes(run.id));
  await session.frame({ items: [steps(runs("true"))] }, { output: () => {} }, never);
  expect(left().length).toBeGreaterThan(1);
  await session.close();
  await expect.poll(() => left(), { timeout: 120_000 }).toEqual([]);
});
