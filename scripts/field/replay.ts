/**
 * `npm run replay FILE [NAME=VALUE…]`: makes a simulated host from a field report (`furrow doctor`) and prints what
 * `furrow check` reports about it. Vars given here override those in the report. Exits with code 1 if a task fails.
 */
import { join, resolve } from "node:path";
import { loadPlaybook } from "../../src/load/playbook/playbook-file.ts";
import { readNamedFile } from "../../src/load/named-file.ts";
import { parseVarFlags } from "../../src/load/vars/var-flag.ts";
import { errorBlock } from "../../src/report/text/error-block.ts";
import { paintFor } from "../../src/report/text/colours.ts";
import { plainReport } from "../../src/report/plain.ts";
import { FurrowError, isFurrowError } from "../../src/core/errors.ts";
import { parseReport, replay } from "../../src/testing/index.ts";

const [path, ...flags] = process.argv.slice(2);
if (path === undefined) {
  console.error("Usage: npm run replay FILE [NAME=VALUE…]");
  process.exit(64);
}
try {
  const report = parseReport(textOf(path), path);
  const { playbook } = await loadPlaybook(join(import.meta.dirname, `../../playbooks/${report.subject}.ts`));
  const given = Object.entries(await parseVarFlags(flags)).map(([name, { value }]) => [name, value]);
  const run = await replay(playbook, report, { vars: Object.fromEntries(given) as Record<string, unknown> });
  const { how } = report.origin;
  console.log(
    `A simulated host, made from a report that was ${how === "composed" ? "composed instead of read on a host" : how}.`,
  );
  const plain = plainReport({
    write: (text) => process.stdout.write(text),
    color: process.stdout.isTTY,
    diff: false,
    verbose: false,
    fold: true,
    folder: process.cwd(),
  });
  for (const event of run.events) plain.handle(event);
  await plain.close();
  if (run.missing.length > 0) {
    console.log(`not in the report, and taken from a fresh host: ${run.missing.length} facts`);
    for (const id of run.missing) console.log(`  ${id.length > 120 ? `${id.slice(0, 117)}…` : id}`);
  }
  process.exitCode = run.result.failed.length > 0 ? 1 : 0;
} catch (error) {
  if (!isFurrowError(error)) throw error;
  const paint = paintFor(process.stderr.isTTY);
  console.error(errorBlock(error, { paint, folder: process.cwd(), columns: undefined }).join("\n"));
  process.exitCode = 1;
}

/** npm starts a script in the project's folder, but the path is relative to the user's current folder. */
function textOf(file: string): string {
  try {
    return readNamedFile(resolve(process.env["INIT_CWD"] ?? ".", file));
  } catch (error) {
    throw new FurrowError("E_FILE", {
      what: `${file} cannot be read`,
      current: (error as Error).message,
      hint: "Give the path of a field report",
      cause: error,
    });
  }
}
