import { z } from "zod";
import { ask, defineKind } from "../../src/core/facts/kind.ts";
import { task } from "../../src/core/authoring/task.ts";

/** The result of a user's own command that reads a cell. Only the command's author knows which cell it reads. */
interface Glance {
  readonly there: boolean;
}

const glanceKind = defineKind<Glance>({
  name: "glance",
  summary: "Whether a user's command finds a cell",
  facets: {},
  neverAhead: true,
  readsAnything: true,
  read: (questions) => questions.map(({ number, key }) => `glance ${number} ${key}`).join("\n"),
  parse: (lines) => ({ there: lines["there"] === "true" }),
  print: ({ there }) => ({ there: String(there) }),
  predict: (_before, wanted) => wanted as Glance,
});

/** Updates what the users' commands find on a simulated host, for these cells. */
export function glanceAt(cells: readonly string[], state: Map<string, unknown>): void {
  for (const key of cells) state.set(`glance:${key}`, { there: state.has(`cell:${key}`) });
}

/**
 * Like a command with `unless`: creates a cell if a user's command does not find it. `declared`: the author says which
 * cell that command reads.
 */
export const probe = task({
  name: "probe",
  summary: "Create a cell if a command says so",
  params: z.strictObject({ cell: z.string(), declared: z.boolean() }),
  examples: [],
  mayProvide: (p) => [`cell:${p.cell}`],
  disturbs: (p) => [`cell:${p.cell}`],
})
  .facts((p) => {
    const look = ask(glanceKind, p.cell);
    return { look: p.declared ? { ...look, reads: [`cell:${p.cell}`] } : look };
  })
  .want(() => ({ look: { there: true } }))
  .steps((p) => [{ step: "run", argv: ["provide", p.cell, JSON.stringify({ v: 2, w: "probed" })] }]);
