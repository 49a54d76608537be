import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { sessionOn } from "../tasks/on-host.ts";
import { compare } from "./compare.ts";
import { compareWays } from "./compare-ways.ts";

/**
 * Compares engine and oracle on random trees in a separate mount namespace (`unshare --mount`). Arguments: an empty
 * folder for a tmpfs, the first seed, the number of seeds, the time after which no further seed starts (milliseconds
 * since 1970, or `Infinity`), and optionally `ways`, to compare runs that send steps ahead with runs of one task at a
 * time instead. Prints one line of JSON: the numbers of cases, tasks, undecided tasks and bind mounts; or else the
 * first seed that differs, with exit code 1.
 */
const [folder = "", first = "1", count = "100", until = "Infinity", what] = process.argv.slice(2);
const compareOne = what === "ways" ? compareWays : compare;
execFileSync("mount", ["-t", "tmpfs", "-o", "mode=0755", "trees", folder]);
const inputs = `${folder}/inputs`;
for (const [name, files] of Object.entries({
  one: { "sub/conf": "k=1\n", f: "one\n" },
  two: { conf: "k=2\n", g: "two\n" },
})) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(`${inputs}/${name}/${path.includes("/") ? "sub" : ""}`, { recursive: true });
    writeFileSync(`${inputs}/${name}/${path}`, text);
  }
}
writeFileSync(`${inputs}/packed`, "packed\n", { mode: 0o644 });
writeFileSync(`${inputs}/archive.tar.content`, "packed\n");
execFileSync("tar", ["-cf", `${inputs}/archive.tar`, "-C", inputs, "packed"]);

const session = await sessionOn(["sh"], new AbortController().signal);
const sum = { cases: 0, tasks: 0, undecided: 0 };
let failed = 0;
for (let seed = Number(first); seed < Number(first) + Number(count); seed += 1) {
  if (Date.now() > Number(until)) break;
  const compared = await compareOne(seed, folder, inputs, session).catch((error: unknown) => ({
    found: String(error instanceof Error ? error.stack : error),
    tasks: 0,
    undecided: 0,
  }));
  if (compared.found !== undefined) {
    process.stdout.write(`${JSON.stringify({ seed, found: compared.found })}\n`);
    failed += 1;
    if (process.env["FURROW_PATHS_ALL"] === undefined) break;
    continue;
  }
  if (compared.tasks > 0) sum.cases += 1;
  sum.tasks += compared.tasks;
  sum.undecided += compared.undecided;
}
await session.close();
process.stdout.write(`${JSON.stringify(sum)}\n`);
process.exitCode = failed === 0 ? 0 : 1;
