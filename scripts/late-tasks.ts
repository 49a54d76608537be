import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Plugin } from "rolldown";

/**
 * A bundler plug-in that writes each task to a file of its own, `task-NAME.js` in `folder`, and loads that file when
 * the task is first used. Most playbooks use only a few tasks, and loading all of them takes a fifth of the CPU time of
 * a short run. Each task is replaced by a proxy that behaves like it. `index` is the file that exports all tasks, one
 * per line; its own code must end up in `folder` too. Throws if a line does not export a task.
 */
export function lateTasks(index: string, folder: string): Plugin {
  return {
    name: "late tasks",
    async load(id) {
      if (id !== index) return undefined;
      const lines = (await readFile(index, "utf8")).split("\n").filter((line) => line.startsWith("export"));
      const tasks = lines.map(readLine);
      for (const { file, path } of tasks)
        this.emitFile({ type: "chunk", id: join(dirname(index), path), fileName: `${folder}/${file}` });
      return { code: `${standIn}\n${tasks.map(lateTask).join("\n")}\n`, moduleType: "js" };
    },
  };
}

/** A line of the index. */
interface Line {
  /** The task's name in its own file. */
  readonly name: string;
  /** The names under which the index exports it. */
  readonly exported: readonly string[];
  /** The path of the task's source, relative to the index. */
  readonly path: string;
  /** The name of its file in the bundle. */
  readonly file: string;
}

function readLine(line: string): Line {
  const [, names = "", path = ""] = /^export \{ (.+) \} from "(.+)";$/.exec(line) ?? [];
  const [name = ""] = names.split(/, | as /);
  if (name === "" || path === "") throw new Error(`tasks/index.ts has a line that does not export a task: ${line}`);
  const exported = names.split(", ").map((one) => one.split(" as ").at(-1) ?? one);
  return { name, exported, path, file: `task-${name}.js` };
}

function lateTask({ name, exported, file }: Line): string {
  const own = `late_${name}`;
  const names = exported.map((one) => `${own} as ${one}`).join(", ");
  return `const ${own} = late(() => load("./${file}").${name});\nexport { ${names} };`;
}

/**
 * The proxy's target is an arrow function, because an arrow function has no fixed properties that the proxy would have
 * to show.
 */
const standIn = `import { createRequire } from "node:module";
const load = createRequire(import.meta.url);
function late(make) {
  let made;
  const task = () => (made ??= make());
  return new Proxy(() => {}, {
    apply: (_target, self, words) => Reflect.apply(task(), self, words),
    get: (_target, name) => Reflect.get(task(), name),
    has: (_target, name) => Reflect.has(task(), name),
    ownKeys: () => Reflect.ownKeys(task()),
    getOwnPropertyDescriptor(_target, name) {
      const found = Reflect.getOwnPropertyDescriptor(task(), name);
      return found && { ...found, configurable: true };
    },
  });
}`;
