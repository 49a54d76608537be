import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { shellsHere } from "../fixtures/local-shells.fixture.ts";
import { runAsUser } from "../on-host/sent/run-as-user.ts";
import { compileStep } from "./compile-step.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-as-user-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

chmodSync(folder, 0o755);
// Debian's busybox has no su. Like busybox's su, this replacement also takes options after the user's name.
const busyboxSu = join(folder, "busybox-su");
writeFileSync(
  busyboxSu,
  `#!/bin/sh
words=$(/usr/bin/getopt -n su -o mplc:s: -- "$@") || exit 1
eval "set -- $words"
while [ "$1" != -- ]; do
  case $1 in
    -c) command=$2; shift ;;
    -s) shell=$2; shift ;;
  esac
  shift
done
shift
user=$1
shift
exec /usr/sbin/runuser -u "$user" -- "$shell" -c "$command" "$@"
`,
);
chmodSync(busyboxSu, 0o755);

/** Programs that can switch to another user, by the names under which they are called. */
const ways = {
  "runuser of util-linux": { runuser: "/usr/sbin/runuser" },
  "su of util-linux": { su: "/usr/bin/su" },
  "su of busybox": { su: busyboxSu },
};

/** A folder for PATH with only these programs and the few that a step needs. */
function pathWith(name: string, programs: Readonly<Record<string, string>>): string {
  const path = join(folder, name.replaceAll(" ", "-"));
  if (existsSync(path)) return path;
  mkdirSync(path);
  for (const program of ["getent", "id", "printf", "sh", "timeout"])
    symlinkSync(`/usr/bin/${program}`, join(path, program));
  for (const [program, real] of Object.entries(programs)) symlinkSync(real, join(path, program));
  return path;
}

describe.each(shellsHere)("a step with another user in %s", (shell) => {
  test.each(Object.entries(ways))("runs as this user, with unchanged arguments, through %s", (name, programs) => {
    const argv = ["sh", "-c", 'id -un; printf "%s|" "$HOME" "$@"', "-x", "-k", "two words", "$HOME 'q'", "", "--"];
    const text = `${runAsUser}\n_fx() { _fc; }\n${compileStep({ step: "run", argv, user: "games" }, undefined)}`;
    const words = shell === "busybox" ? ["sh", "-c", text] : ["-c", text];
    const env = { PATH: pathWith(name, programs), SHLVL: "1" };
    const { status, stdout, stderr } = spawnSync(`/usr/bin/${shell}`, words, { env, encoding: "utf8" });
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: "games\n/usr/games|-k|two words|$HOME 'q'||--|",
      stderr: "",
    });
  });
});
