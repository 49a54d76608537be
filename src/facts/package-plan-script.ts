import { aptCache } from "./apt-cache-script.ts";
import { knownRepos } from "./zypper-repos-script.ts";

/**
 * Shell functions by which a host says what a package transaction would do, manager in `m`: `dry WORD…` performs none of
 * it. A word is `NAME` (installed), `NAME=VERSION`, `NAME=@` (the newest), `NAME-` (removed), or `~NAME` (may be removed,
 * `~~` for any). It sets `rc` to 0 where the manager would do it, `made` to lines `install|NAME=NEW`,
 * `upgrade|NAME=OLD=NEW`, `downgrade|…` and `remove|NAME`, `bare` to the removals that no word asks for, and `why` to the
 * manager's own reason where it would not. `weak` is yes, no or empty.
 */

/** apt-get(8): `-y` makes a simulation fail where the real run would for held and essential packages. */
const apt = `${aptCache}
dryApt() {
aptCache
case "$* " in *'- '*) ;; *) [ -n "$(find /var/lib/apt/lists -name '*_Packages*' 2>/dev/null | head -n 1)" ] || return 0;; esac
case $weak in yes) set -- --install-recommends install -- "$@";; no) set -- --no-install-recommends install -- "$@";; *) set -- install -- "$@";; esac
simulate "$@"
case $r in *fix-broken*) echo fix-broken; simulate -f "$@";; esac
printf '%s\\n' "$r"; return $e
}
simulate() { r=$(LC_ALL=C apt-get -s -y -q -o Debug::NoLocking=1 -o Dir::Log::Planner= $cache --allow-downgrades "$@" 2>&1); e=$?; }
madeApt() {
sed -n -e 's/^Inst \\([^ ]*\\) \\[\\([^]]*\\)\\] (\\([^ ]*\\) .*/change|\\1=\\2=\\3/p' -e 's/^Inst \\([^ ]*\\) (\\([^ ]*\\) .*/install|\\1=\\2/p' -e 's/^Remv \\([^ ]*\\) .*/remove|\\1/p' |
while IFS='|' read -r a b; do
if [ $a = change ]; then v=\${b#*=}; a=upgrade; ! dpkg --compare-versions "\${v%=*}" gt "\${v#*=}" || a=downgrade; fi
printf '%s\\n' "$a|$b"
done
}
whyApt() {
awk '/^The following (held|essential) packages will be/ || /^WARNING: The following essential/ { head = $0; sub(/^WARNING: /, "", head); next }
/^The following packages have unmet dependencies/ { deps = 1; next }
/^(E|Err): / { deps = 0; sub(/^E: /, ""); if (/you have held broken packages|generated breaks/ && n) next; out[++n] = $0; next }
deps && /^ / { sub(/^ +/, ""); gsub(/  +/, " "); out[++n] = $0; next }
head != "" && /^ / { sub(/^ +/, ""); out[++n] = head " " $0; head = "" }
END { for (i = 1; i <= n; i++) printf "%s%s", (i > 1 ? "; " : ""), out[i] }'
}`;

/** zypper(8): `-D` is a dry run; `!NAME` removes. Conflicts that only a person could decide end it with 4. */
const zypper = `${knownRepos}
dryZypper() {
knownRepos; [ -n "$r" ] || return 0
n= x=; for p in "$@"; do case $p in *-) x="$x !\${p%-}";; *) n="$n $p";; esac; done
case $weak in yes) set -- --recommends;; no) set -- --no-recommends;; *) set --;; esac
if [ -n "$n" ]; then set -- install -D --oldpackage $r "$@" -- $n $x; else set -- remove -D -- $(printf '%s\\n' $x | sed 's/^!//'); fi
ZYPP_READONLY_HACK=1 ZYPP_LOGFILE=/dev/null zypper --non-interactive --no-refresh "$@" 2>&1
}
madeZypper() {
awk '/going to be (installed|upgraded|downgraded|REMOVED|reinstalled)/ { a = /REMOVED/ ? "remove" : /upgraded/ ? "upgrade" : /downgraded/ ? "downgrade" : /reinstalled/ ? "" : "install"; next }
/^[^ ]/ || NF == 0 { a = ""; next } a != "" { for (i = 1; i <= NF; i++) print a "|" $i }'
}
whyZypper() { awk '/^Problem: / || /nothing provides|conflicts with|not found|No provider/ { gsub(/^ +|^Problem: ([0-9]+: )?/, ""); if (!seen[$0]++) printf "%s%s", (n++ ? "; " : ""), $0 }'; }`;

