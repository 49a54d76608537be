import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The command that starts a project's compiler. */
export interface Compiler {
  readonly command: string;
  /** Arguments that come before those of the check. */
  readonly words: readonly string[];
  readonly version: string;
}

/** The TypeScript compiler that a file in this folder would import; undefined if the project has none. */
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

/**
 * From TypeScript 7 on, the compiler is a native program in a per-platform package. Running it directly saves the time
 * it takes to start Node.
 */
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
