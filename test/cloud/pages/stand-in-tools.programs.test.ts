import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { az } from "./stand-in-az.ts";
import { gcloud } from "./stand-in-gcloud.ts";
import { type Command, type Created, wordsOf } from "./stand-in-words.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-tools-"));
const key = join(folder, "key.pub");
writeFileSync(key, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA me@here\n");
afterAll(() => rmSync(folder, { recursive: true }));

const perform = (commands: Readonly<Record<string, Command>>, name: string, words: string, created: Created): void => {
  const command = commands[name];
  if (command === undefined) throw new Error(`no command ${name}`);
  command.act(wordsOf(command, words.split(" ")), created, "192.0.2.1");
};

const azure = (): Created => ({ propagated: true, "group harvester": true });
const vm = `--resource-group harvester --name harvester --size Standard_D16s_v5 --security-type Standard --image Debian:debian-12:12-gen2:latest --os-disk-size-gb 50 --data-disk-sizes-gb 350 --admin-username azureuser --ssh-key-values ${key} --nsg-rule NONE`;

test.each([
  ["an unknown flag", vm, azure(), "--nsg-rules NONE", /unrecognized argument: --nsg-rules/],
  [
    "Trusted Launch, the default",
    vm.replace("--security-type Standard ", ""),
    azure(),
    "",
    /would not support nested virtualization/,
  ],
  ["a size without nested virtualization", vm.replace("D16s_v5", "B4ms"), azure(), "", /invalid value "Standard_B4ms"/],
  ["a user whom Azure forbids", vm.replace("azureuser", "admin"), azure(), "", /specifically disallowed/],
  ["a feature that is not registered", vm, { "group harvester": true }, "", /until the feature is registered/],
  ["a group that does not exist", vm, { propagated: true }, "", /could not be found/],
  ["a disk that is too small", vm.replace("350", "300"), azure(), "", /too small/],
  ["a file without a key", vm.replace(key, "/nonexistent"), azure(), "", /not a public key/],
])("the stand-in for az refuses %s", (_what, words, created, more, message) => {
  expect(() => perform(az, "vm create", `${words} ${more}`.trim(), created)).toThrow(message);
});

test("the stand-in for az accepts the same command without the mistake", () => {
  const created = azure();
  perform(az, "vm create", vm, created);
  expect(created.machine).toMatchObject({ user: "azureuser", disks: ["/dev/disk/azure/scsi1/lun0"] });
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
  expect(run("az", "group", "create", "--name", "harvester", "--location", "westeurope")).toBe("");
});
