import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { domainWith } from "./libvirt-domain.cases.ts";
import { stateStep } from "./steps.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-stop-"));
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * A stand-in for virsh: logs each command, and calls a test's functions to answer. `age` counts the calls to domstate.
 */
const virsh = `#!/bin/sh
while [ "\${1#-}" != "$1" ]; do [ "$1" = -c ] && shift; shift; done
echo "$*" >>"$0.log"
age=$(grep -c '^domstate' "$0.log")
fail() { echo "error: $*" >&2; exit 1; }
. "$0.functions"
"$1"
`;

beforeEach(() => {
  writeFileSync(join(folder, "virsh"), virsh);
  chmodSync(join(folder, "virsh"), 0o755);
});

interface Ended {
  readonly code: number | null;
  readonly says: string;
  /** The virsh commands that changed something, in order. */
  readonly asked: readonly string[];
  readonly seconds: number;
}

/** Performs the step that stops a running machine. */
function stop(functions: string, { force = false, seconds = 3 } = {}): Ended {
  writeFileSync(join(folder, "virsh.functions"), functions);
  rmSync(join(folder, "virsh.log"), { force: true });
  const began = Date.now();
  const step = stateStep(
    { name: "node-1", state: "shutoff", force, shutdownSeconds: seconds },
    domainWith({}, { state: "running" }),
  );
  if (step?.step !== "run") throw new Error("not a run step");
  const [program = "", ...argv] = step.argv;
  const { status, stderr } = spawnSync(program, argv, {
    encoding: "utf8",
    env: { PATH: `${folder}:${process.env["PATH"]}`, LC_ALL: "C" },
  });
  const log = readFileSync(join(folder, "virsh.log"), "utf8").split("\n");
  const asked = log.filter((line) => line !== "" && !line.startsWith("domstate"));
  return { code: status, says: stderr, asked, seconds: (Date.now() - began) / 1000 };
}

/** A machine that is off from the third call to domstate onwards. */
const obeys = 'domstate() { [ "$age" -gt 2 ] && echo "shut off" || echo running; }; shutdown() { :; }';

describe("a machine that must be shut off", () => {
  test("is asked once, and waited for", () => {
    expect(stop(obeys)).toMatchObject({ code: 0, says: "", asked: ["shutdown node-1"] });
  });

  test("is not reported as ignoring ACPI if libvirt refuses to ask it, and is not waited for", () => {
    const refused = 'domstate() { echo running; }; shutdown() { fail "Failed to shutdown domain: access denied"; }';
    const ended = stop(refused, { seconds: 60 });
    expect(ended).toMatchObject({ code: 1, asked: ["shutdown node-1"] });
    expect(ended.says).toBe(
      "error: Failed to shutdown domain: access denied\nlibvirt did not ask node-1 to shut down\n",
    );
    expect(ended.seconds).toBeLessThan(30);
    const forced = stop(`${refused}; destroy() { :; }`, { seconds: 60, force: true });
    expect(forced).toMatchObject({ code: 0, asked: ["shutdown node-1", "destroy --graceful node-1"] });
  });

  test("may shut down by itself before it is asked", () => {
    const gone =
      'domstate() { [ "$age" -gt 1 ] && echo "shut off" || echo running; }; shutdown() { fail "domain is not running"; }';
    expect(stop(gone)).toMatchObject({ code: 0, asked: ["shutdown node-1"] });
  });

  test("is asked as soon as libvirt answers again", () => {
    const late = `domstate() { case $age in 1|2) fail "cannot connect";; 3|4) echo running;; *) echo "shut off";; esac; }
shutdown() { :; }`;
    expect(stop(late, { seconds: 9 })).toMatchObject({ code: 0, says: "", asked: ["shutdown node-1"] });
  });

  test("is not reported as ignoring ACPI if libvirt no longer answers", () => {
    const lost = 'domstate() { [ "$age" -gt 1 ] && fail "cannot connect" || echo running; }; shutdown() { :; }';
    expect(stop(lost)).toMatchObject({
      code: 1,
      says: "error: cannot connect\nlibvirt did not report whether node-1 is off\n",
    });
  });

  test("stays on if it does not react, unless force powers it off", () => {
    const deaf = "domstate() { echo running; }; shutdown() { :; }; destroy() { :; }";
    expect(stop(deaf)).toMatchObject({
      code: 1,
      says: "node-1 has not shut down in time; it might not react to ACPI\n",
      asked: ["shutdown node-1"],
    });
    expect(stop(deaf, { force: true })).toMatchObject({ code: 0 });
  });

  test("does not make furrow wait for a QEMU that does not answer libvirt", { timeout: 120_000 }, () => {
    const hangs = "domstate() { echo running; }; shutdown() { exec sleep 100; }";
    const ended = stop(hangs, { seconds: 2 });
    expect(ended).toMatchObject({
      code: 1,
      says: "node-1 has not shut down in time; its QEMU does not answer libvirt\n",
    });
    expect(ended.seconds).toBeLessThan(60);
  });
});
