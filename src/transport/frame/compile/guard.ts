import { createHash } from "node:crypto";
import type { GuardItem } from "../../../core/host/frame.ts";
import { kindOf } from "../../../core/facts/kind.ts";
import { shellQuote } from "../../../core/host/step.ts";
import { longLineBytes } from "../limits.ts";

/**
 * Compiles a guard into a call to `_fg` (on-host/guard.sh), which ends the frame if the guard fails. `script` answers
 * the guard's questions, numbered from `first`.
 */
export function compileGuard(item: GuardItem, at: number, script: string, first: number): string {
  const expected: string[] = [];
  const open: string[] = [];
  item.expected.forEach(({ question, lines, open: names = [] }, index) => {
    const number = first + index;
    const left = [...names, ...(kindOf(question.kind).volatile ?? [])];
    open.push(...left.map((name) => (name === "*" ? `${number} *` : `${number} ${name}=`)));
    if (left.includes("*")) return;
    for (const [name, value] of Object.entries(lines)) {
      if (!left.includes(name)) expected.push(expectedLine(`${number} ${name}`, value));
    }
  });
  const block = (list: readonly string[]): string => shellQuote(`\n${list.join("\n")}\n`);
  // A guard without questions has an empty script, and a shell rejects empty braces.
  return `_g=$( {\n${script === "" ? ":" : script}\n} ); _fg ${at} "$_g" ${block(expected)} ${block(open)} ${expected.length} || break`;
}

function expectedLine(name: string, value: string): string {
  const line = `${name}=${value}`;
  if (Buffer.byteLength(line, "utf8") <= longLineBytes) return line;
  return `${name}#${createHash("sha256").update(line, "utf8").digest("hex")}`;
}
