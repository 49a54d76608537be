import { type Absent, absent, type Acceptance, refuse, type Refusal, z } from "../../src/authoring.ts";

/** A command that must accept a file's new content: its words. */
export const validate = (): z.ZodType<readonly string[], string> =>
  z
    .string({ error: 'a command with %s for the file, like "sshd -t -f %s"' })
    .regex(/^[^\s%][^\n\0]*%s/, 'a command with %s for the file, like "sshd -t -f %s"')
    .transform((line) => line.trim().split(/\s+/));

/** The refusal of a content that the host's own program does not accept; undefined where it does, or nobody can say. */
export function notAccepted(
  path: string,
  argv: readonly string[],
  answer: Absent | Acceptance | undefined,
): Refusal | undefined {
  if (answer === undefined || answer === absent || answer.accepted) return undefined;
  return refuse({
    code: "not-accepted",
    message: `${argv[0] ?? ""} does not accept the new content of ${path}`,
    current: answer.said.trim() || "it says nothing",
    expected: `${argv.join(" ")} to succeed`,
    hint: "Correct the content",
  });
}
