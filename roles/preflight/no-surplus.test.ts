import { expect, test } from "vitest";
import { explain } from "../../src/testing/index.ts";
import { noSurplus } from "./no-surplus.ts";

const host = (...names: string[]) => ({
  libvirt: {
    daemon: "up",
    problem: "",
    networks: {},
    links: {},
    domains: Object.fromEntries(names.map((name) => [name, { active: true, disks: [], networks: [], bridges: [] }])),
  },
});
const refusal = (nodes: number, ...names: string[]): string | undefined =>
  explain(noSurplus({ prefix: "lab", nodes }), host(...names)).refusal?.code;

test.each([
  { nodes: 1, names: [], code: undefined },
  { nodes: 3, names: ["lab-1"], code: undefined },
  { nodes: 3, names: ["lab-1", "lab-2", "lab-3", "other-9", "lab-web"], code: undefined },
  { nodes: 1, names: ["lab-1", "lab-2", "lab-3"], code: "nodes-left" },
  { nodes: 3, names: ["lab-2", "lab-3"], code: "first-node-gone" },
])("returns $code for $nodes nodes and the machines $names", ({ nodes, names, code }) => {
  expect(refusal(nodes, ...names)).toBe(code);
});
