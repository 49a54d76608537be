import { absent, absolutePath, file, task, z } from "../../../src/authoring.ts";

/** Creates an empty file at a path, or removes it. */
export const exampleTask = task({
  name: "exampleTask",
  summary: "Keep an empty file at a path, or remove it",
  params: z.strictObject({
    path: absolutePath().describe("Absolute path on the host"),
    present: z.boolean().default(true).describe("False to remove the file"),
  }),
  examples: [{ path: "/etc/example" }, { path: "/etc/example", present: false }],
  title: (p) => `exampleTask ${p.path}`,
})
  .facts((p) => ({ marker: file(p.path) }))
  .want((p) => ({ marker: p.present ? { type: "file" } : absent }))
  .steps((p, { change }) => [
    change.marker &&
      (p.present ? { step: "writeFile", path: p.path, text: "" } : { step: "remove", path: p.path, recursive: false }),
  ]);
