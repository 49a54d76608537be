import { task, z } from "../../src/authoring.ts";

/** Shows lines at the end of a run. */
export const parvesterNotes = task({
  name: "parvesterNotes",
  summary: "Show, at the end of a run, what users should know about the cluster",
  params: z.strictObject({ lines: z.array(z.string()).describe("What to show") }),
  examples: [],
  title: () => "notes about the cluster",
})
  .facts(() => ({}))
  .want(() => ({}))
  .steps(() => [])
  .notes(({ lines }) => lines);
