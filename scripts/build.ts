/**
 * `npm run build`: writes bundled JavaScript and types to `dist/package`, and packs them as `dist/furrow-VERSION.tgz`.
 * Publish that tarball, never the repository, because Node does not strip types below node_modules
 * (docs/decisions/project/002-published-package.md).
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { bundle } from "./bundle.ts";
import { documentTypes } from "./documented-types.ts";
import { type Manifest, published } from "./published.ts";

const root = resolve(import.meta.dirname, "..");
const dist = join(root, "dist");
const target = join(dist, "package");
const extras = ["bin", "README.md", "LICENSE", "CHANGELOG.md"];

/** Runs a command and returns its output; on failure, prints the output and ends the build. */
function run(command: string, ...args: string[]): string {
  const { status, stdout } = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status === 0) return stdout;
  console.error(`${stdout}\nbuild failed: ${[command, ...args].join(" ")}`);
  process.exit(1);
}

rmSync(dist, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
run(join(root, "node_modules/.bin/tsc"), "--project", "tsconfig.build.json");
await documentTypes(root, target);
// Types need one file per module. The JavaScript of src and tasks is bundled instead; roles and playbooks import the
// entry points.
for (const folder of ["src", "tasks"]) {
  for (const name of readdirSync(join(target, folder), { recursive: true, encoding: "utf8" }))
    if (name.endsWith(".js")) rmSync(join(target, folder, name));
}
for (const extra of extras.filter((path) => existsSync(join(root, path))))
  cpSync(join(root, extra), join(target, extra), { recursive: true });
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
await bundle(root, target, Object.values(manifest.exports));
// The bundle contains code from zod, so zod's license must accompany it.
cpSync(join(root, "node_modules/zod/LICENSE"), join(target, "src/chunks/LICENSE.zod"));
writeFileSync(join(target, "package.json"), `${JSON.stringify(published(manifest), null, 2)}\n`);
const { messages, pkg } = await publint({ pkgDir: target, strict: true, pack: false });
for (const message of messages) console.error(formatMessage(message, pkg));
if (messages.length > 0) process.exit(1);
const tarball = run("npm", "pack", target, "--silent", "--pack-destination", dist).trim();
console.log(`built dist/${tarball}`);
