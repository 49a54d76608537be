import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { minify } from "./minify.ts";
import { shortNames } from "./names.ts";
import { constants, folders, scriptsIn } from "./sent.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-shell-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Variables that the code around the scripts sets or reads. */
const given = [
  ..."frame_nonce frame_is_over run_id session_id holder_text claim_kind hiding_key runner_script".split(" "),
  ..."staged_path upload_nonce block_units cache_option content_sha content_size shell_pid wanted_run wanted_session".split(
    " ",
  ),
];

const scripts = new Map(Object.keys(folders).flatMap((path) => [...scriptsIn(path)]));
/** Scripts that run from the first line to the last. In each list, the last script uses functions of the others. */
const programs = [
  ["staged-file", "staged-keeper"],
  ["staged-file", "staged-lane"],
  ["receive-batch"],
  ["order-stop", "order"],
  ["order-renew", "order"],
  ["order-kill", "order"],
  ["probe"],
  ["file"],
  ["undo-arm"],
  ["undo-begin"],
  ["undo-end"],
  ["undo"],
  ["undo-save"],
  ["undo-stop"],
  ["undo-restore"],
];
const inPrograms = new Set(programs.flat());
/** All functions that may be defined in a session's shell. The farewell is excluded because it ends the shell. */
const functions = [...scripts.keys()].filter((name) => name !== "farewell" && !inPrograms.has(name));
const textOf = (names: readonly string[]): string => names.map((name) => scripts.get(name)).join("\n");
const readable = textOf(functions);

test.each([[[...functions, "farewell"]], ...programs.map((names) => [names])])(
  "scripts for hosts are accepted by shellcheck: %j",
  (names) => {
    const head = given.map((name) => `${name}=\n`).join("");
    const uses = `used() { echo ${given.map((name) => `"$${name}"`).join(" ")}; }`;
    const whole = join(folder, "whole.sh");
    const last = names.at(-1) ?? "";
    writeFileSync(whole, [head, textOf(names.slice(0, -1)), uses, textOf([last])].join("\n"));
    // SC2317: functions that frames call. SC2015: in `a && b || c`, c is meant to run if a or b fails.
    const options = ["--shell=sh", "--exclude=SC2317,SC2015", "--format=gcc"];
    const { status, stdout, stderr } = spawnSync("shellcheck", [...options, whole], { encoding: "utf8" });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
  },
);

/** Calls some of the functions by their full names and prints their output; `top` is an empty folder. */
const scenario = `
umask 022
LC_ALL=C
export LC_ALL
frame_nonce=NONCE
session_folder=$top/session
state_folders=$top/state
run_id=run1
session_id=s1
claim_kind=a
holder_text='anna@laptop'
hiding_key=key
mkdir "$session_folder"
print_words() { printf 'two words\\n'; }
show() { printf '%s:' "$1"; shift; "$@"; echo " $?"; }
say_hello() { echo hello; echo oops >&2; return 3; }
show write write_file print_words "$top/file" 0640 '' ''
show same cat "$top/file"
hash_expected=-
show changed write_file print_words "$top/file" '' '' '' 2>&1 | sed "s#$top##"
hash_expected=
show valid write_file print_words "$top/checked" 0600 '' '' grep -q two %s
show invalid write_file print_words "$top/checked" 0600 '' '' grep -q three %s 2>&1 | sed "s#$top##"
show folder make_directory "$top/a/b" -p 0750 '' ''
show link make_link "$top/link" target
show attributes set_attributes "$top/file" 0600 '' '' ''
show stamp stamp "$top/file" "$top/stamps/file" sha256=abc
show stamped stamped "$top/file" "$top/stamps/file" sha256
write_file0() { printf one; }
write_file1() { printf two; }
( show together write_together "$top/a" '' '0600 0 first 1 second' )
show filled remove_path "$top/a" '' 2>/dev/null
show all remove_path "$top/a" 1
stat -c '%n %A' "$top"/* | sed "s#$top##"
step_id='4 0'
step_body() { say_hello; }
show step run_step '0'
show step run_step '0|3'
show guard check_guard 1 '0 mode=0644
0 size=1' '
0 mode=0644
' '
0 size=
' 1
show guard check_guard 2 '0 mode=0600' '
0 mode=0644
' '

' 1
show hidden hide_lines text <<END | sed 's/~.*/~/'
1 text=secret words
2 mode=0644
END
session_folder=
show take take_host
[ -O "$state_folder/$claim_file" ] && [ -d "$state_folder/at.run1.s1" ] && echo claimed
show task begin_task 3 'write it'
echo >"$session_folder/stop"
show stopped begin_task 4 'and more'
cat "$session_folder/task"
run_id=run2
session_folder=
show held take_host | sed 's/^[0-9]* //'
`;

describe.each([["dash"], ["bash", "--posix"], ["busybox", "ash"], ["mksh"]])("in %s", (...shell) => {
  test("the scripts that are sent do the same as the readable scripts", () => {
    const values = Object.entries(constants).map(([name, value]) => `${name}=${value}\n`);
    const written = run(shell, `${values.join("")}${readable}\n${scenario}`);
    const names = { ...shortNames, write_file0: "_fw0", write_file1: "_fw1" };
    const sent = run(shell, minify(`${readable}\n${scenario}`, { names, constants }));
    expect(sent).toBe(written);
    expect(written).toBe(wanted);
  });
});

/** Runs a script in an empty folder. Returns its output. */
function run([program = "", ...args]: readonly string[], text: string): string {
  const top = mkdtempSync(join(folder, "run-"));
  const path = `${top}.sh`;
  writeFileSync(path, `top=${top}\n${text}`);
  const { stdout, stderr } = spawnSync(program, [...args, path], { encoding: "utf8" });
  return `${stdout}${stderr}`;
}

const wanted = `write: 0
same:two words
 0
changed:something else changed /file while this task ran, so furrow left it as it is: run again
 1
valid: 0
invalid:grep does not accept the new content
 1
folder: 0
link: 0
attributes: 0
stamp: 0
stamped:abc
 0
together: 0
filled: 1
all: 0
/checked -rw-------
/file -rw-------
/link lrwxrwxrwx
/session drwxr-xr-x
/stamps drwx------
step:NONCE O 4 0 o 0 6
hello
NONCE O 4 0 e 0 5
oops
NONCE S 4 0 3
 1
step:NONCE O 4 0 o 0 6
hello
NONCE O 4 0 e 0 5
oops
NONCE S 4 0 3
 0
guard:NONCE R 1
0 mode=0644
0 size=1
NONCE r 1
NONCE G 1 1
 0
guard:NONCE R 2
0 mode=0600
NONCE r 2
NONCE G 2 0
 1
hidden:1 text=~
2 mode=0644
 0
take: 0
claimed
task:NONCE T 3
 0
stopped:NONCE Z 4 stop
 1
began write it
held:NONCE K held run1 anna@laptop
1
`;
