// Lets `npm start`, `npm test` and `npm run stop` work in a fresh clone on a machine that has only npm and a Node that
// may be older than furrow needs. It installs what the lockfile lists, then runs a TypeScript file with the project's
// own Node. It is plain JavaScript for Node 18 and later. Usage: node scripts/bootstrap.js FILE.ts [ARGUMENTS]
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, "node_modules/.bin");

if (!isInstalled()) {
  console.log("Installing furrow's dependencies (npm ci)…");
  const { status } = spawnSync("npm", ["ci"], { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) process.exit(status ?? 1);
}
run(process.argv.slice(2));

/** True if node_modules contains what the lockfile lists, according to npm's own record of what it installed. */
function isInstalled() {
  const list = join(root, "node_modules/.package-lock.json");
  if (!existsSync(list)) return false;
  const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  const found = JSON.parse(readFileSync(list, "utf8")).packages;
  return Object.keys(wanted)
    .filter((path) => path !== "")
    .every((path) => (found[path] ? found[path].version === wanted[path].version : wanted[path].optional));
}

function run(args) {
  const own = join(root, "node_modules/node/bin/node");
  const node = existsSync(own) ? own : process.execPath;
  const env = { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) };
  const child = spawn(node, args, { cwd: root, env, stdio: "inherit" });
  // A terminal sends Ctrl-C to both processes, and the child, which decides how to react to it, must not count it
  // twice. Without a terminal, somebody sent the signal to this process only.
  process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));
}
