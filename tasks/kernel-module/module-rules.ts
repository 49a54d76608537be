import type { HostFact } from "../../src/authoring.ts";
import { ask, defineKind, FurrowError, type NumberedQuestion, shellQuote } from "../../src/facts/index.ts";
import { moduleName } from "./module-state.ts";
import { ownPrefix } from "./own-files.ts";

/** A line about a module in a file that furrow did not write. */
export interface ModuleRule {
  /** The file's path; `/proc/cmdline` for the command line of the running kernel. */
  readonly file: string;
  /** The line with single spaces between its words; for a line of modules-load.d, `load NAME`. */
  readonly line: string;
}

/** The settings for a module in the host's configuration. */
export interface ModuleRules {
  /** In the order in which modprobe reads them. */
  readonly rules: readonly ModuleRule[];
}

/** Reads the settings for a module in files other than furrow's own. */
export function moduleRules(name: string): HostFact<ModuleRules> {
  return ask(moduleRulesKind, moduleName(name));
}

/**
 * Lines of modprobe.d(5) and modules-load.d(5), of Debian's /etc/modules, and `modprobe.blacklist=` and
 * `module_blacklist=` on the kernel's command line (kernel-command-line(7)).
 */
export const moduleRulesKind = defineKind<ModuleRules>({
  name: "kernelModuleRules",
  summary: "The lines about a kernel module in the host's own configuration",
  facets: {},
  afterBoot: (_key, value) => value,
  read: (questions) => rulesScript(questions),
  parse(lines, { key }) {
    if (lines["rules"] === undefined) {
      throw new FurrowError("E_FACT", { what: `the rules for ${key} could not be read` });
    }
    return {
      rules: Array.from({ length: Number(lines["rules"]) }, (_, at) => {
        const rule = lines[`rule:${at + 1}`] ?? "";
        const tab = rule.lastIndexOf("\t");
        return { file: rule.slice(0, tab), line: rule.slice(tab + 1) };
      }),
    };
  },
  print: ({ rules }) => ({
    ...Object.fromEntries(rules.map(({ file, line }, at) => [`rule:${at + 1}`, `${file}\t${line}`])),
    rules: String(rules.length),
  }),
});

/**
 * The script for this kind. A file hides files with the same name in later folders. In modprobe.d, a backslash at the
 * end of a line continues it, and the name after `install`, `options` or `remove` may be a pattern. `root` is for
 * tests.
 */
export function rulesScript(questions: readonly NumberedQuestion[], root = ""): string {
  const asked = questions.map(({ number, key }) => `${number}:${key}`).join(" ");
  return String.raw`files() {
seen=/
for d in /etc /run /usr/local/lib /usr/lib /lib; do
for f in ${root}"$d/$1"/*.conf; do
b=${"${f##*/}"}
case $b in ${ownPrefix}*) continue;; esac
case $seen in */"$b"/*) continue;; esac
[ -e "$f" ] || continue
seen=$seen$b/
[ -f "$f" ] && echo "$b/$1/$f"
done
done | LC_ALL=C sort -t / -k 1,1
}
{ files modprobe.d; files modules-load.d
[ -e ${root}/etc/modules-load.d/modules.conf ] || [ ! -f ${root}/etc/modules ] || echo "modules/modules-load.d/${root}/etc/modules"
[ -r ${root}/proc/cmdline ] && echo "cmdline/cmdline/${root}/proc/cmdline"
} | awk -v root=${shellQuote(root)} -v asked=${shellQuote(asked)} '
function same(name) { gsub(/-/, "_", name); return name }
function add(name, line) { many[name]++; text[name, many[name]] = shown "\t" line }
function rule(name, line) { name = same(name); if (name in want) add(name, line) }
function pattern(name,  out, c, i, set) {
for (i = 1; i <= length(name); i++) { c = substr(name, i, 1)
if (set) { out = out (c == "!" && set == 1 ? "^" : c); set = c == "]" && set > 1 ? 0 : 2 }
else if (c == "[" && index(substr(name, i + 2), "]")) { out = out c; set = 1 }
else out = out (c == "*" ? ".*" : c == "?" ? "." : c == "-" ? "_" : c ~ /[A-Za-z0-9_]/ ? c : "[" c "]") }
return "^" out "$" }
function rules(name, line,  key) {
if (name !~ /[*?[]/) { rule(name, line); return }
name = pattern(name); for (key in want) if (key ~ name) add(key, line) }
function listed(words,  count, names, i) { count = split(words, names, ","); for (i = 1; i <= count; i++) rule(names[i], $0) }
BEGIN { count = split(asked, list, " "); for (i = 1; i <= count; i++) { at = index(list[i], ":"); want[substr(list[i], at + 1)] = 1 } }
{ sort = $0; sub(/^[^\/]*\//, "", sort); sub(/\/.*/, "", sort); path = $0; sub(/^[^\/]*\/[^\/]*\//, "", path); shown = substr(path, length(root) + 1); held = ""
while ((got = (getline line < path)) > 0) {
if (sort == "modprobe.d" && line ~ /\\$/) { held = held substr(line, 1, length(line) - 1); continue }
$0 = held line; held = ""; $1 = $1
if (sort == "cmdline") { words = split($0, word, " ")
for (i = 1; i <= words; i++) if (word[i] ~ /^(modprobe\.|module_)blacklist=/) { $0 = word[i]; sub(/^[^=]*=/, "", word[i]); listed(word[i]) }
continue }
if ($0 ~ /^[#;]/ || $0 == "") continue
if (sort == "modules-load.d") rule($1, "load " $1)
else if ($1 == "blacklist") rule($2, $0)
else if ($1 ~ /^(install|options|remove)$/) rules($2, $0)
}
if (got < 0) broken = shown
close(path) }
END { for (i = 1; i <= count; i++) { at = index(list[i], ":"); n = substr(list[i], 1, at - 1); key = substr(list[i], at + 1)
if (broken != "") { print n " !" broken " cannot be read"; continue }
print n " rules=" many[key] + 0
for (j = 1; j <= many[key]; j++) print n " rule:" j "=" text[key, j] } }'`;
}
