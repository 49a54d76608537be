import { absolutePath, name, text, z } from "../../src/authoring.ts";

const words = z
  .array(z.string({ error: 'an argument, like "-v"' }))
  .min(1, 'a program and its arguments, like ["make", "install"]')
  .refine(([program]) => program !== "", 'a program, like "make"');

const either = 'a program and its arguments, like ["make", "install"], or a shell command, like "make install"';

/** A program with its arguments, or a text for `sh -c`. */
const commandLine = (): z.ZodType<string | readonly string[], string | readonly string[]> =>
  z.union([words, z.string().regex(/\S/, either)], { error: either });

const shared = {
  command: commandLine().describe("Program and arguments as a list; or a text, which `sh -c` runs"),
  stdin: text().optional().describe("Text for its stdin; may hold secrets. Without it stdin is empty"),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a variable name, like "LANG"'), text())
    .optional()
    .describe("Added to its environment; values may hold secrets"),
  cwd: absolutePath().optional().describe("Working directory; default /"),
  user: name("a user", "postgres")
    .optional()
    .describe("Runs it, and `unless`, as this user; default: as `become` says, and `unless` as the session's user"),
  okExit: z
    .array(z.int({ error: "an exit code" }).min(0, "an exit code").max(255, "an exit code from 0 to 255"))
    .min(1, "at least one exit code")
    .default([0])
    .describe("Exit codes that mean success"),
  disturbs: z
    .array(z.string().min(1))
    .optional()
    .describe('Facts it may touch, by id: ["file:/opt/app/**"]; default: everything, which is then read again'),
  mayProvide: z
    .array(z.string().min(1))
    .optional()
    .describe(
      "Facts that later tasks want and that it may already bring about: check mode cannot tell then; default: as `disturbs`, else none",
    ),
};

/** A command needs exactly one way to tell whether it has to run. */
export const params = z.union(
  [
    z.strictObject({
      ...shared,
      creates: absolutePath().describe("Runs only where nothing is at this path, and must bring it about"),
    }),
    z.strictObject({
      ...shared,
      removes: absolutePath().describe("Runs only where something is at this path, and must remove it"),
    }),
    z.strictObject({
      ...shared,
      unless: commandLine().describe("Runs only where this command fails, and must make it succeed"),
      readOnly: z
        .boolean()
        .default(false)
        .describe("`unless` changes nothing: check mode may run it. Otherwise check mode cannot tell"),
    }),
    z.strictObject({
      ...shared,
      always: z
        .literal(true, { error: "true: it runs every time" })
        .describe("Runs every time, and always counts as changed"),
    }),
  ],
  {
    error:
      'exactly one of `creates: "/path"`, `removes: "/path"`, `unless: ["test", "-e", "/path"]` and `always: true`, ' +
      "which tell whether it has to run",
  },
);

/** What the task's links see. */
export type Params = z.output<typeof params>;

/** The words to run. */
export function argvOf(command: string | readonly string[]): readonly string[] {
  return typeof command === "string" ? ["sh", "-c", command] : command;
}
