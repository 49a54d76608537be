import { absolutePath, name, text, z } from "../../src/authoring.ts";

const words = z
  .array(z.string({ error: 'an argument, like "-v"' }).regex(/^[^\0]*$/, "an argument without a NUL character"))
  .min(1, 'a program and its arguments, like ["make", "install"]')
  .refine(([program]) => program !== "", 'a program, like "make"');

const either = 'a program and its arguments, like ["make", "install"], or a shell command, like "make install"';

/** The schema of a command: a program with its arguments, or a string for `sh -c`. */
export const commandLine = (): z.ZodType<string | readonly string[], string | readonly string[]> =>
  z.union(
    [
      words,
      z
        .string()
        .regex(/\S/, either)
        .regex(/^[^\0]*$/, "a shell command without a NUL character"),
    ],
    { error: either },
  );

const shared = {
  command: commandLine().describe("Program and arguments as a list, or a string that `sh -c` runs"),
  stdin: text().optional().describe("Text for stdin; may contain secrets. Default: empty"),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a variable name, like "LANG"'), text())
    .optional()
    .describe("Variables that are added to the command's environment; values may contain secrets"),
  cwd: absolutePath().optional().describe("Working directory; default /"),
  user: name("a user", "postgres")
    .optional()
    .describe(
      "User who runs the command and `unless`. Default: the user set by `become` for the command, the login user for `unless`",
    ),
  okExit: z
    .array(z.int({ error: "an exit code" }).min(0, "an exit code").max(255, "an exit code from 0 to 255"))
    .min(1, "at least one exit code")
    .default([0])
    .describe("Exit codes that mean success"),
  secret: z
    .boolean({ error: "true or false" })
    .default(false)
    .describe("The output is secret: no report shows it, and `output.stdout` and `output.stderr` are secrets"),
};

const reads = z
  .array(z.string().regex(/^(?!!)./, 'a fact, like "file:/etc/app.conf"'))
  .optional()
  .describe(
    'Ids of the facts that determine the result of the command, like ["file:/etc/app.conf", "unit:app.service"]; a folder stands for everything in it. Check mode knows the result if no earlier task would change them; default: anything on the host',
  );

/** The params that declare what a command changes in addition to what its guard checks. */
export const effects = {
  disturbs: z
    .array(z.string().min(1))
    .optional()
    .describe(
      'Ids of facts that the command may change, like ["file:/opt/app/**"]; check mode reports later tasks that need these facts as undecided; `[*]` stands for a star in a name; default: all, so everything is read again',
    ),
  mayProvide: z
    .array(z.string().min(1))
    .optional()
    .describe(
      "Ids of facts that later tasks require and that the command might provide. Check mode reports those tasks as undecided unless the facts are already correct; if this is given, check mode ignores `disturbs`",
    ),
};

/**
 * Params of `command`. A command needs exactly one guard, which decides whether the command has to run; `readOnly`
 * without `unless` means that the command only reads.
 */
export const params = z.union(
  [
    z.strictObject({
      ...shared,
      ...effects,
      creates: absolutePath().describe("Run only if this path does not exist; the command must create it"),
    }),
    z.strictObject({
      ...shared,
      ...effects,
      removes: absolutePath().describe("Run only if this path exists; the command must remove it"),
    }),
    z.strictObject({
      ...shared,
      ...effects,
      unless: commandLine().describe("Run only if this command fails; afterwards it must succeed"),
      readOnly: z
        .boolean()
        .default(false)
        .describe(
          "`unless` changes nothing, so check mode may run it; otherwise check mode cannot tell whether the command has to run",
        ),
      reads,
    }),
    z.strictObject({
      ...shared,
      reads,
      readOnly: z
        .literal(true, { error: "true: it changes nothing" })
        .describe("The command changes nothing: check mode runs it too, and it never counts as changed"),
    }),
    z.strictObject({
      ...shared,
      ...effects,
      always: z
        .literal(true, { error: "true: it runs every time" })
        .describe("Run every time, and always count as changed"),
    }),
  ],
  {
    error:
      'exactly one of `creates: "/path"`, `removes: "/path"`, `unless: ["test", "-e", "/path"]`, `readOnly: true` or ' +
      "`always: true`, which decides whether the command has to run",
  },
);

/** Parsed params. */
export type Params = z.output<typeof params>;

/** Returns the argument vector to run. */
export function argvOf(command: string | readonly string[]): readonly string[] {
  return typeof command === "string" ? ["sh", "-c", command] : command;
}

/** True if the command changes nothing and is run for its output. */
export function isReader(p: Params): boolean {
  return "readOnly" in p && !("unless" in p);
}
