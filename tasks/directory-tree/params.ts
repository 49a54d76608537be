import { absolutePath, mode, name, z } from "../../src/authoring.ts";
import { isProtected } from "../../src/facts/catalogue.ts";

const pattern = 'a pattern without a leading or trailing slash, like "*.bak", ".git" or "cache/*"';

/** Params of `directoryTree`. */
export const params = z
  .strictObject({
    path: absolutePath()
      .refine((path) => path !== "/", "a directory below /")
      .describe("Directory on the host; a file system that is mounted below it is not part of the tree"),
    source: z
      .string({ error: "a directory on the controller" })
      .min(1, "a directory on the controller")
      .describe("Directory on the controller; a relative path is resolved against furrow's working directory"),
    exclude: z
      .array(z.string().regex(/^[^/\n](?:[^\n]*[^/\n])?$/, pattern))
      .default([])
      .describe("Names or paths below the directory to ignore on both sides; may contain `*`, `?` and `**`"),
    purge: z
      .boolean({ error: "true or false" })
      .default(false)
      .describe("Remove everything in the host's directory that is not in the source"),
    replace: z
      .literal("file", { error: '"file"' })
      .optional()
      .describe('"file": a regular file on the host may be replaced with a link from the source'),
    fileMode: mode()
      .optional()
      .describe('Octal mode of all files; default: "0644", or "0755" if the owner of the source file may execute it'),
    directoryMode: mode().default("0755").describe("Octal mode of all directories"),
    owner: name("a user", "www-data").optional().describe("Owner of everything; unchanged if not given"),
    group: name("a group", "www-data").optional().describe("Group of everything; unchanged if not given"),
  })
  .refine((p) => !p.purge || !isProtected(p.path), {
    path: ["purge"],
    message: "false, because this is a system directory that the host needs",
  });

/** Parsed params of `directoryTree`. */
export type TreeParams = z.output<typeof params>;
