import { absolutePath, mode, name, text, z } from "../../src/authoring.ts";
import { isProtected } from "../../src/facts/catalogue.ts";
import { validate } from "./accepted.ts";

const place = {
  path: absolutePath().describe("Absolute path on the host"),
};
const attributes = {
  mode: mode().optional().describe('Octal mode in quotes, "0644"; unchanged if not given'),
  owner: name("a user", "www-data").optional().describe("Owning user, by name; unchanged if not given"),
  group: name("a group", "www-data").optional().describe("Owning group, by name; unchanged if not given"),
};

const written = {
  validate: validate()
    .optional()
    .describe(
      "Command that must accept the new file before it replaces the old one; %s is its path; runs without a shell. Check mode runs it too, for contents up to 1 MiB, so it must not change anything",
    ),
  replace: z
    .literal("special", { error: '"special"' })
    .optional()
    .describe('"special": the file may replace a device node, FIFO or socket'),
};

/** Params of `file`. */
export const params = z.union([
  z.strictObject({
    ...place,
    state: z.literal("file").default("file").describe("A regular file with this content"),
    content: text().describe("The whole content; may contain secrets"),
    ...written,
    ...attributes,
  }),
  z.strictObject({
    ...place,
    state: z.literal("file").default("file").describe("A regular file with the content of a file on the controller"),
    source: z
      .string()
      .min(1)
      .describe("Path on the controller; a relative path is resolved against furrow's working directory"),
    ...written,
    ...attributes,
  }),
  z.strictObject({
    ...place,
    state: z.literal("directory").describe("A directory"),
    parents: z.boolean().default(true).describe("Create missing parent directories too, with mode 0755"),
    ...attributes,
  }),
  z.strictObject({
    ...place,
    state: z.literal("link").describe("A symbolic link"),
    target: z.string().min(1).describe("Target of the link, stored as written"),
    replace: z
      .enum(["file", "special"], { error: '"file" or "special"' })
      .optional()
      .describe('What the link may replace: "file" for a regular file, "special" for a device node, FIFO or socket'),
  }),
  z.strictObject({
    path: place.path.refine((path) => !isProtected(path), "a path below it: every host needs this directory"),
    state: z.literal("absent").describe("Nothing at this path"),
    recursive: z.boolean().default(false).describe("Remove a directory with everything below it"),
    devices: z
      .boolean({ error: "true or false" })
      .default(false)
      .describe("Remove device nodes too, at the path or below it"),
  }),
]);

/** Parsed params of `file`. */
export type Params = z.output<typeof params>;
