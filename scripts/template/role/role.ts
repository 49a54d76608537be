import { absolutePath, role, z } from "../../../src/authoring.ts";
import * as t from "../../../tasks/index.ts";

/** Maintains a folder with a note in it. */
export const exampleRole = role(
  {
    name: "exampleRole",
    summary: "Keep a folder with a note in it",
    params: z.strictObject({
      folder: absolutePath().describe("Absolute path on the host"),
      note: z.string().describe("The text of the note"),
    }),
  },
  ({ folder, note }) => [
    t.file({ path: folder, state: "directory", mode: "0755" }),
    t.file({ path: `${folder}/note.txt`, content: `${note}\n`, mode: "0644" }),
  ],
);
