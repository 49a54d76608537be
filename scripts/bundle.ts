import { existsSync } from "node:fs";
import { join } from "node:path";
import { type CodeSplittingGroup, rolldown } from "rolldown";
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
 * The bundle's files, each with the modules whose imports it contains; the modules in one file are loaded together.
 * Without these groups, the bundler writes a file for each set of modules that the same entry points share: a run would
 * load more than a hundred files, most of them tiny. A module that several groups import is in the first of them.
 */
const groups: Readonly<Record<string, readonly string[]>> = {
  tasks: ["tasks/index.ts"],
  main: ["src/cli/main.ts", "src/cli/words/help.ts"],
  authoring: ["src/authoring.ts"],
  facts: ["src/facts/catalogue.ts"],
  run: [
    "src/cli/commands/run.ts",
    "src/cli/commands/index.ts",
    "src/cli/exit-codes.ts",
    "src/cli/words/arguments.ts",
    "src/cli/words/unknown-keys.ts",
    "src/load/ssh-config/files.ts",
    "src/report/plain.ts",
    "src/transport/frame/session/session.ts",
    "src/transport/ssh/ssh.ts",
    "src/transport/ssh/host-keys/known-hosts-file.ts",
    "src/transport/tried-passwords.ts",
  ],
};

function groupsOf(root: string): CodeSplittingGroup[] {
  const names = Object.keys(groups);
  return names.map((name, index) => {
    const paths = groups[name]?.map((path) => join(root, path)) ?? [];
    const missing = paths.find((path) => !existsSync(path));
    if (missing !== undefined) throw new Error(`scripts/bundle.ts lists a file that does not exist: ${missing}`);
    return { name, priority: names.length - index, test: (id) => paths.includes(id) };
  });
}

/**
 * Writes the package's JavaScript into `target`: a few large files instead of several hundred, because a short run
 * spends most of its time loading files. The parts of zod that are used are bundled. Other dependencies are not, and a
 * module that is loaded on demand remains a separate file. `doors` lists the sources that package.json exports.
 */
export async function bundle(root: string, target: string, doors: readonly string[]): Promise<void> {
  const built = await rolldown({
    cwd: root,
    platform: "node",
    input: entriesOf(doors),
    external: (id) => !/^(\.|\/|zod($|\/))/.test(id),
    // The groups below put modules that are loaded on demand next to those that load them.
    checks: { ineffectiveDynamicImport: false },
    plugins: [lateTasks(join(root, "tasks/index.ts"), chunks), lateLocales()],
  });
  await built.write({
    dir: target,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: `${chunks}/[name]-[hash].js`,
    codeSplitting: { groups: groupsOf(root) },
    // A single character beyond Latin-1 makes V8 store, hash and scan the whole file with two bytes per character.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  await built.close();
}
