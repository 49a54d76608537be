import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readKind } from "../../../testing/read-kind.ts";
import { access, accessKind } from "./access.ts";
import { removable, removableKind } from "./removable.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-access "));
const at = (name: string): string => join(folder, name);
const sh = (script: string): string => execFileSync("sh", ["-ec", script], { cwd: folder, encoding: "utf8" });

/** A PATH with all programs that the scripts need except lsattr. */
const bare = at("programs");

beforeAll(() => {
  mkdirSync(bare);
  for (const name of ["sh", "awk", "cat", "stat", "id", "find", "timeout", "sed", "runuser", "busybox"]) {
    const program = execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
    symlinkSync(program, join(bare, name));
  }
  sh(`mkdir "it's fixed" log open tree tree/sub; mkdir -m 2775 group; chown nobody:daemon group; chmod g+s group
touch "it's fixed/x" log/x open/free open/fixed open/log "open/two  blanks" tree/sub/fixed
ln -s open way; chmod 755 .
chattr +i "it's fixed" open/fixed "open/two  blanks" tree/sub/fixed; chattr +a log open/log`);
});
afterAll(() => {
  sh(`chattr -i "it's fixed" open/fixed "open/two  blanks" tree/sub/fixed; chattr -a log open/log`);
  rmSync(folder, { recursive: true });
});

const shells = [{ shell: ["sh", "-c"] }, { shell: ["bash", "-c"] }, { shell: ["busybox", "sh", "-c"] }];

describe.each(shells)("the obstacle to a write, as read by $shell.0", ({ shell }) => {
  test("is reported for each path, and is printed back as the lines that it was read from", async () => {
    const paths = [
      "it's fixed/x",
      "it's fixed/none/x",
      "open/fixed",
      "open/two  blanks",
      "open/log",
      "log/new",
      "open/free",
      "way/fixed",
      "open/free/below",
    ];
    const answers = await readKind(
      paths.map((path) => access(at(path))),
      { shell },
    );
    expect(answers.map(({ value }) => value)).toMatchObject([
      { at: at("it's fixed"), in: "immutable", uid: 0 },
      { at: at("it's fixed"), in: "immutable" },
      { at: at("open"), is: "immutable", write: true },
      { at: at("open"), is: "immutable" },
      { at: at("open"), is: "append-only" },
      { at: at("log"), in: "append-only", write: true },
      { at: at("open"), write: true, sticky: false, mounted: false },
      { at: at("way"), is: "immutable" },
      { at: at("open/free"), write: false, file: true },
    ]);
    expect(answers[6]?.value).not.toHaveProperty("is");
    expect(answers[6]?.value).not.toHaveProperty("in");
    answers.forEach(({ value, lines }) => {
      expect(accessKind.print?.(value as never, access("/x"))).toEqual(lines);
    });
  });

  test("is reported for /proc and /sys, and not for other file systems below them", async () => {
    const answers = await readKind(["/proc/x", "/sys/kernel/x", "/sys/fs/cgroup/x", "/dev/shm/x"].map(access), {
      shell,
    });
    expect(answers.map(({ value }) => (value as { kernel?: string }).kernel)).toEqual([
      "proc",
      "sysfs",
      undefined,
      undefined,
    ]);
  });

  test("takes into account another user's groups, and the group that a directory passes on to new entries", async () => {
    const words = ["runuser", "-u", "nobody", "--", ...shell];
    const [answer] = await readKind([access(at("group/x"))], { shell: words });
    expect(answer?.value).toMatchObject({ uid: 65_534, groups: ["nogroup", "65534"], gives: "daemon", write: true });
  });

  test("is found inside a tree", async () => {
    const [answer, none] = await readKind([removable(at("tree")), removable(at("none"))], { shell });
    expect(answer?.value).toEqual({ held: at("tree/sub/fixed") });
    expect(none?.value).toEqual({});
    expect(removableKind.print?.(answer?.value as never, removable("/x"))).toEqual(answer?.lines);
  });

  test("is found in a tree if root asks on behalf of another user", async () => {
    sh(`mkdir -p for/nobody for/root/x for/nobody/empty; touch for/nobody/x; chown nobody for for/nobody`);
    const read = async (...args: Parameters<typeof removable>): Promise<unknown> =>
      (await readKind([removable(...args)], { shell }))[0]?.value;
    expect(await read(at("for/nobody"), "nobody")).toEqual({});
    expect(await read(at("for"), "nobody")).toEqual({ denied: at("for/root") });
    expect(await read(at("for"))).toEqual({});
  });
});

test("without lsattr, immutable directories are still found, because the kernel does not let anyone write there", async () => {
  const env = { PATH: bare };
  const paths = ["it's fixed/x", "open/fixed", "log/x"].map((path) => access(at(path)));
  const [fixed, file, log] = await readKind(paths, { env });
  expect(fixed?.value).toMatchObject({ write: false });
  expect(file?.value).toMatchObject({ write: true });
  expect(log?.value).toMatchObject({ write: true });
  expect((await readKind([removable(at("tree"))], { env }))[0]?.value).toEqual({});
});

test("a tree that takes too long to search may contain more obstacles than were found", async () => {
  mkdirSync(at("slow"));
  sh(`printf '#!/bin/sh\nexit 124\n' > slow/timeout; chmod +x slow/timeout`);
  const env = { PATH: `${at("slow")}:${String(process.env["PATH"])}` };
  const [answer] = await readKind([removable(at("tree"), "nobody")], { env });
  expect(answer?.value).toEqual({ slow: true });
  expect(removableKind.print?.(answer?.value as never, removable("/x"))).toEqual(answer?.lines);
});

test("checks each missing directory once, regardless of the number of paths below it", () => {
  const log = at("stat.log");
  sh(
    `mkdir counted; printf '%s\\n' '#!/bin/sh' 'echo >>"${log}"' 'exec /usr/bin/stat "$@"' >counted/stat; chmod +x counted/stat; : >stat.log`,
  );
  const keys = Array.from({ length: 40 }, (_, depth) => at(`deep${"/f".repeat(depth + 1)}`));
  const questions = keys.map((key, number) => ({ kind: accessKind.name, number, key, facets: [] }));
  const script = `PATH="${at("counted")}:$PATH"\n${accessKind.functions}\n${accessKind.read(questions)}`;
  const lines = sh(script).split("\n");
  for (const { number } of questions) expect(lines).toContain(`${number} at=${folder}`);
  expect(sh("wc -l <stat.log").trim()).toBe("40");
});
