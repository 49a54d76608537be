import { randomBytes } from "node:crypto";
import { existsSync, renameSync, writeFileSync } from "node:fs";
import { FurrowError } from "../../core/errors.ts";
import { reportText } from "../../field/format.ts";
import { contentsOf, foldedThings, type Group } from "../../field/groups.ts";
import { fieldReport } from "../../field/report.ts";
import { askShown } from "../../load/vars/prompt.ts";
import { count } from "../../report/text/words.ts";
import { exitCodes } from "../exit-codes.ts";
import { gather, playbookOf } from "../run/gather.ts";
import { print, printJson, warn } from "../terminal.ts";
import { usage, withRepeated } from "../words/arguments.ts";
import { defineCommand } from "../words/command.ts";
import { flagsOf } from "../words/flags.ts";

/**
 * The `furrow doctor SUBJECT HOST` command: reads everything that a playbook depends on, shows the content of the
 * report, asks for confirmation, and writes the report. Changes nothing on the host.
 */
export const command = defineCommand({
  args: flagsOf.doctor,
  async run({ args, data }) {
    const { subject, host, json = false, force = false, yes = false } = args;
    const path = args.to ?? `${subject}-field-report.json`;
    if (!force && existsSync(path)) throw fileExists(path);
    await import("../../facts/catalogue.ts");
    playbookOf(subject);
    warn(`Reading what the playbook ${subject} depends on. Nothing is changed on ${host}.`);
    const report = fieldReport(await gather(subject, host, withRepeated(args, data), data.vars));
    const groups = contentsOf(report);
    const list = listText(groups, args.verbose ?? false);
    if (json) for (const line of list) warn(line);
    else print(`${list.join("\n")}\n`);
    if (!yes) await confirm(path);
    write(path, reportText(report), force);
    if (json) {
      const contents = Object.fromEntries(groups.map(({ name, things }) => [name, things]));
      printJson({ schema: 1, file: path, facts: Object.keys(report.facts).length, contents });
    } else {
      print(`\n${path} has ${count(Object.keys(report.facts).length, "fact")}. Read it before you share it.\n`);
    }
    return exitCodes.converged;
  },
});

function listText(groups: readonly Group[], isWhole: boolean): string[] {
  const isFolded = !isWhole && groups.some(({ things }) => foldedThings(things).length < things.length);
  return [
    "The report will contain:",
    ...groups.flatMap(({ name, about, things }) => [
      ``,
      `${name} (${things.length}): ${about}`,
      `  ${(isWhole ? things : foldedThings(things)).join(", ")}`,
    ]),
    "",
    ...(isFolded ? ["A number after a folder counts what the report contains of it; -v lists everything."] : []),
    "Host names, public addresses, hardware addresses, serial numbers, UUIDs and all unknown words are replaced.",
  ];
}

/** Throws FurrowError E_USAGE if there is no terminal, E_REFUSED if the answer is not yes. */
async function confirm(path: string): Promise<void> {
  const answer = await askShown("", `Write this to ${path}? [y/N]`, new AbortController().signal);
  if (answer === undefined) {
    throw usage("doctor", "cannot ask whether to write the report, because there is no terminal", "Give --yes");
  }
  if (/^y(es)?$/i.test(answer.trim())) return;
  throw new FurrowError("E_REFUSED", { what: "the report was not written", hint: "Answer y to write it" });
}

function write(path: string, text: string, force: boolean): void {
  const other = force ? `${path}.${randomBytes(6).toString("hex")}` : path;
  try {
    writeFileSync(other, text, { mode: 0o600, flag: "wx" });
    if (force) renameSync(other, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw fileExists(path);
    throw new FurrowError("E_FILE", {
      what: `${path} cannot be written`,
      current: (error as Error).message,
      hint: "Choose another file with --to",
      cause: error,
    });
  }
}

function fileExists(path: string): FurrowError {
  return new FurrowError("E_FILE", {
    what: `${path} exists`,
    hint: "Replace it with --force, or choose another file with --to",
  });
}