/** What `dry` is for managers whose simulation furrow does not ask: every transaction is taken to go as asked. */
const others = `dryNone() { :; }
madeNone() { cat; }
whyNone() { cat; }`;

const dry = `dry() {
words= go= free=' '
for p in "$@"; do case $p in '~'*) free="$free\${p#?} ";; *-) go="$go \${p%-}"; words="$words $p";; *=@) words="$words \${p%=@}";; *) words="$words $p";; esac; done
D=None; case $m in apt) D=Apt;; zypper) D=Zypper;; esac
said=$(dry$D $words </dev/null); rc=$?
[ $m != zypper ] || [ $rc -lt 100 ] || [ $rc -eq 104 ] || rc=0
made=$(printf '%s\\n' "$said" | made$D) why= bare=
[ $rc -eq 0 ] || why=$(printf '%s\\n' "$said" | why$D)
case $free in *' ~ '*) return $rc;; esac
for p in $(printf '%s\\n' "$made" | sed -n 's/^remove|//p'); do
case "$free$go " in *" $p "*|*" \${p%%:*} "*) ;; *) bare="$bare $p";; esac
done
[ -z "$bare" ] && return $rc
}`;

/** All of them; `dry` is the one to call. */
export const dryFunctions = [apt, zypper, others, dry].join("\n");

/**
 * `plan` answers the questions in `w`, lines `NUMBER WEAK WORD…` (WEAK: yes, no or default), as one transaction in their
 * order: those that cannot go with the ones before are told apart by halving, so that a few of many cost a few runs.
 */
export const planFunctions = `${dryFunctions}
about() { for q in "$@"; do printf '%s\\n' "$w" | sed -n "s/^$q [^ ]* //p"; done; }
weakly() { weak=$(for q in "$@"; do printf '%s\\n' "$w" | sed -n "s/^$q \\([^ ]*\\) .*/\\1/p"; done | sort -u); case $weak in yes|no) ;; *) weak=;; esac; }
tell() { printf '%s\\n' "$1 clash=$2" "$1 downgrades=$(of downgrade)" "$1 installs=$(of install)" "$1 reason=$3" "$1 removes=$(of remove)" "$1 upgrades=$(of upgrade)"; }
of() { echo $(printf '%s\\n' "$made" | sed -n "s/^$1|//p"); }
accept() {
[ $# -gt 0 ] || return 0
weakly $ok "$@"
if dry $(about $ok "$@"); then ok="$ok $*" sure=$made; return; fi
if [ $# -gt 1 ]; then
set -- $(( $# / 2 )) "$@"; half=$1; shift
first=; while [ $half -gt 0 ]; do first="$first $1"; shift; half=$((half - 1)); done
accept $first; accept "$@"; return
fi
if [ -n "$ok" ]; then
together=$why; [ $rc -ne 0 ] || together="it would remove$bare"
weakly $1
if dry $(about $1); then tell $1 yes "$together"; return; fi
fi
tell $1 no "$why"
}
plan() {
set -f; ok= sure=
accept $(printf '%s\\n' "$w" | sed 's/ .*//')
all=$sure first=yes
for q in $ok; do
made=$(for p in $(about $q); do printf '%s\\n' "$all" | awk -F'[|=]' -v p="$p" 'BEGIN { sub(/=.*|-$/, "", p); sub(/:.*/, "", p) } $2 == p || index($2, p ":") == 1'; done)
[ $first = no ] || made=$(others=$(about $ok); printf '%s\\n' "$all" | awk -F'[|=]' -v o="$others" -v own="$(about $q)" '
function base(x) { sub(/=.*|-$/, "", x); sub(/:.*/, "", x); return x }
BEGIN { n = split(o, a, /[ \\n]+/); for (i = 1; i <= n; i++) named[base(a[i])] = 1; n = split(own, a, /[ \\n]+/); for (i = 1; i <= n; i++) delete named[base(a[i])] }
{ x = $2; sub(/:.*/, "", x); if (!(x in named)) print }')
first=no
tell $q no ''
done
set +f
}`;
