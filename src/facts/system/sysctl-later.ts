import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, type NumberedQuestion } from "../../core/facts/kind.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import { ownSysctlPrefix, sysctlPath } from "./kernel.ts";
import { shellQuote } from "../../core/host/step.ts";
import { numbered } from "./quote.ts";

/** The value of a kernel parameter that another file sets at every boot, after furrow's own file. */
export interface LaterSysctl {
  /** The file that takes effect, because its name sorts after the name of furrow's file. */
  readonly file: string;
  /** The value, with single spaces between its parts. */
  readonly value: string;
}

/** Asks which file sets a parameter after furrow's own file sets it; absent if no file does. */
export function laterSysctl(key: string): HostFact<Absent | LaterSysctl> {
  return ask(laterSysctlKind, sysctlPath(key));
}

/**
 * Files that are read after furrow's own. Files are read in the order of their names, whichever folder they are in
 * (sysctl.d(5)).
 */
export const laterSysctlKind = defineKind<Absent | LaterSysctl>({
  name: "laterSysctl",
  summary: "The file that sets a kernel parameter after furrow's own file at every boot",
  facets: {},
  afterBoot: (_key, value) => value,
  read: (questions) => laterScript(questions),
  parse: ({ file, value }) => (file === undefined ? absent : { file, value: value ?? "" }),
  print: (value) => (value === absent ? { none: "yes" } : { file: value.file, value: value.value }),
});

/**
 * The script for this kind. A file hides files with the same name in later folders. Usually no name sorts after the
 * name of furrow's file; then the script starts no program. In a key with dots, a slash stands for a dot within a part;
 * if the key has a leading `-`, a failure to set it at boot is ignored. Keys with wildcards are ignored, because a key
 * that is set by its full name takes precedence over them (sysctl.d(5)).
 */
export function laterScript(questions: readonly NumberedQuestion[], root = ""): string {
  return String.raw`later=
for d in /etc /run /usr/local/lib /usr/lib; do
for f in ${root}"$d"/sysctl.d/*.conf; do
b=${"${f##*/}"}
case $b in ${ownSysctlPrefix}*) continue;; esac
[ "$b" \> ${ownSysctlPrefix} ] && [ -e "$f" ] || continue
case $later in *"/$b
"*) continue;; esac
later="$later$b $f
"
done
done
[ -n "$later" ] || { for x in ${numbered(questions)}; do echo "${"${x%%:*}"} none=yes"; done; exit 0; }
printf %s "$later" | sort | awk -v asked=${shellQuote(questions.map(({ number, key }) => `${number}:${key}`).join(" "))} '
function trim(text) { gsub(/^[ \t]+|[ \t]+$/, "", text); return text }
function slashes(key,  out, i, c) {
  if (match(key, /[.\/]/) == 0 || substr(key, RSTART, 1) == "/") return key
  for (i = 1; i <= length(key); i++) { c = substr(key, i, 1); out = out (c == "." ? "/" : c == "/" ? "." : c) }
  return out
}
{ path = substr($0, index($0, " ") + 1)
  while ((got = (getline line < path)) > 0) {
    line = trim(line); at = index(line, "=")
    if (line ~ /^[#;]/ || at == 0) continue
    key = trim(substr(line, 1, at - 1)); sub(/^-/, "", key); value = trim(substr(line, at + 1)); gsub(/[ \t]+/, " ", value)
    key = slashes(key); from[key] = path; to[key] = value
  }
  if (got < 0) broken = path
  close(path) }
END { count = split(asked, list, " ")
  for (i = 1; i <= count; i++) { at = index(list[i], ":"); n = substr(list[i], 1, at - 1); key = substr(list[i], at + 1)
    if (broken != "") print n " !" broken " cannot be read"
    else if (key in from) { print n " file=" from[key]; print n " value=" to[key] }
    else print n " none=yes" } }'`;
}
