import { absolutePath, name, text, z } from "../../src/authoring.ts";

const words = z
  .array(z.string({ error: 'an argument, like "-v"' }))
  .min(1, 'a program and its arguments, like ["make", "install"]')
  .refine(([program]) => program !== "", 'a program, like "make"');

const either = 'a program and its arguments, like ["make", "install"], or a shell command, like "make install"';

/** The schema of a command: a program with its arguments, or a string for `sh -c`. */
const commandLine = (): z.ZodType<string | readonly string[], string | readonly string[]> =>
  z.union([words, z.string().regex(/\S/, either)], { error: either });

const shared = {
  command: commandLine().describe("Program and arguments as a list, or a string that `sh -c` runs"),
  stdin: text().optional().describe("Text for stdin; may contain secrets. Default: empty"),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a variable name, like "LANG"'), text())
    .optional()
    .describe("Added to its environment; values may contain secrets"),
  cwd: absolutePath().optional().describe("Working directory; default /"),
  user: name("a user", "postgres")
    .optional()
    .describe("User who runs it and `unless`; default: the user set by `become`, and for `unless` the login user"),
  okExit: z
    .array(z.int({ error: "an exit code" }).min(0, "an exit code").max(255, "an exit code from 0 to 255"))
    .min(1, "at least one exit code")
    .default([0])
    .describe("Exit codes that mean success"),
  disturbs: z
    .array(z.string().min(1))
    .optional()
    .describe('Ids of facts it may change, like ["file:/opt/app/**"]; default: all, so everything is read again'),
  mayProvide: z
    .array(z.string().min(1))
    .optional()
    .describe(
      "Facts that it may set to what later tasks want; check mode reports these tasks as undecided; default: `disturbs`, otherwise none",
    ),
};

/** Params of `command`. A command needs exactly one guard, which says whether the command has to run. */
export const params = z.union(
  [
    z.strictObject({
      ...shared,
      creates: absolutePath().describe("Run only if this path does not exist; the command must create it"),
    }),
    z.strictObject({
      ...shared,
      removes: absolutePath().describe("Run only if this path exists; the command must remove it"),
    }),
    z.strictObject({
      ...shared,
      unless: commandLine().describe("Run only if this command fails; afterwards it must succeed"),
      readOnly: z
        .boolean()
        .default(false)
        .describe(
          "`unless` changes nothing, so check mode may run it; otherwise check mode cannot tell whether the command has to run",
        ),
    }),
    z.strictObject({
      ...shared,
      always: z
        .literal(true, { error: "true: it runs every time" })
        .describe("Run every time, and always count as changed"),
    }),
  ],
  {
    error:
      'exactly one of `creates: "/path"`, `removes: "/path"`, `unless: ["test", "-e", "/path"]` and `always: true`, ' +
      "which say whether it has to run",
  },
);

/** Parsed params. */
export type Params = z.output<typeof params>;

/** Returns the argument vector to run. */
export function argvOf(command: string | readonly string[]): readonly string[] {
  return typeof command === "string" ? ["sh", "-c", command] : command;
}
