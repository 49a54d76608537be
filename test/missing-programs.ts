import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeEach } from "vitest";

/**
 * Skips a test whose name says which program it uses (`in busybox`, `under busybox,sh,-c`, `using nc`) if that program
 * is not installed. `npm run ok` and `npm test` install the programs if they can, and report missing programs.
 */
const programs = ["busybox", "mksh", "curl", "nc", "openssl", "ip", "xxd", "hexdump", "shellcheck"];
// This code runs once per test file: a separate shell for each program would take a quarter of the whole suite's time.
const folders = (process.env["PATH"] ?? "").split(delimiter);
const missing = programs.filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
const named = new RegExp(`\\b(in|under|by|using|with|through|of|host's) (${missing.join("|")})\\b`);

if (missing.length > 0) {
  beforeEach(({ task, skip }) => {
    let name = task.name;
    for (let suite = task.suite; suite !== undefined; suite = suite.suite) name = `${suite.name} ${name}`;
    const program = named.exec(name)?.[2];
    if (program !== undefined) skip(`${program} is not installed`);
  });
}
