import { absent, absolutePath, file, task, z } from "../../src/authoring.ts";

const params = z.strictObject({ path: absolutePath().describe("File to look for") });

/** Checks whether a file exists, so later tasks can depend on the result. */
export const markerThere = task({
  name: "markerThere",
  summary: "Check whether a marker file exists",
  params,
  examples: [],
  title: ({ path }) => `whether ${path} exists`,
})
  .facts((p) => ({ marker: file(p.path) }))
  .want(() => ({}))
  .steps(() => [])
  .outputs((_p, { marker }) => marker !== absent);
