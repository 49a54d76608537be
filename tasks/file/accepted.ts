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

/** A command that must accept a file's new content: its words. */
export const validate = (): z.ZodType<readonly string[], string> =>
  z
    .string({ error: 'a command with %s for the file, like "sshd -t -f %s"' })
    .regex(/^[^\s%][^\n\0]*%s/, 'a command with %s for the file, like "sshd -t -f %s"')
    .transform((line) => line.trim().split(/\s+/));

/** Asks whether the content that a file is to get is accepted, and where the program is that says so, unless the file has it, or it is too large to send twice. */
export function acceptedFact(
  { path, validate: argv }: { readonly path: string; readonly validate?: readonly string[] | undefined },
  found: unknown,
  text: string | undefined,
): { accepted?: HostFact<Absent | Acceptance>; validator?: HostFact<Absent | Program> } {
  if (argv === undefined || text === undefined || text.length > askedLength || hasContent(found, text)) return {};
  return { accepted: acceptance({ argv, text, path }), validator: program(argv[0] ?? "") };
}

/** The refusal of a content that the host's own program does not accept; undefined where it does, or nobody can say. */
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
    current: hidden ? "not shown, because the content is secret" : answer.said.trim() || "it says nothing",
    expected: `${argv.join(" ")} to succeed`,
    hint: "Correct the content",
  });
}

/** The refusal of a content whose program the host does not have; looking at what an earlier task may bring is undecided. */
export function noValidator(
  path: string,
  argv: readonly string[],
  found: Absent | Program | undefined,
): Refusal | undefined {
  if (found !== absent) return undefined;
  const name = argv[0] ?? "";
  return refuse({
    code: "no-program",
    message: `the host has no program ${name}, which must accept the new content of ${path}`,
    current: "no such program",
    expected: `${name} on the host`,
    hint: "Put a task that installs it before this one, or correct its name in validate",
  });
}
