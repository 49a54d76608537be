import type { NumberedQuestion } from "../../core/facts/kind.ts";
import { shellQuote } from "../../core/host/step.ts";
import { findManager, managers } from "./packaging.ts";

/**
 * The script of the package kind. It finds the manager for keys that do not name one, and queries each database once.
 */
export function packageScript(questions: readonly NumberedQuestion[]): string {
  const given = managers.flatMap((manager) => {
    const own = questions.filter(({ key }) => key.startsWith(`${manager}/`));
    return own.length === 0 ? [] : [`m=${manager}; w=${words(own)}; ask`];
  });
  const open = questions.filter(({ key }) => !key.includes("/"));
  return [...given, open.length > 0 && `${findManager}\nw=${words(open)}; ask`].filter(Boolean).join("\n");
}

/** `NUMBER:NAME` words in one string; names contain neither spaces nor quotes. */
function words(questions: readonly NumberedQuestion[]): string {
  return shellQuote(questions.map(({ number, key }) => `${number}:${key.slice(key.indexOf("/") + 1)}`).join(" "));
}

/** Reports, for every name, why it cannot be read. */
const refuse = `fail() { for x in $w; do echo "\${x%%:*} !$1"; done; }`;

/**
 * Reads dpkg's whole database, because dpkg-query reads all of it anyway. The second letter of the status shows how far
 * an installation got (dpkg-query(1)); a third letter means that the package must be reinstalled. apt records in
 * extended_states which packages were installed only as dependencies (apt-mark(8)). A name without an architecture, and
 * `NAME:NATIVE`, mean the package for the host's own architecture or for `all`, as for apt-get. A package of another
 * architecture provides names to the host's own packages only if it is `Multi-Arch: foreign`.
 */
const dpkg = `askDpkg() {
command -v dpkg-query >/dev/null 2>&1 || { fail 'dpkg-query is not installed on the host'; return; }
{ awk '/^Package: /{ p = $2 } /^Architecture: /{ a = $2 } /^Auto-Installed: 1/{ print "|" p "|" a }' /var/lib/apt/extended_states 2>/dev/null
dpkg-query -W -f='\${Package}|\${Architecture}|\${db:Status-Abbrev}|\${Version}|\${Provides}|\${Multi-Arch}\\n'; } |
awk -F'|' -v w="$w" -v native="$(dpkg --print-architecture)" '
BEGIN { n = split(w, asked, " "); for (i = 1; i <= n; i++) { c = index(asked[i], ":"); number[i] = substr(asked[i], 1, c - 1); name[i] = substr(asked[i], c + 1); at[name[i]] = at[name[i]] " " i } }
$1 == "" { auto[$2 ":" $3] = 1; auto[$2 ":all"] = 1; next }
{ s = substr($3, 2, 1); own = $2 == native || $2 == "all"
  g = auto[$1 ":" $2]; note($1 ":" $2, $3, $4, g); if (own) note($1, $3, $4, g); if ($2 == "all") note($1 ":" native, $3, $4, g)
  if (s == "i" && $5 != "" && (own || $6 == "foreign")) { m = split($5, p, /, */); for (j = 1; j <= m; j++) { v = p[j]; sub(/[ (].*/, "", v); if (v != $1 && (v in at)) { k = split(at[v], o, " "); for (q = 1; q <= k; q++) if (index(" " by[o[q]] " ", " " $1 " ") == 0) by[o[q]] = by[o[q]] (by[o[q]] == "" ? "" : " ") $1 } } } }
function note(called, st, v, g,  s, k, o, q) { if (!(called in at)) return
  s = substr(st, 2, 1); k = split(at[called], o, " "); for (q = 1; q <= k; q++) { if (substr(st, 1, 1) == "h") held[o[q]] = 1; if (index("iWtFUH", s) > 0) { version[o[q]] = v; along[o[q]] = g; broken[o[q]] = s != "i" || substr(st, 3, 1) ~ /[Rr]/ } } }
END { for (i = 1; i <= n; i++) {
  print number[i] " complete=" (broken[i] ? "no" : "yes"); print number[i] " held=" (held[i] ? "yes" : "no")
  print number[i] " manual=" (along[i] ? "no" : "yes")
  print number[i] " present=" (version[i] != "" || by[i] != "" ? "yes" : "no"); print number[i] " providedBy=" by[i]; print number[i] " version=" version[i] } }'
}`;

/**
 * `along` prints the names of packages that were installed as dependencies. libzypp keeps these names in a file. dnf 4
 * records the reason for each action in its history database, which dnf's own Python can read (libdnf,
 * TransactionItemReason: 1 and 4 are dependencies; actions 3, 7 and 10 concern the replaced version). dnf 5 is not
 * supported.
 */
