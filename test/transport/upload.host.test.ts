import { createHash, randomBytes } from "node:crypto";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { FrameItem, Session } from "../../src/core/host/frame.ts";
import { stampPath } from "../../src/core/host/stamp.ts";
import type { UploadStep } from "../../src/core/host/step.ts";
import { digest } from "../../src/facts/files/digest.ts";
import { file as fileFact } from "../../src/facts/files/file.ts";
import { type FrameSessionOptions, openFrameSession } from "../../src/transport/frame/session/session.ts";
import { SshTransport } from "../../src/transport/ssh/ssh.ts";
import { file } from "../../tasks/file/file.ts";
import { taskHost } from "../tasks/on-host.ts";
import { startProxy } from "./ssh/proxy.ts";
import { addressOf, isRoot, makeKey, removeFolders, type Sshd, startSshd, temporaryFolder } from "./sshd.ts";

const { signal } = new AbortController();
const folder = temporaryFolder();
const key = makeKey(folder, "id");
const mebibyte = 1 << 20;
const content = randomBytes(24 * mebibyte);
const from = join(folder, "image");
const sha256 = createHash("sha256").update(content).digest("hex");
let sshd: Sshd;

beforeAll(async () => {
  writeFileSync(from, content);
  sshd = await startSshd({ authorizedKeys: [key] });
});
afterAll(async () => {
  await sshd.stop();
  removeFolders();
});

async function openOn(port: number, more: Partial<FrameSessionOptions> = {}): Promise<Session> {
  const link = await new SshTransport().connect(addressOf(port, { identityFiles: [key] }), signal);
  const session = await openFrameSession({ host: "web1", link, user: "root", become: undefined, signal, ...more });
  onTestFinished(() => session.close());
  return session;
}

function upload(path: string, more: Partial<UploadStep> = {}): { items: FrameItem[] } {
  return { items: [{ item: "steps", task: "t", steps: [{ step: "upload", from, path, sha256, ...more }] }] };
}
const silent = { output: () => {} };

describe("a large file over ssh", () => {
  test("arrives whole, and leaves no other file in its folder", async () => {
    const place = join(folder, "whole");
    mkdirSync(place);
    const session = await openOn(sshd.port);
    const [result] = await session.frame(upload(join(place, "image"), { mode: "0640" }), silent, signal);
    expect(result).toMatchObject({ results: [{ exitCode: 0 }] });
    expect(readFileSync(join(place, "image")).equals(content)).toBe(true);
    expect(readdirSync(place)).toEqual(["image"]);
    expect(statSync(join(place, "image")).mode & 0o777).toBe(0o640);
  });

  test("continues with the missing part after the link has been cut in the middle", async () => {
    const path = join(folder, "cut");
    const proxy = await startProxy(sshd.port, 5);
    onTestFinished(() => proxy.close());
    const session = await openOn(proxy.port);
    const sending = session.frame(upload(path), silent, signal);
    const staged = join(folder, ".cut.furrow");
    const notes = (): number =>
      (existsSync(staged) ? readFileSync(staged).subarray(content.length).toString() : "").split("\n").length;
    while (notes() < 5) await new Promise((resolve) => setTimeout(resolve, 5));
    proxy.cut();
    await expect(sending).rejects.toMatchObject({ code: "E_UNREACHABLE" });
    expect(existsSync(path)).toBe(false);

    const again = await openOn(sshd.port);
    const before = again.stats().bytesSent;
    const [result] = await again.frame(upload(path), silent, signal);
    expect(result).toMatchObject({ results: [{ exitCode: 0 }] });
    expect(readFileSync(path).equals(content)).toBe(true);
    expect(again.stats().bytesSent - before).toBeLessThan(content.length - 6 * mebibyte);
  });

  test("a connection that is lost during an upload is reported at once, and so is its return", async () => {
    const path = join(folder, "told");
    const proxy = await startProxy(sshd.port, 5);
    onTestFinished(() => proxy.close());
    const relink: FrameSessionOptions["relink"] = (again) =>
      new SshTransport().connect(addressOf(proxy.port, { identityFiles: [key] }), again);
    const session = await openOn(proxy.port, { relink });
    const told: string[] = [];
    proxy.after(8 * mebibyte, () => proxy.cut());
    const listener = {
      ...silent,
      lost: (text: string) => void told.push(text),
      notice: (text: string, connection?: string) => void told.push(`${connection}: ${text}`),
    };
    const [result] = await session.frame(upload(path), listener, signal);
    expect(result).toMatchObject({ results: [{ exitCode: 0 }] });
    expect(told.slice(0, 2)).toEqual([
      expect.stringMatching(/^connection lost.*, reconnecting for up to 300 s$/),
      expect.stringMatching(/^back: the connection was lost.*; connected again after 1 s$/),
    ]);
    expect(told.filter((text) => text.startsWith("connection lost"))).toHaveLength(1);
  });

  test("uses several channels if the link has a long round trip", async () => {
    const proxy = await startProxy(sshd.port, 40);
    onTestFinished(() => proxy.close());
    const session = await openOn(proxy.port);
    await session.frame(upload(join(folder, "far")), silent, signal);
    expect(readFileSync(join(folder, "far")).equals(content)).toBe(true);
    expect(session.stats().channels).toBeGreaterThanOrEqual(7);
  });

  test("arrives on a host that allows two channels", async () => {
    const narrow = await startSshd({ authorizedKeys: [key], config: ["MaxSessions 2"] });
    onTestFinished(() => narrow.stop());
    const session = await openOn(narrow.port);
    const [result] = await session.frame(upload(join(folder, "narrow")), silent, signal);
    expect(result).toMatchObject({ results: [{ exitCode: 0 }] });
    expect(readFileSync(join(folder, "narrow")).equals(content)).toBe(true);
  });

  test.runIf(isRoot)("is removed, and its step fails, if the disk is full", async () => {
    const place = join(folder, "small-disk");
    mkdirSync(place);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", place]);
    // The session's files on this mount are removed when the session ends, but not immediately.
    onTestFinished(() => vi.waitFor(() => void execFileSync("umount", [place], { stdio: "ignore" }), 10_000));
    const session = await openOn(sshd.port);
    const frame = upload(join(place, "image"));
    const first: FrameItem = { item: "steps", task: "first", steps: [{ step: "run", argv: ["echo", "done"] }] };
    const [before, result] = await session.frame({ items: [first, ...frame.items] }, silent, signal);
    expect(before).toMatchObject({ results: [{ stdout: "done\n" }] });
    expect(result).toMatchObject({ results: [], failed: { index: 0, error: { code: "E_DISK_FULL" } } });
    expect(readdirSync(place)).toEqual([]);
    expect(await session.frame({ items: [first] }, silent, signal)).toMatchObject([{ results: [{ exitCode: 0 }] }]);
  });

  test.runIf(isRoot)("is staged by the user that the task becomes", async () => {
    const place = join(folder, "of-nobody");
    mkdirSync(place);
    chmodSync(folder, 0o755);
    execFileSync("chown", ["nobody", place]);
    const session = await openOn(sshd.port);
    const [result] = await session.frame(upload(join(place, "image"), { user: "nobody" }), silent, signal);
    expect(result).toMatchObject({ results: [{ exitCode: 0 }] });
    expect(execFileSync("stat", ["-c", "%U", join(place, "image")], { encoding: "utf8" })).toBe("nobody\n");
    const [refused] = await session.frame(upload(join(folder, "not-nobodys"), { user: "nobody" }), silent, signal);
    expect(refused).toMatchObject({ failed: { error: { code: "E_STEP" } } });
  });
});

