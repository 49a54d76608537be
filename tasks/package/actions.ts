import type { ManagerName } from "../../src/authoring.ts";

/** Asks nothing; a changed configuration file of the administrator is kept; waits for dpkg's lock by itself too. */
const apt = `conf='--force-confdef --force-confold'
get() {
DEBIAN_FRONTEND=noninteractive APT_LISTCHANGES_FRONTEND=none apt-get -y -q -o DPkg::Lock::Timeout=$left \\
-o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "$@"
}
refresh() { get -o APT::Update::Error-Mode=any update; }
remove() { get remove -- "$@"; }
install() {
set -- --allow-downgrades install -- "$@"
case $weak in yes) set -- --install-recommends "$@";; no) set -- --no-install-recommends "$@";; esac
get "$@"
}
configure() { DEBIAN_FRONTEND=noninteractive dpkg $conf --configure -a; }
mend() { get --no-remove -f install; }
heal() {
h=; for f in /var/lib/dpkg/updates/[0-9]*; do [ ! -e "$f" ] || h=1; done
[ -n "$h" ] || ! grep -qE '^Status: [a-z]+ (reinstreq|.* (half-installed|half-configured|unpacked|triggers-awaited|triggers-pending)$)' /var/lib/dpkg/status || h=1
[ -n "$h" ] || return 0
say 'finishing an interrupted installation first'
patiently configure || patiently mend || say 'it could not be finished; going on'
}`;

/**
 * Without --non-interactive zypper would ask; keys of repositories are packageRepo's business, none is imported here.
 * Its first refresh after another program has changed the RPM database may fail to cache that (tried, 1.14.42).
 */
const zypper = `zyp() { ZYPP_LOCK_TIMEOUT=$left zypper --non-interactive "$@"; }
refresh() { zyp refresh || zyp refresh; }
remove() { zyp remove -- "$@"; }
install() {
set -- --oldpackage -- "$@"
case $weak in yes) set -- --recommends "$@";; no) set -- --no-recommends "$@";; esac
zyp install "$@"
}
heal() { :; }`;

/** dnf's install leaves an installed package as it is: other versions are upgrades and downgrades. */
const dnf = `yum() {
set -- --setopt=exit_on_lock=1 "$@"
case $weak in yes) set -- --setopt=install_weak_deps=1 "$@";; no) set -- --setopt=install_weak_deps=0 "$@";; esac
dnf -y "$@"
}
refresh() { yum --setopt=skip_if_unavailable=0 makecache --refresh; }
remove() { yum remove -- "$@"; }
install() {
new= old=
for p in "$@"; do
n=\${p%%=*}
if [ "$n" != "$p" ] && rpm -q "$n" >/dev/null 2>&1; then
v=\${p#*=}
yum upgrade -- "$n-$v" || :
[ "$(have "$n")" = "$v" ] || yum downgrade -- "$n-$v" || return
elif [ "$n" != "$p" ]; then new="$new $n-\${p#*=}"
elif rpm -q "$n" >/dev/null 2>&1; then old="$old $n"
else new="$new $n"; fi
done
[ -z "$new" ] || yum install -- $new || return
[ -z "$old" ] || yum upgrade -- $old
}
have() { rpm -q --qf '%|EPOCH?{%{EPOCH}:}|%{VERSION}-%{RELEASE}\\n' "$1" | tail -n 1; }
heal() { :; }`;

const pacman = `refresh() { pacman --noconfirm --noprogressbar -Sy; }
remove() { pacman --noconfirm --noprogressbar -Rc -- "$@"; }
install() { pacman --noconfirm --noprogressbar --needed -S -- "$@"; }
heal() { :; }`;

/** What each manager does for `refresh`, `install`, `remove` and `heal`, as shell functions. */
export const actions: Readonly<Record<ManagerName, string>> = { apt, zypper, dnf, pacman };
