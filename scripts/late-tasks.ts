import { readFile } from "node:fs/promises";
import type { Plugin } from "rolldown";

/**
 * A bundler plug-in that creates each task when it is first used. Most playbooks use only a few tasks, and creating the
 * schemas of all of them takes a fifth of the CPU time of a short run. Each task is replaced by a proxy that behaves
 * like it. `index` is the file that exports all tasks, one per line. Throws if a line does not export a task.
 */
export function lateTasks(index: string): Plugin {
  return {
    name: "late tasks",
    async load(id) {
      if (id !== index) return undefined;
      const lines = (await readFile(index, "utf8")).split("\n").filter((line) => line.startsWith("export"));
      return { code: `${standIn}\n${lines.map(lateTask).join("\n")}\n`, moduleType: "js" };
    },
  };
}

function lateTask(line: string): string {
  const [, names = "", path = ""] = /^export \{ (.+) \} from "(.+)";$/.exec(line) ?? [];
  const [name = ""] = names.split(", ");
  if (name === "" || path === "") throw new Error(`tasks/index.ts has a line that exports no task: ${line}`);
  const own = `late_${name}`;
  const exported = names.split(", ").map((one) => `${own} as ${one.split(" as ").at(-1)}`);
  return `const ${own} = late(() => require("${path}").${name});\nexport { ${exported.join(", ")} };`;
}

/**
 * The proxy's target is an arrow function, because an arrow function has no fixed properties that the proxy would have
 * to show.
 */
const standIn = `function late(make) {
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
