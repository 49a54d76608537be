import { aptCache } from "./apt-cache-script.ts";
import { knownRepos } from "./zypper-repos-script.ts";

/**
 * Shell functions that print what the index of the manager in `m` offers under the names in `w` (`NUMBER:NAME` words).
 * Each function sets `t` to lines `NAME|candidate|VERSION` and `NAME|version|VERSION`; for providers, it prints
 * `NAME|provider|PACKAGE`.
 */

/** A name that includes the host's own architecture is looked up without the architecture. */
const apt = `${aptCache}
offerApt() {
aptCache; q="apt-cache $cache"
t=$($q policy $k 2>/dev/null | sed -n \\
-e '/^[^ ]/{s/:$//;h;d;}' \\
-e '/^  Candidate: (none)/d' -e '/^  Candidate: /{s///;G;s/\\(.*\\)\\n\\(.*\\)/\\2|candidate|\\1/p;d;}' \\
-e 's/^ \\*\\*\\* /     /' -e '/^     [^ ]/{s/^ *\\([^ ]*\\) .*/\\1/;G;s/\\(.*\\)\\n\\(.*\\)/\\2|version|\\1/p;}')
for x in $k; do case $x in *:*) case $t in *"$x|"*) ;; *)
[ "\${x##*:}" != "$(dpkg --print-architecture)" ] || t="$t
$(printf '%s\\n' "$t" | awk -F'|' -v of="\${x%:*}" -v as="$x" '$1 == of { print as "|" $2 "|" $3 }')";; esac;; esac; done
}
providersApt() {
$q showpkg "$@" 2>/dev/null | awk '/^Package: /{ p = $2 } /^[A-Z][A-Za-z ]*:/{ r = /^Reverse Provides:/; next } r && NF { print p "|provider|" $1 }'
}`;

/** With ZYPP_READONLY_HACK, zypper ignores the system's lock, even while another zypper holds it (tested with 1.14). */
const zypper = `${knownRepos}
z() { ZYPP_READONLY_HACK=1 ZYPP_LOGFILE=/dev/null zypper --non-interactive --no-refresh "$@" 2>/dev/null; }
offerZypper() {
knownRepos
[ -n "$r" ] || { t=; return; }
t=$(z info $r -t package $k | sed -n -e '/^Name  *: /{s///;h;d;}' -e '/^Version  *: /{s///;G;s/\\(.*\\)\\n\\(.*\\)/\\2|candidate|\\1/p;}'
z search $r -s -t package --match-exact $k | sed -n 's/^[^|]*| *\\([^ |]*\\) *| *package *| *\\([^ |]*\\) *|.*/\\1|version|\\2/p')
}
providersZypper() {
[ -z "$r" ] || for p in "$@"; do z search $r -t package --provides --match-exact "$p" | sed -n "s/^[^|]*| *\\([^ |]*\\) *|.*| *package *$/$p|provider|\\1/p"; done
}`;

const dnf = `d() { dnf -C -q repoquery "$@" 2>/dev/null; }
offerDnf() {
t=$(d --latest-limit=1 --qf '%{name}|candidate|%{evr}' $k
d --qf '%{name}|version|%{evr}' $k)
}
providersDnf() { for p in "$@"; do d --whatprovides "$p" --qf "$p|provider|%{name}"; done; }`;

const pacman = `offerPacman() {
t=$(for x in $k; do pacman -Si -- "$x" 2>/dev/null | sed -n "s/^Version *: *\\(.*\\)/$x|candidate|\\1\\n$x|version|\\1/p"; done)
}
providersPacman() { for p in "$@"; do pacman -Sp --print-format "$p|provider|%n" -- "$p" 2>/dev/null | sed -n '$p'; done; }`;

/** Looks up all names together, then the providers of names that are not packages. */
const answer = `offer() {
set -f; k=; for x in $w; do k="$k \${x#*:}"; done
case $m in apt) M=Apt;; zypper) M=Zypper;; dnf) M=Dnf;; pacman) M=Pacman;; *)
for x in $w; do echo "\${x%%:*} !the host has no package manager"; done; set +f; return;; esac
offer$M
k=$(printf '%s\\n' "$t" -- $k | awk -F'|' '/^--$/{ after = 1; next } !after { if ($2 == "candidate") has[$1] = 1; next } !($1 in has)')
[ -z "$k" ] || t="$t
$(providers$M $k)"
printf '%s\\n' "$t" -- $w | awk -F'|' '
/^--$/{ after = 1; next }
!after { if ($2 == "candidate") offered[$1] = $3; else if (!seen[$0]++) { if ($2 == "version") versions[$1] = versions[$1] " " $3; else list[$1] = list[$1] " " $3 } next }
{ c = index($0, ":"); n = substr($0, 1, c - 1); x = substr($0, c + 1); p = ""
  if (!(x in offered)) { count = split(list[x], each, " "); for (i = 2; i <= count; i++) for (j = i; j > 1 && each[j] < each[j - 1]; j--) { s = each[j]; each[j] = each[j - 1]; each[j - 1] = s }
    for (i = 1; i <= count; i++) p = p (i > 1 ? " " : "") each[i] }
  print n " candidate=" offered[x]; print n " providers=" p; print n " versions=" substr(versions[x], 2) }'
set +f
}`;

/** All functions; call `offer`. */
export const offerFunctions = [apt, zypper, dnf, pacman, answer].join("\n");
