import { createHash } from "node:crypto";
import type { GuardItem } from "../../../core/frame.ts";
import { kindOf } from "../../../core/kind.ts";
import { shellQuote } from "../../../core/step.ts";

/** Lines longer than this many bytes stand in a guard by their hash. */
const longLine = 400;

/**
 * `_fg ITEM ANSWER EXPECTED OPEN COUNT`: sends the answer, and fails unless its lines are the expected ones, each once.
 * EXPECTED and OPEN are lines between line breaks; OPEN names by `NUMBER name=` lines, by `NUMBER *` facts that are not
 * looked at. It forks only where a line is too long to be sent.
 */
export const guardFunction = String.raw`
_fl10='
'
_fg() {
  printf '%s R %s\n%s\n%s r %s\n' "$_fn" "$1" "$2" "$_fn" "$1" || exit 74
  _ga=$1; _ge=$3; _go=$4; _gc=$5
  _gi=$IFS; IFS=$_fl10; set -f; set -- $2; set +f; IFS=$_gi
  for _gl do
    case $_gl in
      "${"${_gl%% *}"} !"*) _gc=-1; break;;
    esac
    case $_go in *"$_fl10${"${_gl%% *}"} *$_fl10"*|*"$_fl10${"${_gl%%=*}"}=$_fl10"*) continue;; esac
    if [ ${"${#_gl}"} -gt ${longLine} ]; then _gh=$(printf %s "$_gl" | sha256sum); _gl=${"${_gl%%=*}"}#${"${_gh%% *}"}; fi
    case $_ge in *"$_fl10$_gl$_fl10"*) _gc=$((_gc - 1));; *) _gc=-1; break;; esac
  done
  if [ "$_gc" = 0 ]; then printf '%s G %s 1\n' "$_fn" "$_ga" || exit 74; return 0; fi
  printf '%s G %s 0\n' "$_fn" "$_ga" || exit 74; return 1
}`;

/** A guard's call of `_fg`, ending the frame where it fails; `script` answers its questions, numbered from `first`. */
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
  // A task of which nothing is asked has an empty guard, and no shell takes braces around nothing.
  return `_g=$( {\n${script === "" ? ":" : script}\n} ); _fg ${at} "$_g" ${block(expected)} ${block(open)} ${expected.length} || break`;
}

function expectedLine(name: string, value: string): string {
  const line = `${name}=${value}`;
  if (Buffer.byteLength(line, "utf8") <= longLine) return line;
  return `${name}#${createHash("sha256").update(line, "utf8").digest("hex")}`;
}
