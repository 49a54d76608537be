import { aptCache } from "./apt-cache-script.ts";
import { knownRepos } from "./zypper-repos-script.ts";

/**
 * Shell functions that simulate a package transaction with the manager in `m`. `dry WORD…` only simulates. A word is
 * `NAME` (installed), `NAME=VERSION`, `NAME=@` (the newest), `NAME-` (removed), or `~NAME` (may be removed, `~~` for
 * any). `dry` sets `rc` to 0 if the manager would accept the words, `made` to lines `install|NAME=NEW`,
 * `upgrade|NAME=OLD=NEW`, `downgrade|…` and `remove|NAME`, `bare` to the removals that no word asks for, and `why` to
 * the manager's reason for refusing. The caller sets `weak` to yes, no or nothing.
 */

/** apt-get(8): with `-y`, the simulation fails for held and essential packages, as the real run would. */
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

/** zypper(8): `-D` is a dry run; `!NAME` removes. Exit code 4: a conflict that needs a human decision. */
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

/**
 * dnf(8): `--assumeno` stops before acting, with a meaningless exit code; `-C` fetches nothing. Installed packages must
 * be upgraded or downgraded by name, each in its own transaction, as in the run.
 */
const dnf = `dryDnf() {
case "$* " in *'- '*) ;; *) [ -n "$(find /var/cache/dnf -name '*.solv' 2>/dev/null | head -n 1)" ] || return 0;; esac
new= old= gone= e=0
for p in "$@"; do
n=\${p%%=*}
case $p in
*-) gone="$gone \${p%-}";;
*=*) if rpm -q -- "$n" >/dev/null 2>&1; then asked upgrade -- "$n-\${p#*=}" || asked downgrade -- "$n-\${p#*=}" || e=1; printf '%s\\n' "$r"; else new="$new $n-\${p#*=}"; fi;;
*) if rpm -q -- "$n" >/dev/null 2>&1; then old="$old $n"; else new="$new $n"; fi;;
esac
done
[ -z "$gone" ] || { asked --setopt=clean_requirements_on_remove=0 remove -- $gone || e=1; printf '%s\\n' "$r"; }
[ -z "$new" ] || { asked install -- $new || e=1; printf '%s\\n' "$r"; }
[ -z "$old" ] || { asked upgrade -- $old || e=1; printf '%s\\n' "$r"; }
return $e
}
asked() {
case $weak in yes) set -- --setopt=install_weak_deps=1 "$@";; no) set -- --setopt=install_weak_deps=0 "$@";; esac
r=$(LC_ALL=C dnf -C --assumeno "$@" 2>&1) || case $r in *'peration aborted'*) ;; *) return 1;; esac
}
madeDnf() {
awk '/^(Installing|Upgrading|Downgrading|Removing)[^:]*:$/ { a = /^I/ ? "install" : /^U/ ? "upgrade" : /^D/ ? "downgrade" : "remove"; next }
!/^ / { a = ""; next } a == "" { next }
$1 == "replacing" { sub(/\\.[^.]*$/, "", $2); print "remove|" $2; next }
NF == 1 { long = $1; next } { n = long; v = $2; if (n == "") { n = $1; v = $3 } long = ""; print a "|" n (a == "install" ? "=" v : "") }'
}
whyDnf() { awk '/^Error: Cache-only|Unable to find a match/ { next } /^Error: ./ || /^No match/ || /^ *Problem/ || /^  - / { gsub(/^ *(Error: |Problem[^:]*: |- )|^ +/, ""); if (!seen[$0]++) printf "%s%s", (n++ ? "; " : ""), $0 }'; }`;

/**
 * pacman(8): `-p` prints what pacman would do, and takes no lock. It does not check for conflicts; only the real run
 * detects them.
 */
