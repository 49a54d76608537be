import { absent, absolutePath, file, task, z } from "../../src/authoring.ts";

const params = z.strictObject({ path: absolutePath().describe("A file that is there or not") });

/** Looks whether a file is there, so that later tasks can depend on it. */
export const markerThere = task({
  name: "markerThere",
  summary: "Look whether a marker is there",
  params,
  examples: [],
  title: ({ path }) => `whether ${path} is there`,
})
  .facts((p) => ({ marker: file(p.path) }))
  .want(() => ({}))
  .steps(() => [])
  .outputs((_p, { marker }) => marker !== absent);
