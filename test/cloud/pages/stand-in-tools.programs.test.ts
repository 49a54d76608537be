import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { az } from "./stand-in-az.ts";
import { gcloud } from "./stand-in-gcloud.ts";
import { type Command, type Created, wordsOf } from "./stand-in-words.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-tools-"));
afterAll(() => rmSync(folder, { recursive: true }));

const perform = (commands: Readonly<Record<string, Command>>, name: string, words: string, created: Created): void => {
  const command = commands[name];
  if (command === undefined) throw new Error(`no command ${name}`);
  command.act(wordsOf(command, words.split(" ")), created, "192.0.2.1");
};

test.each([
  ["an unknown flag", "account show", "--query id --outputs tsv", /unrecognized argument: --outputs/],
  ["an unknown service", "provider register", "--namespace Microsoft.Comput", /invalid value "Microsoft.Comput"/],
  ["a feature without its service", "feature register", "--name UseStandardSecurityType", /required: --namespace/],
])("the stand-in for az refuses %s", (_what, name, words, message) => {
  expect(() => perform(az, name, words, {})).toThrow(message);
});

test("the stand-in for az makes a feature usable only after its service is registered again", () => {
  const created: Created = {};
  const feature = "--namespace Microsoft.Compute --name UseStandardSecurityType";
  perform(az, "provider register", "--namespace Microsoft.Compute --wait", created);
  perform(az, "feature register", feature, created);
  expect(created["propagated"]).toBeUndefined();
  perform(az, "provider register", "--namespace Microsoft.Compute --wait", created);
  expect(created["propagated"]).toBe(true);
});

test.each([
  [
    "a machine for which nested virtualization is not enabled",
    "harvester --machine-type=n2-standard-16",
    /nested virtualization is not enabled/,
  ],
  [
    "a machine type without nested virtualization",
    "harvester --machine-type=e2-standard-16",
    /invalid value "e2-standard-16"/,
  ],
  [
    "an unknown property of a disk",
    "harvester --enable-nested-virtualization --create-disk=nam=a",
    /unknown property nam/,
  ],
])("the stand-in for gcloud refuses %s", (_what, words, message) => {
  expect(() => perform(gcloud, "compute instances create", words, {})).toThrow(message);
});

test("the program exits with 2 if the real tool would reject the arguments", () => {
  const program = join(import.meta.dirname, "stand-in-tools.ts");
  const env = { ...process.env, CLOUD_STATE: join(folder, "state.json"), MACHINE_ADDRESS: "192.0.2.1" };
  const run = (...words: string[]): string =>
    execFileSync(process.execPath, [program, ...words], { env, encoding: "utf8", stdio: "pipe" });
  expect(() => run("az", "vm", "delete")).toThrow(expect.objectContaining({ status: 2 }) as Error);
  expect(run("az", "provider", "register", "--namespace", "Microsoft.Network")).toBe("");
});
