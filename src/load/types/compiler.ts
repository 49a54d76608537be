import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** How the compiler of a project is started. */
export interface Compiler {
  readonly command: string;
  /** Words before those of the check. */
  readonly words: readonly string[];
  readonly version: string;
}

/** The TypeScript that a file of this folder would import; undefined where the project has none. */
export function findCompiler(folder: string): Compiler | undefined {
  const require = createRequire(join(folder, "noname.js"));
  try {
    const manifest = require.resolve("typescript/package.json");
    const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
    const home = dirname(manifest);
    const native = nativeProgram(home);
    if (native !== undefined) return { command: native, words: [], version };
    return { command: process.execPath, words: [join(home, "bin/tsc")], version };
  } catch {
    return undefined;
  }
}

/** TypeScript from 7 on is a program, in a package for each platform: starting it directly saves the start of a Node. */
function nativeProgram(home: string): string | undefined {
  const name = `@typescript/typescript-${process.platform}-${process.arch}`;
  try {
    const manifest = createRequire(join(home, "package.json")).resolve(`${name}/package.json`);
    const program = join(dirname(manifest), "lib/tsc");
    return existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}
