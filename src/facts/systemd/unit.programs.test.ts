import { linesOf } from "../../core/facts/expectation.ts";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, uptime } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { absent } from "../../core/facts/symbols.ts";
import { changedLater } from "../../core/facts/watched.ts";
import { type KindAnswer, readKind } from "../../testing/read-kind.ts";
import { ownUnitFiles, unitsOfFile } from "./unit-files.ts";
import { unitFunctions, unitScript } from "./unit-script.ts";
import { printNotes, unit, unitKind, unitName } from "./unit.ts";
import type { UnitState } from "./unit-state.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-unit-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Output of systemd 252, with the properties in systemd's own order. */
const recorded = `Type=notify
RemainAfterExit=no
LoadState=loaded
ActiveState=active
SubState=running
UnitFileState=enabled
InactiveExitTimestampMonotonic=5000000
CanReload=yes
RefuseManualStart=no
RefuseManualStop=yes
NeedDaemonReload=no
InvocationID=8eac8b5854ce4e9386d81d6c3374c554

LoadState=not-found
ActiveState=inactive
SubState=dead
UnitFileState=
InactiveExitTimestampMonotonic=0
CanReload=no
NeedDaemonReload=no
InvocationID=

Type=oneshot
RemainAfterExit=no
LoadState=loaded
ActiveState=failed
SubState=failed
UnitFileState=static
InactiveExitTimestampMonotonic=99999999999999999
CanReload=no
NeedDaemonReload=yes
InvocationID=1111

LoadState=masked
ActiveState=inactive
SubState=dead
UnitFileState=masked
InactiveExitTimestampMonotonic=0
CanReload=no
NeedDaemonReload=no
InvocationID=
`;

/** Creates a folder with a systemctl that prints `output`; the caller puts the folder first on PATH. */
function systemctl(output: string, code = 0): { PATH: string } {
  writeFileSync(join(folder, "output"), output);
  writeFileSync(join(folder, "systemctl"), `#!/bin/sh\ncat '${join(folder, "output")}'; exit ${code}\n`);
  chmodSync(join(folder, "systemctl"), 0o755);
  return { PATH: [folder, process.env["PATH"]].join(delimiter) };
}

const questions = ["ssh", "nosuch", "failing", "rpcbind.socket"].map((name) => unit(name));

describe.each([{ shell: ["sh", "-c"] }, { shell: ["busybox", "sh", "-c"] }, { shell: ["bash", "-c"] }])(
  "the unit kind in $shell.0",
  ({ shell }) => {
    const read = (output: string, code?: number): Promise<KindAnswer[]> =>
      readKind(questions, { shell, env: systemctl(output, code) });

    test("reads many units from one answer, and prints each unit back as the lines that it was read from", async () => {
      const answers = await read(recorded);
      expect(answers.map(({ value }) => value)).toMatchObject([
        { state: "started", enabled: true, masked: false, outdated: false, reloadable: true, lasting: true },
        absent,
        { state: "stopped", active: "failed", enabled: false, outdated: true, lasting: false, since: 0 },
        { state: "stopped", masked: true, enabled: false, load: "masked" },
      ]);
      expect(answers.map(({ value }) => value)).toMatchObject([
        { refusesStart: false, refusesStop: true },
        absent,
        { refusesStart: false, refusesStop: false },
        {},
      ]);
      answers.forEach(({ value, lines }, index) => {
        expect(unitKind.print?.(value as UnitState, questions[index] as never)).toEqual(lines);
      });
    });

    test("computes the start from the current wall clock and the unit's monotonic time", async () => {
      const [ssh] = await read(recorded);
      const { since } = (ssh as KindAnswer).value as UnitState;
      const booted = Date.now() / 1000 - uptime();
      expect(Math.abs(since / 1e6 - booted - 5)).toBeLessThan(2);
    });

    test("reads cron even if getty@.service in the same play cannot be read", async () => {
      const env = systemctl(recorded);
      // The output of systemd 252, which shows no unit at all if one name is a template.
      writeFileSync(
        join(folder, "systemctl"),
        `#!/bin/sh
case "$*" in *@.service*) echo 'Failed to get properties: Unit name getty@.service is neither a valid invocation ID nor unit name.' >&2; exit 1;; esac
printf 'LoadState=loaded\\nActiveState=active\\nSubState=running\\n'; for x; do :; done; printf 'Type=%s\\n' "$x"
`,
      );
      const asked = ["cron", "getty@.service", "ssh"].map((name) => unit(name));
      const [cron, getty, ssh] = await readKind(asked, { shell, env });
      expect(cron?.value).toMatchObject({ state: "started", type: "cron.service" });
      expect(ssh?.value).toMatchObject({ state: "started", type: "ssh.service" });
      expect(getty?.unreadable).toContain("Unit name getty@.service is neither");
    });

    test.each([
      { name: "a@1.service", folder: "a@.service.d", version: 252, outdated: true },
      { name: "a@1.service", folder: "a@1.service.d", version: 252, outdated: true },
      { name: "a@1.service", folder: "b@.service.d", version: 252, outdated: false },
      { name: "user-1-x.slice", folder: "user-.slice.d", version: 252, outdated: true },
      { name: "user-1-x.slice", folder: "user-1-.slice.d", version: 252, outdated: true },
      { name: "user-1-x.slice", folder: "user-.slice.d", version: 234, outdated: false },
      { name: "user-1-x.slice", folder: "user-2-.slice.d", version: 252, outdated: false },
      { name: "user.slice", folder: "user-.slice.d", version: 252, outdated: false },
    ])("$name with a drop-in in $folder that systemd $version has not loaded: $outdated", (one) => {
      const root = mkdtempSync(join(folder, "root-"));
      mkdirSync(join(root, "systemd/system", one.folder), { recursive: true });
      writeFileSync(join(root, "systemd/system", one.folder, "10-a.conf"), "[Unit]\n");
      const env = systemctl("LoadState=loaded\nActiveState=active\nNeedDaemonReload=no\nDropInPaths=\n");
      const script = `systemctl() { case $1 in --version) echo 'systemd ${one.version} (x)';; *) command systemctl "$@";; esac; }
${unitFunctions("/nowhere").replaceAll("in /etc /run /usr/local/lib /usr/lib /lib", `in ${root}`)}
units 1:${one.name}`;
      const [program = "", ...words] = shell;
      const output = execFileSync(program, [...words, script], { encoding: "utf8", env: { ...process.env, ...env } });
      expect(/^1 outdated=(.*)$/m.exec(output)?.[1]).toBe(one.outdated ? "yes" : "no");
    });

    test("reports systemctl's reason if systemd is not running", async () => {
      const answers = await read("System has not been booted with systemd as init system (PID 1). Can't operate.\n", 1);
      expect(answers.map(({ unreadable }) => unreadable)).toEqual(
        questions.map(() => expect.stringContaining("not been booted with systemd") as string),
      );
    });
  },
);

