import { join } from "node:path";
import { rolldown } from "rolldown";
import { lateLocales } from "./late-locales.ts";
import { lateTasks } from "./late-tasks.ts";

/**
 * The folder for code that several entry points share. It is two levels deep, because modules look for the package's
 * root two levels up.
 */
const chunks = "src/chunks";

/**
 * The entry points of the bundle: the command, programs that furrow starts as separate processes, and the package's
 * exports.
 */
function entriesOf(doors: readonly string[]): Record<string, string> {
  const named = ["src/cli/main.ts", ...doors.filter((path) => path.endsWith(".ts"))];
  return {
    ...Object.fromEntries(named.map((path) => [path.replace(/^\.\//, "").replace(/\.ts$/, ""), path])),
    [`${chunks}/apt-cache-process`]: "src/lab/image/apt-cache-process.ts",
  };
}

/**
 * Writes the package's JavaScript into `target`: a few large files instead of several hundred, including the parts of
 * zod that are used, because a short run spends most of its time loading them. Other dependencies are not bundled, and
 * a module that is loaded on demand remains a separate file. `doors` lists the sources that package.json exports.
 */
export async function bundle(root: string, target: string, doors: readonly string[]): Promise<void> {
  const built = await rolldown({
    cwd: root,
    platform: "node",
    input: entriesOf(doors),
    external: (id) => !/^(\.|\/|zod($|\/))/.test(id),
    plugins: [lateTasks(join(root, "tasks/index.ts")), lateLocales()],
  });
  await built.write({
    dir: target,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: `${chunks}/[name]-[hash].js`,
    // A single character beyond Latin-1 makes V8 store, hash and scan the whole file with two bytes per character.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  await built.close();
}
