/**
 * Shell functions that answer what an index offers under the names in `w` (`NUMBER:NAME` words), manager in `m`.
 * Each fills `t` with lines `NAME|candidate|VERSION` and `NAME|version|VERSION`.
 */

/** Without cache files apt keeps its cache in memory instead of writing a new one. */
const apt = `q="apt-cache -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache="
offerApt() {
t=$($q policy $k 2>/dev/null | sed -n \\
-e '/^[^ ]/{s/:$//;h;d;}' \\
-e '/^  Candidate: (none)/d' -e '/^  Candidate: /{s///;G;s/\\(.*\\)\\n\\(.*\\)/\\2|candidate|\\1/p;d;}' \\
-e 's/^ \\*\\*\\* /     /' -e '/^     [^ ]/{s/^ *\\([^ ]*\\) .*/\\1/;G;s/\\(.*\\)\\n\\(.*\\)/\\2|version|\\1/p;}')
}
providersApt() { $q showpkg "$1" 2>/dev/null | sed -e '1,/^Reverse Provides:/d' -e 's/ .*//'; }`;

/**
 * ZYPP_READONLY_HACK makes zypper leave the system's lock alone, also while another zypper holds it (tried, 1.14). It is
 * told to look at those enabled repositories only whose index is there, or it would fetch the others (tried).
 */
const zypper = `z() { ZYPP_READONLY_HACK=1 ZYPP_LOGFILE=/dev/null zypper --non-interactive --no-refresh "$@" 2>/dev/null; }
offerZypper() {
r=
for a in $(awk '/^\\[/ { s = $0; gsub(/^\\[|\\].*/, "", s); e[s] = 1 } /^enabled *= *0/ { e[s] = 0 } END { for (s in e) if (e[s]) print s }' $(find /etc/zypp/repos.d -name '*.repo' 2>/dev/null) /dev/null); do
[ ! -e "/var/cache/zypp/solv/$a/solv" ] || r="$r -r $a"
done
[ -n "$r" ] || { t=; return; }
t=$(z info $r -t package $k | sed -n -e '/^Name  *: /{s///;h;d;}' -e '/^Version  *: /{s///;G;s/\\(.*\\)\\n\\(.*\\)/\\2|candidate|\\1/p;}'
z search $r -s -t package --match-exact $k | sed -n 's/^[^|]*| *\\([^ |]*\\) *| *package *| *\\([^ |]*\\) *|.*/\\1|version|\\2/p')
}
providersZypper() { [ -z "$r" ] || z search $r -t package --provides --match-exact "$1" | sed -n 's/^[^|]*| *\\([^ |]*\\) *|.*| *package *$/\\1/p'; }`;

const dnf = `d() { dnf -C -q repoquery "$@" 2>/dev/null; }
offerDnf() {
t=$(d --latest-limit=1 --qf '%{name}|candidate|%{evr}' $k
d --qf '%{name}|version|%{evr}' $k)
}
providersDnf() { d --whatprovides "$1" --qf '%{name}'; }`;

const pacman = `offerPacman() {
t=$(for x in $k; do pacman -Si -- "$x" 2>/dev/null | sed -n "s/^Version *: *\\(.*\\)/$x|candidate|\\1\\n$x|version|\\1/p"; done)
}
providersPacman() { pacman -Sp --print-format %n -- "$1" 2>/dev/null | sed -n '$p'; }`;

const answer = `offer() {
set -f; k=; for x in $w; do k="$k \${x#*:}"; done
case $m in apt) M=Apt;; zypper) M=Zypper;; dnf) M=Dnf;; pacman) M=Pacman;; *)
for x in $w; do echo "\${x%%:*} !no package manager is on the host"; done; set +f; return;; esac
offer$M
for x in $w; do
n=\${x%%:*} x=\${x#*:} c= v= p=
for l in $t; do case $l in "$x|candidate|"*) c=\${l##*|};; "$x|version|"*) case " $v " in *" \${l##*|} "*) ;; *) v="$v \${l##*|}";; esac;; esac; done
[ -n "$c" ] || p=$(providers$M "$x" | sort -u)
printf '%s\\n' "$n candidate=$c" "$n providers=$(echo $p)" "$n versions=\${v# }"
done
set +f
}`;

/** All of them; `offer` is the one to call. */
export const offerFunctions = [apt, zypper, dnf, pacman, answer].join("\n");
