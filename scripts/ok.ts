/**
 * `npm run ok`: all checks that do not need a host, in under a minute. Prints little if everything passes.
 * `-- --without unit` leaves out a check that has already run.
 */
import { parseArgs } from "node:util";
import { type Ended, quietly } from "./command.ts";
import { share, takeShared, typesCache } from "./lint/cache/ok-cache.ts";
import { installPackages } from "./suites/debian-packages.ts";
import { packagesToInstall, suites, thisMachine } from "./suites/suites.ts";

const checks: Readonly<Record<string, readonly [string, ...string[]]>> = {
  // The longest check is first, so that the two workers finish at about the same time. Each worker imports the modules
  // itself, and lint uses the processors while tests wait.
  unit: ["vitest", "run", "--project", "unit", "--maxWorkers", "2", "--reporter", "dot"],
  // Like the compiler, checks only what a change affects.
  lint: ["node", "scripts/lint/cache/lint.ts"],
  // Use a single checker, because both processors are already busy, and parallel checkers would each check the files
  // that they share. Its results are cached, so that the next run checks only what a change affects.
  types: ["tsc", "--noEmit", "--checkers", "1", "--incremental", "--tsBuildInfoFile", typesCache],
  format: ["oxfmt", "--check", "."],
  generated: ["node", "scripts/generate.ts", "--check"],
  // Without a cache: checkouts that share node_modules would share the cache, and files in use would count as unused.
  unused: ["knip"],
};

/**
 * The linter and the compiler are Go programs. They spend a fifth of their time collecting garbage, unless they collect
 * it only when they reach a memory limit.
 */
const collectLate = { GOGC: "off", GOMEMLIMIT: "3GiB" };

/**
 * Provides the programs that the unit tests run besides Node: installs them on Debian if run as root. If a program is
 * missing, the tests that need it are skipped.
 */
function prepare(): void {
  const unit = suites.filter(({ name }) => name === "unit");
  const missing = unit.flatMap((suite) => packagesToInstall(suite, thisMachine));
  if (missing.length === 0) return;
  console.log(`Installing Debian packages for the unit tests: ${missing.join(", ")}…`);
  try {
    installPackages(missing);
  } catch (error) {
    console.log(`${(error as Error).message.trim()}\nleft out: the unit tests that need ${missing.join(", ")}`);
  }
}

const { without = [] } = parseArgs({ options: { without: { type: "string", multiple: true } } }).values;
const unknown = without.filter((name) => !Object.hasOwn(checks, name));
if (unknown.length > 0) {
  console.error(`unknown check: ${unknown.join(", ")}; known: ${Object.keys(checks).join(", ")}`);
  process.exit(64);
}
if (!without.includes("unit")) prepare();
const waiting = Object.entries(checks).filter(([name]) => !without.includes(name));
const failed: string[] = [];
takeShared();

/** Works through the list; two workers run in parallel, one for each core. */
async function work(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const [name, command] = next;
    tell(name, command, await quietly(command, collectLate));
  }
}

function tell(name: string, command: readonly string[], { code, output, seconds }: Ended): void {
  console.log(`${code === 0 ? "ok    " : "FAILED"} ${name.padEnd(10)} ${seconds.toFixed(1)} s`);
  if (code === 0) return;
  failed.push(name);
  console.log(`${output.trimEnd()}\n       (${command.join(" ")})`);
}

await Promise.all([work(), work()]);
if (failed.length === 0) share();
else {
  console.log(`not ok: ${failed.join(", ")}`);
  process.exitCode = 1;
}
