import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Node } from "../../src/core/authoring/group.ts";
import { mapTexts } from "../../src/authoring.ts";
import { runNodes } from "../../test/tasks/on-host.ts";
import { cleanEvent } from "../../src/report/clean-event.ts";
import * as t from "../index.ts";

let folder = "";
const at = (path: string): string => join(folder, path);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "furrow-secret-output-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Returns the events that the reports receive, before and after redaction. */
const said = async (mode: "apply" | "check", ...nodes: readonly Node[]): Promise<{ raw: string; clean: string }> => {
  const events = await runNodes(["sh"], mode, nodes);
  return { raw: JSON.stringify(events), clean: JSON.stringify(events.map((event) => cleanEvent(event))) };
};
// The secret is assembled on the host, so that the playbook does not contain it.
const token = "K10zebra-77-quagga";
const print = 'printf "%s-%s-%s\\n" K10zebra 77 quagga';

test("the output of a command with `secret` appears in no event, but a file can receive it", async () => {
  const join = t.command({ command: `${print}; ${print} >&2`, secret: true, always: true, disturbs: [] });
  const content = join.output.map(({ stdout }) => mapTexts([stdout], ([text]) => `token: ${text}`));
  const { raw, clean } = await said("apply", join, t.file({ path: at("token"), content, mode: "0600" }));
  expect(raw).not.toContain(token);
  expect(clean).toContain("(stdout is secret)");
  expect(clean).toContain("(stderr is secret)");
  expect(readFileSync(at("token"), "utf8")).toBe(`token: ${token}\n`);
});

test("a failed command with `secret` does not show the reason for its failure", async () => {
  const { raw, clean } = await said(
    "apply",
    t.command({ command: `${print} >&2; exit 3`, secret: true, always: true }),
  );
  expect(raw).not.toContain(token);
  expect(clean).toContain("exit code 3");
  expect(clean).toContain("(the output is secret)");
});

test("the error of a command with `secret` does not quote the last line of the command's output", async () => {
  const full = `echo K10zebra-77-quagga: No space left on device >&2; exit 1`;
  const { raw } = await said("apply", t.command({ command: ["sh", "-s"], stdin: full, secret: true, always: true }));
  expect(raw).toContain("E_DISK_FULL");
  expect(raw).not.toContain(token);
});

test("the output of another command that prints the secret is redacted", async () => {
  const join = t.command({ command: print, secret: true, always: true, disturbs: [] });
  const { clean } = await said("apply", join, t.command({ command: `${print} | tr -d '\\n'; echo .`, always: true }));
  expect(clean).not.toContain(token);
});

test("the output of a command with `secret` that only reads is secret in check mode too", async () => {
  const join = t.command({ command: print, secret: true, readOnly: true });
  const content = join.output.map(({ stdout }) => stdout);
  const { raw } = await said("check", join, t.file({ path: at("token"), content }));
  expect(raw).not.toContain(token);
  expect(raw).toContain('"outcome":"ok"');
});
