import { readFile } from "node:fs/promises";
import type { Plugin } from "rolldown";

/**
 * A part of the bundler that has each task made when it is first used: most playbooks use a few, and the schemas of all are
 * a fifth of the CPU time of a short run. Until then a function stands in its place that is like it in every way. `index`:
 * the file that exports all tasks, a line for each. Throws where a line exports none.
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

/** The target is an arrow function: a proxy may hide nothing that its target has for good, and such a function has nothing. */
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
