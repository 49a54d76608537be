import { absolutePath, mode, name, text, z } from "../../src/authoring.ts";
import { isProtected } from "../../src/facts/catalogue.ts";
import { validate } from "./accepted.ts";

const place = {
  path: absolutePath().describe("Absolute path on the host"),
};
const attributes = {
  mode: mode().optional().describe('Octal mode in quotes, "0644"; left as it is where not given'),
  owner: name("a user", "www-data").optional().describe("Owning user, by name; left as it is where not given"),
  group: name("a group", "www-data").optional().describe("Owning group, by name; left as it is where not given"),
};

const written = {
  validate: validate()
    .optional()
    .describe(
      "Command that must accept the new file before it takes its place; %s is the file, and no shell reads it. Check mode asks it too, for contents up to 1 MiB, so it must change nothing",
    ),
  replace: z
    .literal("special", { error: '"special"' })
    .optional()
    .describe('"special": a device node, FIFO or socket at the path may give way to the file'),
};

/** What `file` takes. */
export const params = z.union([
  z.strictObject({
    ...place,
    state: z.literal("file").default("file").describe("A regular file with this content"),
    content: text().describe("The whole content; may hold secrets"),
    ...written,
    ...attributes,
  }),
  z.strictObject({
    ...place,
    state: z.literal("file").default("file").describe("A regular file with the content of a file of the controller"),
    source: z.string().min(1).describe("Path on the controller; a relative one starts where furrow was started"),
    ...written,
    ...attributes,
  }),
  z.strictObject({
    ...place,
    state: z.literal("directory").describe("A directory"),
    parents: z.boolean().default(true).describe("Make missing parents too, with mode 0755"),
    ...attributes,
  }),
  z.strictObject({
    ...place,
    state: z.literal("link").describe("A symbolic link"),
    target: z.string().min(1).describe("What the link points to, as it will stand in the link"),
    replace: z
      .enum(["file", "special"], { error: '"file" or "special"' })
      .optional()
      .describe(
        'What may give way to the link: "file" for a regular file, "special" for a device node, FIFO or socket',
      ),
  }),
  z.strictObject({
    path: place.path.refine((path) => !isProtected(path), "a path below it: no host can do without this directory"),
    state: z.literal("absent").describe("Nothing at this path"),
    recursive: z.boolean().default(false).describe("Remove a directory with all that is below it"),
    devices: z
      .boolean({ error: "true or false" })
      .default(false)
      .describe("Remove device nodes too, at the path or below it"),
  }),
]);

/** Params of `file`, checked. */
export type Params = z.output<typeof params>;