export const alongFunctions = `along() {
case $m in
zypper) sed -n '/^[^#:]*$/p' /var/lib/zypp/AutoInstalled 2>/dev/null;;
dnf)
h=/var/lib/dnf/history.sqlite p=$(sed -n -e '1s/^#! *\\(.*python[^ ]*\\).*/\\1/p' -e 1q "$(command -v dnf)" 2>/dev/null)
[ -z "$p" ] || [ ! -e $h ] || { o=immutable=1; [ ! -s $h-wal ] || o=mode=ro; $p -SE -c '
import sqlite3, sys
for (name,) in sqlite3.connect("file:%s?%s" % tuple(sys.argv[1:]), uri=True).execute("""SELECT name FROM (SELECT rpm.name, reason, action, max(trans_item.id)
FROM trans_item JOIN rpm USING (item_id) JOIN trans ON trans.id = trans_id WHERE trans.state = 1 AND action NOT IN (3, 7, 10) GROUP BY rpm.name)
WHERE reason IN (1, 4) AND action NOT IN (5, 8)"""): print(name)' $h $o 2>/dev/null; };;
esac
}`;

/**
 * `twice NAME` is true if the rpm database has two versions of a package. An upgrade leaves this state if it is
 * interrupted after installing the new version and before removing the old one. Packages that may be installed side by
 * side, such as kernels, declare this and are ignored.
 */
export const twiceFunction = `twice() {
[ -n "$(rpm -q --qf '%{ARCH}\\n' -- "$1" 2>/dev/null | sort | uniq -d)" ] && ! rpm -q --provides -- "$1" 2>/dev/null | grep -q -e 'installonlypkg(' -e 'multiversion('
}`;

/**
 * Queries all names together. After each name, the query contains a name that nothing provides; the error message about
 * that name marks the end of the answer. Held packages are those that zypper locks by name (zypper(8), addlock).
 */
const rpm = `askRpm() {
command -v rpm >/dev/null 2>&1 || { fail 'rpm is not installed on the host'; return; }
j=" $(along | tr '\\n' ' ')"
l=; [ $m = zypper ] && [ -r /etc/zypp/locks ] && l=$(sed -n 's/^solvable_name: *//p' /etc/zypp/locks)
set --; for x in $w; do set -- "$@" "\${x#*:}" "furrow:\${x%%:*}:end"; done
rpm -q --whatprovides --qf '%{NAME}|%|EPOCH?{%{EPOCH}:}|%{VERSION}-%{RELEASE}\\n' "$@" 2>/dev/null | {
v= b= k=0
set -- $w
while IFS='|' read -r a e c; do
x=\${1#*:}
case $a in
*furrow:*:end*)
h=no; for g in $l; do case $x in $g) h=yes;; esac; done
p=no; [ -n "$v$b" ] && p=yes
e=yes; [ -z "$v" ] || case $j in *" $x "*) e=no;; esac
c=yes; [ "$k" -lt 2 ] || ! twice "$x" || c=no
printf '%s\\n' "\${1%%:*} complete=$c" "\${1%%:*} held=$h" "\${1%%:*} manual=$e" "\${1%%:*} present=$p" "\${1%%:*} providedBy=$(echo $(printf '%s\\n' $b | sort -u))" "\${1%%:*} version=$v"
v= b= k=0; [ $# -eq 0 ] || shift;;
"$x") v=$e$c k=$((k + 1));;
*' '*) ;;
?*) b="$b $a";;
esac
done; }
}`;

/**
 * `pacman -Q` also accepts a provided name, and prints the name of the provider. Held packages are those in IgnorePkg
 * (pacman.conf(5)).
 */
const pacman = `askPacman() {
l=$(sed -n 's/^[[:blank:]]*IgnorePkg[[:blank:]]*=//p' /etc/pacman.conf 2>/dev/null)
for x in $w; do
n=\${x%%:*}; x=\${x#*:}; v= b= h=no p=no e=yes
q=$(pacman -Q -- "$x" 2>/dev/null)
case $q in "$x "*) v=\${q#* }; pacman -Qdq -- "$x" >/dev/null 2>&1 && e=no;; ?*) b=\${q%% *};; esac
for g in $l; do case $x in $g) h=yes;; esac; done
[ -n "$v$b" ] && p=yes
printf '%s\\n' "$n complete=yes" "$n held=$h" "$n manual=$e" "$n present=$p" "$n providedBy=$b" "$n version=$v"
done
}`;

const choose = `ask() { set -f; case $m in
apt) askDpkg;; zypper|dnf) askRpm;; pacman) askPacman;;
*) fail 'the host has no package manager: one of apt-get, zypper, dnf or pacman is needed';;
esac; set +f; }`;

/** The functions that the package script calls. */
export const packageFunctions: string = [refuse, dpkg, alongFunctions, twiceFunction, rpm, pacman, choose].join("\n");
