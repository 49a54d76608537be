import {
  type Absent,
  absent,
  type HostFact,
  program,
  type Program,
  refuse,
  type Refusal,
  z,
} from "../../src/authoring.ts";
import { acceptance, type Acceptance, askedLength, hasContent } from "../../src/facts/catalogue.ts";

/** The schema of a command, given as an argument vector, that must accept a file's new content. */
export const validate = (): z.ZodType<readonly string[], string> =>
  z
    .string({ error: 'a command with %s for the file, like "sshd -t -f %s"' })
    .regex(/^[^\s%][^\n\0]*%s/, 'a command with %s for the file, like "sshd -t -f %s"')
    .transform((line) => line.trim().split(/\s+/));

/**
 * Returns facts that show whether the host's program accepts the new content, and where that program is. Returns no
 * facts if the file already has the content, or if the content is too large to send twice.
 */
export function acceptedFact(
  { path, validate: argv }: { readonly path: string; readonly validate?: readonly string[] | undefined },
  found: unknown,
  text: string | undefined,
): { accepted?: HostFact<Absent | Acceptance>; validator?: HostFact<Absent | Program> } {
  if (argv === undefined || text === undefined || text.length > askedLength || hasContent(found, text)) return {};
  return { accepted: acceptance({ argv, text, path }), validator: program(argv[0] ?? "") };
}

/**
 * Refuses content that the host's own program rejects; undefined if the program accepts the content, or if that is not
 * known.
 */
export function notAccepted(
  path: string,
  argv: readonly string[],
  answer: Absent | Acceptance | undefined,
  hidden = false,
): Refusal | undefined {
  if (answer === undefined || answer === absent || answer.accepted) return undefined;
  return refuse({
    code: "not-accepted",
    message: `${argv[0] ?? ""} does not accept the new content of ${path}`,
    current: hidden ? "not shown, because the content is secret" : answer.said.trim() || "it printed nothing",
    expected: `${argv.join(" ")} to succeed`,
    hint: "Correct the content of the file",
  });
}

/**
 * Refuses if the program is not installed on the host. If an earlier task may install the program, reading the fact
 * makes the task undecided.
 */
export function noValidator(
  path: string,
  argv: readonly string[],
  found: Absent | Program | undefined,
): Refusal | undefined {
  if (found !== absent) return undefined;
  const name = argv[0] ?? "";
  return refuse({
    code: "no-program",
    message: `the program ${name}, which must accept the new content of ${path}, is not installed on the host`,
    current: "no such program",
    expected: `${name} on the host`,
    hint: "Install it in an earlier task, or correct its name in validate",
  });
}
