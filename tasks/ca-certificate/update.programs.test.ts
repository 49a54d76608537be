import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { explain } from "../../src/testing/index.ts";
import { shells } from "../../test/contract/shells.fixture.ts";
import { caCertificate } from "./ca-certificate.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-ca-update-"));
afterAll(() => rmSync(folder, { recursive: true }));
const [anchors, bundle, program] = ["anchors", "bundle", "program"].map((name) => join(folder, name)) as [
  string,
  string,
  string,
];

/** Runs the step that builds the bundle, with `body` as the script of the program that it calls. */
const updateWith = (shell: readonly string[], body: string) => {
  const steps = explain(caCertificate({ name: "x", state: "absent" }), {
    store: { layout: "debian", outdated: true },
    file: absent,
  }).steps;
  const step = steps.find((one) => one.step === "run");
  if (step?.step !== "run") throw new Error("the task has no step that builds the bundle");
  mkdirSync(anchors, { recursive: true });
  writeFileSync(program, `#!/bin/sh\n${body}\n`);
  chmodSync(program, 0o755);
  const [first = "", ...words] = shell;
  const { status, stderr } = spawnSync(first, [...words, "-c", String(step.argv[2]), "sh", anchors, bundle, program], {
    encoding: "utf8",
  });
  return { status, stderr, isOld: statSync(anchors).mtimeMs > statSync(bundle).mtimeMs };
};

describe.each(shells.map((shell) => ({ name: shell.join(" "), shell })))("in $name", ({ shell }) => {
  test("a newly built bundle is newer than the folder", () => {
    expect(updateWith(shell, `echo x >'${bundle}'; echo '1 added'`)).toEqual({
      status: 0,
      stderr: "1 added\n",
      isOld: false,
    });
  });

  test("the step fails if the program fails", () => {
    expect(updateWith(shell, `echo x >'${bundle}'; echo no >&2; exit 3`)).toMatchObject({ status: 3, stderr: "no\n" });
  });

  // If a hook fails, Debian's program exits with code 0, although stores such as Java's did not get the certificate.
  test("the step fails if a hook fails, and the next run builds the bundle again", () => {
    const hook = "E: /etc/ca-certificates/update.d/jks-keystore exited with code 1.";
    const { status, stderr, isOld } = updateWith(shell, `echo x >'${bundle}'; echo '${hook}'; echo done.`);
    expect({ status, isOld }).toEqual({ status: 1, isOld: true });
    expect(stderr).toContain(hook);
  });
});