const pacman = `dryPacman() {
new= gone=
for p in "$@"; do case $p in *-) gone="$gone \${p%-}";; *) new="$new $p";; esac; done
[ -z "$gone" ] || LC_ALL=C pacman -Rcp --print-format 'remove|%n' -- $gone 2>&1 || return
[ -z "$new" ] || [ -z "$(find /var/lib/pacman/sync -name '*.db' 2>/dev/null | head -n 1)" ] || LC_ALL=C pacman -Sp --needed --print-format 'install|%n=%v' -- $new 2>&1
}
madePacman() {
sed -n '/^[a-z]*|/p' | while IFS='|' read -r a b; do
v=$(pacman -Q -- "\${b%%=*}" 2>/dev/null)
if [ $a = install ] && [ "\${v%% *}" = "\${b%%=*}" ]; then
a=upgrade; [ "$(vercmp "\${v#* }" "\${b#*=}")" -le 0 ] || a=downgrade
b="\${b%%=*}=\${v#* }=\${b#*=}"
fi
printf '%s\\n' "$a|$b"
done
}
whyPacman() { sed -n -e 's/^error: //p' -e 's/^:: //p' | awk '{ printf "%s%s", (n++ ? "; " : ""), $0 }'; }`;

const dry = `dry() {
words= go= free=' '
for p in "$@"; do case $p in '~'*) free="$free\${p#?} ";; *-) go="$go \${p%-}"; words="$words $p";; *=@) words="$words \${p%=@}";; *) words="$words $p";; esac; done
case $m in apt) D=Apt;; zypper) D=Zypper;; dnf) D=Dnf;; pacman) D=Pacman;; esac
said=$(dry$D $words </dev/null); rc=$?
[ $m != zypper ] || [ $rc -lt 100 ] || [ $rc -eq 104 ] || rc=0
made=$(printf '%s\\n' "$said" | made$D) why= bare=
[ $m != apt ] || for p in $go; do case $p in *:"$(dpkg --print-architecture)") made=$(printf '%s\\n' "$made" | sed "s/^remove|\${p%:*}\\$/remove|$p/");; esac; done
[ $rc -eq 0 ] || why=$(printf '%s\\n' "$said" | why$D)
case $free in *' ~ '*) return $rc;; esac
for p in $(printf '%s\\n' "$made" | sed -n 's/^remove|//p'); do
case "$free$go " in *" $p "*|*" \${p%%:*} "*) ;; *) bare="$bare $p";; esac
done
[ -z "$bare" ] && return $rc
}`;

/** All functions; call `dry`. */
export const dryFunctions = [apt, zypper, dnf, pacman, dry].join("\n");

/**
 * `plan` answers the questions in `w` as one transaction, in the given order. The questions are lines `NUMBER WEAK
 * WORD…` (WEAK: yes, no or default). Bisection finds the requests that conflict with earlier ones, so a few conflicts
 * among many requests need only a few simulations. apt reports all unknown names together, so many misspelled names do
 * not need a simulation each.
 */
export const planFunctions = `${dryFunctions}
about() { for q in "$@"; do printf '%s\\n' "$w" | sed -n "s/^$q [^ ]* //p"; done; }
weakly() { weak=$(for q in "$@"; do printf '%s\\n' "$w" | sed -n "s/^$q \\([^ ]*\\) .*/\\1/p"; done | sort -u); case $weak in yes|no) ;; *) weak=;; esac; }
tell() { printf '%s\\n' "$1 clash=$2" "$1 downgrades=$(of downgrade)" "$1 installs=$(of install)" "$1 reason=$3" "$1 removes=$(of remove)" "$1 upgrades=$(of upgrade)"; }
of() { echo $(printf '%s\\n' "$made" | sed -n "s/^$1|//p"); }
unlisted() { for p in $(about $1); do p=\${p%-}; printf '%s\\n' "$said" | grep -Fx "E: Unable to locate package \${p%%=*}"; done | head -n 1; }
accept() {
[ $# -gt 0 ] || return 0
weakly $ok "$@"
if dry $(about $ok "$@"); then ok="$ok $*" sure=$made; return; fi
if [ $# -gt 1 ]; then
case $said in *'E: Unable to locate package '*)
kept=
for q in "$@"; do l=$(unlisted $q); if [ -n "$l" ]; then made=; tell $q no "\${l#E: }"; else kept="$kept $q"; fi; done
[ "$kept" = " $*" ] || { accept $kept; return; };;
esac
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
