/**
 * Stand-ins for `az` and `gcloud`: `node stand-in-tools.ts TOOL WORD…`. They support only the commands that the pages
 * show, refuse unknown commands, unknown flags, missing flags and wrong values, and record in the file CLOUD_STATE what
 * was created. The address of every machine is MACHINE_ADDRESS. Nothing here reaches a cloud.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { argv, env, exit, stderr, stdout } from "node:process";
import { az } from "./stand-in-az.ts";
import { gcloud } from "./stand-in-gcloud.ts";
import { type Command, type Created, Refused, wordsOf } from "./stand-in-words.ts";

const tools: Readonly<Record<string, Readonly<Record<string, Command>>>> = { az, gcloud };

const [, , tool = "", ...words] = argv;
const file = env["CLOUD_STATE"] ?? "";
const created: Created = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Created) : {};

try {
  const commands = tools[tool] ?? {};
  const name = Object.keys(commands).find((one) => `${words.join(" ")} `.startsWith(`${one} `));
  const command = name === undefined ? undefined : commands[name];
  if (name === undefined || command === undefined) throw new Refused(`unknown command: ${words.join(" ")}`);
  const given = wordsOf(command, words.slice(name.split(" ").length));
  const said = command.act(given, created, env["MACHINE_ADDRESS"] ?? "");
  writeFileSync(file, JSON.stringify(created));
  if (said !== undefined) stdout.write(`${said}\n`);
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  stderr.write(`${tool}: ${error.message}\n`);
  exit(2);
}
