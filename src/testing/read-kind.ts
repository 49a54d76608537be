import { execFile } from "node:child_process";
import type { Question } from "../core/facts/fact.ts";
import { kindOf, type Lines, scriptOf } from "../core/facts/kind.ts";

/** Options for running a kind's script on this machine. */
export interface ReadKindOptions {
  /**
   * The shell, with the arguments that precede the script. Default: `["sh", "-c"]`. For busybox: `["busybox", "sh",
   * "-c"]`.
   */
  readonly shell?: readonly string[];
  /** Variables to add to the environment, for example a PATH with stand-ins for programs. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The answer to one question. */
export interface KindAnswer {
  readonly value: unknown;
  /** The lines that the script printed. */
  readonly lines: Lines;
  /** The script's message, if the script reports that the fact cannot be read. */
  readonly unreadable?: string;
}

/**
 * Runs a kind's script with a real shell on this machine, for tests of a kind on a real system. Returns the answers in
 * the order of the questions. All questions must be of one kind.
 */
export async function readKind(questions: readonly Question[], options: ReadKindOptions = {}): Promise<KindAnswer[]> {
  const [first] = questions;
  if (first === undefined) return [];
  const kind = kindOf(first.kind);
  const [program = "sh", ...before] = options.shell ?? ["sh", "-c"];
  const script = scriptOf(
    kind,
    questions.map((question, number) => ({ ...question, number })),
  );
  const output = await new Promise<string>((resolve, reject) => {
    const child = execFile(
      program,
      [...before, script],
      { env: { ...process.env, LC_ALL: "C", ...options.env }, maxBuffer: 1 << 28, encoding: "latin1" },
      (error, stdout, stderr) => {
        if (error && typeof error.code !== "number") reject(new Error(error.message, { cause: error }));
        else if (stderr.includes("yntax error")) reject(new Error(stderr));
        else resolve(stdout);
      },
    );
    child.stdin?.end();
  });
  return questions.map((question, number) => {
    const { lines, unreadable } = linesOf(output, number);
    if (unreadable !== undefined) return { value: undefined, lines, unreadable };
    return { value: kind.parse(lines, question), lines };
  });
}

function linesOf(output: string, number: number): { lines: Lines; unreadable?: string } {
  const lines = new Map<string, string>();
  for (const line of output.split("\n")) {
    if (!line.startsWith(`${number} `)) continue;
    const rest = line.slice(String(number).length + 1);
    if (rest.startsWith("!")) return { lines: Object.fromEntries(lines), unreadable: rest.slice(1) };
    const at = rest.indexOf("=");
    lines.set(rest.slice(0, at), rest.slice(at + 1));
  }
  return { lines: Object.fromEntries(lines) };
}
