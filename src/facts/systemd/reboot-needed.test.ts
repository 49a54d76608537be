import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { rebootNeeded, rebootNeededKind } from "./reboot-needed.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-reboot-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the kind's script on a temporary /run, with a `needs-restarting` program if one is given. */
const ask = (name: string, files: Readonly<Record<string, string>>, tool?: string): unknown => {
  const run = join(folder, name);
  mkdirSync(run);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(run, file), text);
  if (tool !== undefined) {
    writeFileSync(join(run, "needs-restarting"), `#!/bin/sh\n${tool}\n`);
    chmodSync(join(run, "needs-restarting"), 0o755);
  }
  const script = rebootNeededKind.read([{ ...rebootNeeded(), number: 0 }]).replaceAll(/(\/var)?\/run\//g, `${run}/`);
  const env = { ...process.env, PATH: `${run}:${process.env["PATH"]}` };
  const lines = execFileSync("sh", ["-c", script], { encoding: "utf8", env }).trim().split("\n");
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
    expect(ask("rpm-broken", {}, "echo broken >&2; exit 2")).toEqual({ needed: false, because: [] });
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
