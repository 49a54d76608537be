import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { covered } from "../covered.ts";
import { FakeTerminal } from "../report/fake-terminal.ts";
import { joinLate, lateResults } from "./late-hosts.ts";
import { expectText } from "./on-page.ts";
import { realFleet, type RealFleet } from "./real-fleet.ts";
import { runOnTerminal } from "./terminal-run.ts";

const narrow = { columns: 80, rows: 24 };
const wide = { columns: 200, rows: 50 };

let fleet: RealFleet;
let folder: string;
let runs = 0;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "furrow-fleet-"));
  fleet = await realFleet(folder);
});
afterAll(async () => {
  await fleet?.end();
  rmSync(folder, { recursive: true, force: true });
  covered(`${runs} runs of 4 tasks on 120 hosts, each a chroot with an sshd`);
});

interface Screen {
  readonly code: number;
  /** All lines that the terminal has displayed, without trailing spaces. */
  readonly lines: readonly string[];
  /** The same lines as text, without the parts that differ from run to run. */
  readonly text: string;
}

/** Runs a command against all hosts after setting them back to the state before a run. */
async function screen(word: string, size: typeof narrow, ...flags: readonly string[]): Promise<Screen> {
  fleet.reset();
  return again(word, size, ...flags);
}

/** Runs a command against all hosts without resetting them. */
async function again(word: string, size: typeof narrow, ...flags: readonly string[]): Promise<Screen> {
  runs += 1;
  const words = [word, "site.ts", "-i", "inventory.ts", ...flags];
  const { code, text } = await runOnTerminal(words, { ...size, folder, env: { NO_COLOR: "1" } });
  const terminal = new FakeTerminal(size.columns, size.rows);
  terminal.write(text);
  const lines = terminal.lines.map((line) => line.trimEnd());
  return { code, lines, text: settled(`${lines.join("\n").trimEnd()}\n`) };
}

