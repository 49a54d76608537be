import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { rebootNeeded, rebootNeededKind } from "./reboot-needed.ts";

interface More {
  /** The versions of the installed kernels; the host runs 5.14.0-362.8.1.el9_3.x86_64, or `running`. */
  readonly kernels?: readonly string[];
  readonly running?: string;
  readonly container?: boolean;
}

const folder = mkdtempSync(join(tmpdir(), "furrow-reboot-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the kind's script on temporary folders, with a `needs-restarting` program if one is given. */
const ask = (name: string, files: Readonly<Record<string, string>>, tool?: string, more: More = {}): unknown => {
  const run = join(folder, name.replaceAll(" ", "-"));
  mkdirSync(run);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(run, file), text);
  const { kernels = [], running = "5.14.0-362.8.1.el9_3.x86_64", container = false } = more;
  for (const version of kernels) writeFileSync(join(run, `vmlinuz-${version}`), "");
  const programs = {
    uname: `echo ${running}`,
    "systemd-detect-virt": container ? "exit 0" : "exit 1",
    ...(tool !== undefined && { "needs-restarting": tool }),
  };
  for (const [program, text] of Object.entries(programs))
    writeFileSync(join(run, program), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const script = rebootNeededKind
    .read([{ ...rebootNeeded(), number: 0 }])
    .replaceAll(/(\/var)?\/run\/|\/boot\//g, `${run}/`)
    .replaceAll(/\/lib\/modules|\/usr\/share\/update-notifier|\/etc\/kernel\/postinst.d/g, `${run}/none`)
    .replace("/.dockerenv", `${run}/none`);
  const env = { ...process.env, PATH: `${run}:${process.env["PATH"]}` };
  const lines = execFileSync("sh", ["-c", script], { encoding: "utf8", env }).trim().split("\n");
  if (lines[0]?.startsWith("0 !") === true) return lines[0].slice("0 !".length);
  const parsed = Object.fromEntries(
    lines.map((line) => [line.slice(2, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  const value = rebootNeededKind.parse(parsed, rebootNeeded());
  expect(rebootNeededKind.print?.(value, rebootNeeded())).toEqual(parsed);
  return value;
};

describe("a reboot", () => {
  test("is not needed if the system does not report it", () => {
    expect(ask("no", {})).toEqual({ needed: false, because: [] });
    expect(ask("rpm-no", {}, "echo no; exit 0")).toEqual({ needed: false, because: [] });
    expect(ask("rpm-no-kernel", {}, "exit 0", { kernels: ["9.9"] })).toEqual({ needed: false, because: [] });
  });
  const kernels = ["0-rescue-2f1c", "5.14.0-70.22.1.el9_0.x86_64", "5.14.0-362.8.1.el9_3.x86_64"];
  const newer = "5.14.0-427.13.1.el9_4.x86_64";
  test.each([
    { where: "without a program that reports it", tool: undefined },
    { where: "on which needs-restarting fails", tool: "echo broken >&2; exit 2" },
  ])("depends on the newest installed kernel on a host $where", ({ where, tool }) => {
    const no = { needed: false, because: [] };
    expect(ask(`${where} current`, {}, tool, { kernels })).toEqual(no);
    const yes = { needed: true, because: [`kernel-${newer}`] };
    expect(ask(`${where} newer`, {}, tool, { kernels: [...kernels, newer] })).toEqual(yes);
    expect(ask(`${where} container`, {}, tool, { kernels: [newer], container: true })).toEqual(no);
    expect(ask(`${where} none`, {}, tool)).toEqual(no);
    const debian = { running: "6.1.0-9-cloud-amd64", kernels: ["6.1.0-9-cloud-amd64", "6.1.0-10-amd64"] };
    expect(ask(`${where} flavour`, {}, tool, debian)).toMatch("this host cannot tell whether it needs a reboot");
    const both = { ...debian, kernels: [...debian.kernels, "6.1.0-10-cloud-amd64"] };
    expect(ask(`${where} both`, {}, tool, both)).toMatchObject({ because: ["kernel-6.1.0-10-cloud-amd64"] });
    expect(ask(`${where} ahead`, {}, tool, { ...debian, running: "6.2.0-1-cloud-amd64" })).toEqual(no);
  });
  test("is needed if Debian reports it, with the packages that need it", () => {
    const files = {
      "reboot-required": "*** System restart required ***\n",
      "reboot-required.pkgs": "linux-base\nlibc6\nlibc6\n",
    };
    expect(ask("debian", files)).toEqual({ needed: true, because: ["libc6", "linux-base"] });
  });
  test("is needed if SUSE reports it", () => {
    expect(ask("suse", { "reboot-needed": "" })).toEqual({ needed: true, because: [] });
  });
  test("is needed if dnf reports it, with the packages that need it", () => {
    const tool =
      "printf '%s\\n' 'Core libraries or services have been updated since boot-up:' '  * kernel' '  * glibc' '' 'Reboot is required'; exit 1";
    expect(ask("rpm", {}, tool)).toEqual({ needed: true, because: ["glibc", "kernel"] });
  });
});
