import { encodeText } from "../../core/host/bytes.ts";
import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, type NumberedQuestion } from "../../core/facts/kind.ts";
import { isSecret, reveal, seal } from "../../core/secrets/secret.ts";
import { shellQuote } from "../../core/host/step.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import { sha256 } from "../files/file-content.ts";

/** A program's verdict on new file content before that content is installed. */
export interface Acceptance {
  readonly accepted: boolean;
  /** The end of the program's output, on one line; empty if the content is secret, because the output may quote it. */
  readonly said: string;
}

/** New file content, and the program that must accept it. */
export interface Candidate {
  /**
   * The program and its arguments. `%s` is replaced by the path of a file with the content; without `%s`, the program
   * reads the content from stdin. The program must not change anything.
   */
  readonly argv: readonly string[];
  /**
   * The content, which may contain secrets. Secrets appear only in the script that the host's shell reads, not in any
   * argument, log or id.
   */
  readonly text: string;
  /** The destination of the content. The temporary file for `%s` is in the same folder, so relative includes work. */
  readonly path: string;
}

/**
 * Asks a program on the host whether it accepts new file content: `nft -c -f -`, `sshd -t -f %s`. Absent if the answer
 * is unknown because the program or the folder does not exist. Asked only if the content is about to change.
 */
export function acceptance({ argv, text, path }: Candidate): HostFact<Absent | Acceptance> {
  if (!isSecret(text)) return ask(acceptanceKind, JSON.stringify({ argv, path, text }));
  const sealed = seal(encodeText(reveal(text)));
  secretTexts.set(sealed, text);
  return ask(acceptanceKind, JSON.stringify({ argv, path, sealed }));
}

type Asked = Omit<Candidate, "text"> & (Pick<Candidate, "text"> | { readonly sealed: string });

/** Secret file contents, keyed by the seals that replace them in ids. */
const secretTexts = new Map<string, string>();

/** The maximum length, in characters, of content that is checked before the run; the run's own step has no limit. */
export const askedLength = 1024 * 1024;

/** True if a file already has this content, so the content does not need a check. */
export function hasContent(found: unknown, text: string): boolean {
  if (typeof found !== "object" || found === null) return false;
  const content = encodeText(reveal(text));
  if ("seal" in found) return found.seal === seal(content);
  if ("text" in found && typeof found.text === "string") return reveal(found.text) === reveal(text);
  return "sha256" in found && found.sha256 === sha256(content);
}

/**
 * Verdicts of programs on file content, each from its own child process. Never asked ahead of the task, because most
 * programs also read other files.
 */
export const acceptanceKind = defineKind<Absent | Acceptance>({
  name: "acceptance",
  summary: "Whether a program on the host accepts the new content of a file",
  facets: {},
  neverAhead: true,
  deadlineSeconds: 70,
  volatile: ["said"],
  read: (questions) => `${acceptFunction}\n${questions.map(one).join("\n")}`,
  parse({ accepted, said = "" }, { key }) {
    if (accepted === undefined)
      throw new FurrowError("E_FACT", { what: `could not find out whether the program accepts the content: ${key}` });
    return accepted === "unknown" ? absent : { accepted: accepted === "yes", said };
  },
  print: (value) =>
    value === absent ? { accepted: "unknown" } : { accepted: value.accepted ? "yes" : "no", said: value.said },
});

// This shell stays in the folder of the temporary file, so it can remove the file even if the program moves the folder.
const acceptFunction = String.raw`accept() {
n=$1 f=$2 q=$3; shift 3
command -v "$1" >/dev/null || { cat >/dev/null; echo "$n accepted=unknown"; return; }
case " $* " in *%s*)
umask 077
t=$(mktemp "$f" 2>/dev/null) || { cat >/dev/null; echo "$n accepted=unknown"; return; }
cd -P -- "${"${t%/*}/"}" || { rm -f -- "$t"; cat >/dev/null; echo "$n accepted=unknown"; return; }
trap 'rm -f -- "./${"${t##*/}"}" "$t"' EXIT; trap 'exit 1' INT TERM HUP
cat >"$t" || { echo "$n accepted=unknown"; return; }
c=$#
while [ $c -gt 0 ]; do
a=$1; shift; case $a in *%s*) a=${"${a%%%s*}"}$t${"${a#*%s}"};; esac
set -- "$@" "$a"; c=$((c - 1))
done
o=$({ cd -P -- "$OLDPWD" || cd /; } >/dev/null 2>&1; timeout 60 "$@" 2>&1 </dev/null); c=$?
rm -f -- "./${"${t##*/}"}" "$t"; trap - EXIT;;
*) o=$(timeout 60 "$@" 2>&1); c=$?;;
esac
if [ $c -eq 0 ]; then echo "$n accepted=yes"; else echo "$n accepted=no"; fi
[ -z "$q" ] || o=
printf '%s said=%s\n' "$n" "$(printf %s "$o" | tail -c 500 | tr -c '[:print:]' ' ')"
}`;

function one({ number, key }: NumberedQuestion): string {
  const { argv, path, ...asked } = JSON.parse(key) as Asked;
  const text = "text" in asked ? asked.text : (secretTexts.get(asked.sealed) ?? "");
  const quiet = "text" in asked ? "''" : "1";
  const beside = `${path.slice(0, path.lastIndexOf("/"))}/.furrow.XXXXXX`;
  const content = Buffer.from(encodeText(reveal(text))).toString("base64");
  return `printf %s ${content} | base64 -d | (accept ${number} ${shellQuote(beside)} ${quiet} ${argv.map(shellQuote).join(" ")})`;
}