test("40 files of 64 KiB share one extra channel, even if sshd allows no more", async () => {
  const narrow = await startSshd({ authorizedKeys: [key], config: ["MaxSessions 2"] });
  onTestFinished(() => narrow.stop());
  const place = join(folder, "many");
  mkdirSync(place);
  const files = Array.from({ length: 40 }, (_, number) => content.subarray(number * 65_536, (number + 1) * 65_536));
  const steps = files.map((bytes, number): UploadStep => {
    const path = join(folder, `part-${number}`);
    writeFileSync(path, bytes);
    const hash = createHash("sha256").update(bytes).digest("hex");
    return { step: "upload", from: path, path: join(place, `${number}`), sha256: hash, bytes: bytes.length };
  });
  const link = await new SshTransport().connect(addressOf(narrow.port, { identityFiles: [key] }), signal);
  const session = await openFrameSession({ host: "web1", link, user: "root", become: undefined, signal });
  onTestFinished(() => session.close());
  const [result] = await session.frame({ items: [{ item: "steps", task: "t", steps }] }, silent, signal);
  expect(result).toMatchObject({ results: { length: 40 } });
  expect(files.every((bytes, number) => readFileSync(join(place, `${number}`)).equals(bytes))).toBe(true);
  expect(link.stats().channels).toBe(2);
});

test.runIf(isRoot)("a rerun sends nothing and does not read the file again", async () => {
  const path = join(folder, "stamped");
  const host = taskHost();
  const task = file({ path, source: from, mode: "0644" });
  onTestFinished(() => rmSync(stampPath(path), { force: true }));
  expect(await host.apply(task)).toMatchObject([{ outcome: "changed" }]);
  expect(await host.apply(task)).toMatchObject([{ outcome: "ok" }]);
  // The stamp is trusted: with a wrong hash in the stamp, check reports a change, so the file itself was not read.
  const stamp = readFileSync(stampPath(path), "utf8");
  expect(stamp).toContain(`sha256=${sha256}\n`);
  writeFileSync(stampPath(path), stamp.replace(sha256, "f".repeat(64)));
  expect(await host.check(task)).toMatchObject([{ outcome: "changed" }]);
  // With `verify`, furrow does not trust the host's records and reads the file.
  const questions = [fileFact(path, ["stamped"]), digest(path, "sha256")];
  for (const [verify, found] of [
    [false, "f".repeat(64)],
    [true, sha256],
  ] as const) {
    const session = await openOn(sshd.port, { verify });
    const [read] = await session.frame({ items: [{ item: "read", questions }] }, silent, signal);
    expect(read).toMatchObject({ answers: [{ value: { sha256: found } }, { value: { sha256: found } }] });
  }
  writeFileSync(stampPath(path), stamp);
  expect(await host.check(task)).toMatchObject([{ outcome: "ok" }]);
  // The stamp is valid only for the unchanged file: any later change is detected.
  const altered = Buffer.from(content);
  altered[7] = (altered[7] ?? 0) ^ 1;
  writeFileSync(path, altered);
  expect(await host.apply(task)).toMatchObject([{ outcome: "changed" }]);
  expect(readFileSync(path).equals(content)).toBe(true);
});
