import { pathToFileURL } from "node:url";
import { layOutParts, triedPages } from "../../scripts/docs/pages.ts";
import { rmSync } from "node:fs";
import type { Node } from "../../src/core/authoring/group.ts";
import type { Play } from "../../src/core/authoring/playbook.ts";
import { withWrongCalls } from "../../src/core/wrong-calls.ts";
import { checkConflicts } from "../../src/engine/plan/conflicts/conflicts.ts";
import { planNodes } from "../../src/engine/plan/plan.ts";

// Plans the parts of playbooks in the pages as a run would, and prints the results as JSON: the number of planned
// lists, and what was refused.

const hosts = ["web1", "web2"].map((name, index) => ({ name, address: name, groups: ["web"], index }));
const [host] = hosts;
const facts = {
  hostname: "web1",
  os: { id: "debian", version: "12", like: ["debian"] },
  architecture: "x86_64",
  kernel: "6.1",
  processors: 2,
  memoryBytes: 2 ** 31,
  kvm: false,
  addresses: {},
};
const setting = { target: "web1", path: [], tags: [], when: [], become: undefined };

/** The lists of tasks in a constant, which can be a task, a play, or a list of tasks or plays. */
function listsIn(value: unknown): (() => readonly Node[])[] {
  const values = Array.isArray(value) ? (value as unknown[]) : [value];
  const plays = values.filter(isPlay);
  if (plays.length > 0)
    return plays.map((play) => () => play.tasks({ host, hosts, allHosts: hosts, facts, vars: {} } as never));
  const nodes = values.filter(isNode);
  return nodes.length === 0 ? [] : [() => nodes];
}

function isPlay(value: unknown): value is Play<never> {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "tasks") && Object.hasOwn(value, "hosts");
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "node");
}

const { folder, parts } = layOutParts(triedPages());
const refused: string[] = [];
const planned: string[] = [];
try {
  for (const { page, line, path } of parts) {
    try {
      const part = (await import(pathToFileURL(path).href)) as { default: (context: object) => object };
      const constants = Object.entries(part.default({ host, hosts, allHosts: hosts, facts }));
      for (const { name, list } of constants.flatMap(([of, value]) =>
        listsIn(value).map((one) => ({ name: of, list: one })),
      )) {
        checkConflicts(withWrongCalls(() => planNodes(list(), setting, "")));
        planned.push(`${page} ${name}`);
      }
    } catch (error) {
      refused.push(`${page}:${line} ${(error as Error).message}`);
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.stdout.write(JSON.stringify({ planned, refused }));