describe("notes on the content that a unit was started with", () => {
  const seen = { "file:/etc/a = b": { "": "11", sha256: "22" }, "file:/etc/ü": { mode: "k:33" } };
  const state: UnitState = {
    ...(unitKind.parse(
      { load: "loaded", active: "active", state: "started", invocation: "x", noted: "1700000000000001" },
      unit("a"),
    ) as UnitState),
    startedWith: seen,
    reloadedWith: { "file:/r": { "": "44" } },
    startedBefore: { "file:/e": { "": "55" } },
  };

  test("survive printing and parsing", () => {
    const lines = linesOf(unit("a"), state);
    expect(unitKind.parse(lines, unit("a"))).toEqual(state);
    expect(Object.values(lines).join("")).not.toContain("\n");
  });

  test.each([
    { noted: "8eac8b5854ce4e9386d81d6c3374c554", startedWith: seen, startedBefore: {} },
    { noted: "another", startedWith: {}, startedBefore: seen },
  ])("are valid only for their own invocation: $noted", ({ noted, startedWith, startedBefore }) => {
    const lines = Object.entries(printNotes(seen, "start")).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(join(folder, "ssh.service"), `${noted}\n${lines.join("")}`);
    const script = `${unitFunctions(folder)}\n${unitScript([{ ...unit("ssh"), number: 0 }])}`;
    const output = execFileSync("sh", ["-c", script], {
      env: { ...process.env, ...systemctl(recorded) },
      encoding: "utf8",
    });
    const printed = output
      .trim()
      .split("\n")
      .map((line) => /^0 ([^=]*)=(.*)$/.exec(line)?.slice(1) ?? []);
    const value = unitKind.parse(Object.fromEntries(printed) as Record<string, string>, unit("ssh"));
    expect(value).toMatchObject({ startedWith, startedBefore });
  });
});

describe("a unit's prediction", () => {
  const running = unitKind.parse(
    { load: "loaded", active: "active", state: "started", invocation: "x", since: "7", "start:YQ": '{"":"1"}' },
    unit("a"),
  ) as UnitState;
  const predict = (before: UnitState | typeof absent, wanted: object): UnitState =>
    unitKind.predict?.(before, wanted, { user: "root" }) as UnitState;

  test("keeps the process if nothing restarts the unit", () => {
    expect(predict(running, { enabled: true })).toMatchObject({ invocation: "x", since: 7, enabled: true });
  });
  test("has a process that starts later if the unit is restarted", () => {
    const after = predict(running, { startedWith: { b: { "": "2" } } });
    expect(after).toMatchObject({ state: "started", since: changedLater, startedWith: { b: { "": "2" } } });
    expect(after.startedBefore).toEqual({ a: { "": "1" } });
  });
  test("is complete for a new unit", () => {
    expect(predict(absent, { state: "started" })).toMatchObject({ state: "started", enabled: false, masked: false });
  });
});

describe("unit names", () => {
  test.each([
    ["nginx", "nginx.service"],
    ["libvirtd.socket", "libvirtd.socket"],
    ["org.example", "org.example.service"],
    ["getty@tty1", "getty@tty1.service"],
  ])("%s means %s", (name, full) => expect(unitName(name)).toBe(full));

  test.each([
    ["/etc/systemd/system/a.service", ["unit:a.service"]],
    ["/usr/lib/systemd/system/a@.service", ["unit:a@*.service"]],
    ["/etc/systemd/system/a.service.d/limits.conf", ["unit:a.service"]],
    ["/etc/systemd/system.conf", []],
    ["/etc/motd", []],
  ])("a change to %s is visible in %j", (path, ids) => expect(unitsOfFile(path)).toEqual(ids));

  test("lead to an instance's own file and its template's file", () => {
    expect(ownUnitFiles("a@b.c@d.service")).toContain("/etc/systemd/system/a@.service");
    expect(ownUnitFiles("a@b.service")).toEqual(["/etc/systemd/system/a@b.service", "/etc/systemd/system/a@.service"]);
  });
});
