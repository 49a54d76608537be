import { expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { explain } from "../../src/testing/index.ts";
import { noSurplus } from "./no-surplus.ts";

const host = (...names: string[]) => ({
  records: [],
  libvirt: {
    daemon: "up",
    problem: "",
    networks: {},
    links: {},
    domains: Object.fromEntries(names.map((name) => [name, { active: true, disks: [], networks: [], bridges: [] }])),
  },
});
const listed = (...numbers: number[]): string[] => numbers.map((number) => `lab-${number}`);
const refusal = (nodes: string[], ...names: string[]): string | undefined =>
  explain(noSurplus({ prefix: "lab", names: nodes }), host(...names)).refusal?.code;

test.each([
  { nodes: listed(1), names: [], code: undefined },
  { nodes: listed(1, 2, 3), names: ["lab-1"], code: undefined },
  { nodes: listed(1, 2, 3), names: ["lab-1", "lab-2", "lab-3", "other-9", "lab-web"], code: undefined },
  { nodes: listed(1), names: ["lab-1", "lab-2", "lab-3"], code: "nodes-left" },
  { nodes: listed(1, 3), names: ["lab-1", "lab-2", "lab-3"], code: "nodes-left" },
  { nodes: listed(1, 2, 3), names: ["lab-2", "lab-3"], code: "first-node-gone" },
  { nodes: listed(2, 3), names: ["lab-2", "lab-3"], code: undefined },
])("returns $code if the vars list $nodes and the host has $names", ({ nodes, names, code }) => {
  expect(refusal(nodes, ...names)).toBe(code);
});

test("refuses to create a cluster while removedNodes lists nodes, because the other nodes might have no cluster to join", () => {
  const call = noSurplus({ prefix: "lab", names: listed(2, 3), removed: true });
  const record = { type: "file" };
  expect(explain(call, { ...host(), records: [absent, absent] }).refusal?.code).toBe("nothing-removed");
  expect(explain(call, { ...host(), records: [absent, record] }).refusal).toBeUndefined();
  expect(explain(call, { ...host("lab-2"), records: [absent, absent] }).refusal).toBeUndefined();
});
