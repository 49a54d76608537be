import { absolutePath, isProtected, mode, name, z } from "../../src/authoring.ts";

const pattern = 'a pattern without a slash at its ends, like "*.bak", ".git" or "cache/*"';

/** What `directoryTree` takes. */
export const params = z
  .strictObject({
    path: absolutePath()
      .refine((path) => path !== "/", "a directory below /")
      .describe("Directory on the host"),
    source: z
      .string({ error: "a directory on the controller" })
      .min(1, "a directory on the controller")
      .describe("Directory on the controller; a relative path starts where furrow was started"),
    exclude: z
      .array(z.string().regex(/^[^/\n](?:[^\n]*[^/\n])?$/, pattern))
      .default([])
      .describe(
        "Names or paths below the directory that are left alone on both sides; `*`, `?` and `**` stand for any",
      ),
    purge: z
      .boolean({ error: "true or false" })
      .default(false)
      .describe("Remove from the host's directory what the source does not have"),
    replace: z
      .literal("file", { error: '"file"' })
      .optional()
      .describe('"file": a regular file of the host may give way to a link of the source'),
    fileMode: mode()
      .optional()
      .describe('Octal mode of all files; default: "0644", or "0755" where the owner of the source may execute it'),
    directoryMode: mode().default("0755").describe("Octal mode of all directories"),
    owner: name("a user", "www-data").optional().describe("Owner of everything; left as it is where not given"),
    group: name("a group", "www-data").optional().describe("Group of everything; left as it is where not given"),
  })
  .refine((p) => !p.purge || !isProtected(p.path), {
    path: ["purge"],
    message: "false, because no host can do without what else is in this directory",
  });

/** Params of `directoryTree`, checked. */
export type TreeParams = z.output<typeof params>;