/** Removes durations, and the line breaks that depend on their length. */
function withoutTimes(text: string): string {
  return text
    .replaceAll(/ in \d[\d.]* (ms|s|min \d+ s)$/gm, " in 4.2 s")
    .replaceAll(/ {2}(up to )?\d[\d.]* s$/gm, "")
    .replaceAll(/ {2}(up to )?\d[\d.]* s(?= {2}\()/gm, "")
    .replaceAll(/^(\d+ hosts .*)\n {4}(?=\(same )/gm, "$1  ")
    .replaceAll(/\bsh: \d+: /g, "sh: 1: ");
}

/**
 * Removes everything that depends on how fast each host was: durations, the order of independent results, and whether
 * furrow had already given up on the unreachable host by the time the others had finished.
 */
function settled(text: string): string {
  const lines = withoutTimes(text).split("\n");
  const [play, recap, failed] = [
    lines.indexOf("play web  web001–web120"),
    lines.indexOf("recap"),
    lines.indexOf("failed"),
  ];
  const results = inOrder(lines.slice(play + 1, recap - 1), /^(web\d+|\d+ hosts) /);
  const end = failed === -1 ? recap : lines.indexOf("", failed);
  return [
    ...lines.slice(0, play + 1),
    // While furrow is still trying to reach web101, a shared line names all hosts that it does not cover, including
    // web077 with its error.
    ...results.map((line) => line.replace(/(, |; all but )web101(?=\)$)/, "").replace("; all but web077)", ")")),
    "",
    ...lines.slice(recap, failed === -1 ? recap : failed + 1),
    ...inOrder(lines.slice(failed === -1 ? recap : failed + 1, end), /^ {2}web\d+ /),
    ...lines.slice(end),
  ].join("\n");
}

/** Sorts blocks of lines; the first line of each matches the pattern. */
function inOrder(lines: readonly string[], first: RegExp): string[] {
  const blocks: string[][] = [];
  for (const line of lines) {
    const block = blocks.at(-1);
    if (block === undefined || first.test(line)) blocks.push([line]);
    else block.push(line);
  }
  return blocks.toSorted((a, b) => a.join().localeCompare(b.join(), "en")).flat();
}

const pageOf = (word: string, { columns }: typeof narrow, odd: string): string =>
  `real-fleet/${columns}-${word}-${odd}.txt`;

/**
 * Expects a screen to equal its page in `transcripts/`. Results that arrived separately, because the machine was busy,
 * are compared as if they had arrived together.
 */
async function expectPage(text: string, page: string): Promise<void> {
  const late = lateResults(text);
  if (late.length === 0) return expectText(text, page);
  const kept = readFileSync(join(import.meta.dirname, "transcripts", page), "utf8");
  expect(settled(joinLate(text, late))).toBe(settled(joinLate(kept, late)));
}

describe("120 equal hosts", () => {
  it.each([
    ["check", narrow],
    ["run", wide],
  ] as const)("fit on one screen: %s %o", async (word, size) => {
    const { code, lines, text } = await screen(word, size);
    await expectPage(text, pageOf(word, size, "none"));
    expect(code).toBe(0);
    // Late hosts get additional lines.
    const late = lateResults(text).length;
    expect(lines.length).toBeLessThanOrEqual(late === 0 ? 24 : 40);
  });

  it("fit on one screen when nothing is left to do", async () => {
    const { code, text } = await again("run", narrow);
    await expectPage(text, "real-fleet/80-run-converged.txt");
    expect(code).toBe(0);
  });

  it("get one line each with --no-fold; check's exit code says that changes are pending", async () => {
    const { code, lines } = await screen("check", narrow, "--no-fold", "--exit-code");
    expect(code).toBe(2);
    for (const title of ["file /etc/motd", "fileLine /etc/environment", "file /srv/app.conf", "cron report in"]) {
      const named = lines
        .filter((line) => line.includes(`  would change  ${title}`))
        .map((line) => line.split(" ", 1).join());
      expect(named.toSorted((a, b) => a.localeCompare(b))).toEqual(fleet.names);
    }
    expect(lines.filter((line) => /^ {2}web\d{3} {2}4 would change$/.test(line))).toHaveLength(120);
  });
});

describe("one odd host among 120", () => {
  beforeAll(() => fleet.edit("web042", "etc/motd", "welcome\nby hand\n"));

  it.each([
    ["check", wide],
    ["run", narrow],
  ] as const)("is named: %s %o", async (word, size) => {
    const { code, text } = await screen(word, size);
    await expectPage(text, pageOf(word, size, "one"));
    expect(code).toBe(0);
    expect(text).toMatch(/^web042 /m);
  });
});

describe("three odd hosts among 120: one edited, one with a read-only file system, one down", () => {
  beforeAll(async () => {
    await fleet.makeOdd("web077", "mount -t tmpfs -o ro tmpfs /srv");
    await fleet.takeDown("web101");
  });

  it.each([
    ["check", narrow],
    ["check", wide],
    ["run", narrow],
    ["run", wide],
  ] as const)("are named with their causes: %s %o", async (word, size) => {
    const { code, text } = await screen(word, size);
    await expectPage(text, pageOf(word, size, "three"));
    expect(code).toBe(1);
    for (const name of ["web042", "web077", "web101"]) expect(text).toContain(name);
  });

  it("an error that six hosts share is printed once, with their names", async () => {
    const full = fleet.names.slice(30, 36);
    for (const name of full) {
      await fleet.makeOdd(name, "mount -t tmpfs -o size=4k tmpfs /srv; head -c 9999 /dev/zero >/srv/full || true");
    }
    const { code, text } = await screen("run", narrow);
    expect(code).toBe(1);
    expect(text.match(/E_DISK_FULL/g)).toHaveLength(2);
    expect(text.match(/No space left on device/g)).toHaveLength(2);
    const late = lateResults(text);
    const named = / {2}\(same error as web03[1-6]; web03.*\)$/m;
    const results = joinLate(text, late).replaceAll(/(?<=hosts) +(?=failed)|(?<=failed) +/g, " ");
    expect(results).toMatch(/^5 hosts failed file \/srv\/app\.conf( |$)/m);
    expect(late.length > 0 || named.test(text)).toBe(true);
    expect(text).toContain("web031–web036 (6 hosts)  file /srv/app.conf");
  });
});
