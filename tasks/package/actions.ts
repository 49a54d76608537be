import { alongFunctions, type ManagerName, twiceFunction } from "../../src/facts/catalogue.ts";

/**
 * apt's functions. apt asks no questions, keeps configuration files that the administrator changed, and waits for
 * dpkg's lock itself. Without a pseudo-terminal, the output of scripts arrives unchanged, and no script can wait for a
 * keypress on /dev/tty. For a name without an architecture, dpkg-query shows the packages of every architecture;
 * apt-get installs the package for the host's own architecture, or for `all`; `NAME:NATIVE` has the same meaning.
 */
const apt = `db=/var/lib/dpkg/status native=$(dpkg --print-architecture)
get() {
DEBIAN_FRONTEND=noninteractive APT_LISTCHANGES_FRONTEND=none apt-get -y -q -o DPkg::Lock::Timeout=$left -o Dpkg::Use-Pty=0 \\
-o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "$@" </dev/null
}
refresh() {
{ complaints=$(get -o APT::Update::Error-Mode=any update 2>&1 >&3); rc=$?; } 3>&1
[ -z "$complaints" ] || say "$complaints"
case $complaints in *'Failed to fetch'*|*'ome index files failed'*) [ $rc -ne 0 ] || rc=100;; esac
return $rc
}
change() {
case $weak in yes) set -- --install-recommends install -- "$@";; no) set -- --no-install-recommends install -- "$@";; *) set -- install -- "$@";; esac
case $said in *fix-broken*) set -- -f "$@";; esac
case $made in *'remove|'*) ;; *) set -- --no-remove "$@";; esac
get --allow-downgrades "$@"
}
show() {
a=\${2#*:} b=$a; case $a in "$2"|"$native") a=$native b=all;; esac
dpkg-query -W -f='\${Architecture} '"$1\\n" "\${2%%:*}" 2>/dev/null | sed -n -e "s/^$a //p" -e "s/^$b //p" | head -n 1
}
right() {
case $1 in
*-) case $(show '\${db:Status-Status}' "\${1%-}") in ''|not-installed|config-files) ;; *) return 1;; esac;;
*=@) case $(show '\${db:Status-Abbrev}' "\${1%=@}") in ?i' ') apt-cache policy "\${1%=@}" 2>/dev/null | awk '/^  Installed: /{ i = $2 } /^  Candidate: /{ c = $2 } END { exit i == "" || i != c }';; *) return 1;; esac;;
*=*) [ "$(show '\${db:Status-Abbrev}\${Version}' "\${1%%=*}" | cut -c2-)" = "i \${1#*=}" ];;
*) case $(show '\${db:Status-Abbrev}' "$1") in ?i' ') ;; *) return 1;; esac;;
esac
}
broken() { for p in "$@"; do case $(show '\${db:Status-Abbrev}' "\${p%%=*}") in ?[UFHR]*) return 0;; esac; done; return 1; }
mark() {
names=
for p in "$@"; do case $p in *-|'~'*) ;; *) p=\${p%%=*}; [ -z "$(show '\${Package}' "$p")" ] || names="$names $p";; esac; done
[ -z "$names" ] || apt-mark manual $names >/dev/null
}
heal() {
for f in /var/lib/dpkg/updates/[0-9]*; do [ ! -e "$f" ] || { say 'dpkg was interrupted; applying its journal first'; dpkg --set-selections </dev/null; break; }; done
torn=$(dpkg-query -W -f='\${db:Status-Abbrev}\${Package}:\${Architecture}\\n' | sed -n -e 's/:all$//' -e 's/^..[Rr]//p')
[ -z "$torn" ] || { say "reinstalling interrupted packages:" $torn; patiently get install --reinstall -- $torn; }
}`;

const rpmRight = `right() {
case $1 in
*-) ! rpm -q -- "\${1%-}" >/dev/null 2>&1;;
*=@) return 1;;
*=*) [ "$(have "\${1%%=*}")" = "\${1#*=}" ] && ! twice "\${1%%=*}";;
*) rpm -q --whatprovides -- "$1" >/dev/null 2>&1 && ! twice "$1";;
esac
}
have() { rpm -q --qf '%|EPOCH?{%{EPOCH}:}|%{VERSION}-%{RELEASE}\\n' "$1" 2>/dev/null | tail -n 1; }
broken() { return 1; }
${twiceFunction}
${alongFunctions}
mark() {
all=$(along) some=
for p in "$@"; do case $p in *-|'~'*) ;; *) p=\${p%%=*}; ! printf '%s\\n' "$all" | grep -qxF -e "$p" || some="$some $p";; esac; done
[ -z "$some" ] || forItself $some
}
heal() {
torn=
for p in "$@"; do case $p in *-|'~'*) ;; *) ! twice "\${p%%=*}" || torn="$torn \${p%%=*}";; esac; done
[ -z "$torn" ] || { say "present in two versions after an interrupted upgrade:$torn"; patiently onlyOne $torn; }
}
db='/var/lib/rpm/* /usr/lib/sysimage/rpm/*'`;

/**
 * zypper's functions. Without --non-interactive, zypper would ask questions. packageRepo imports the repositories'
 * keys. After another program has changed the RPM database, zypper's first refresh may fail to cache it (tested with
 * 1.14.42).
 */
const zypper = `zyp() { ZYPP_LOCK_TIMEOUT=$left zypper --non-interactive "$@" </dev/null; }
refresh() { zyp refresh || zyp refresh; }
change() {
n= x=; for p in "$@"; do case $p in *-) x="$x \${p%-}";; *) n="$n $p";; esac; done
if [ -z "$n" ]; then zyp remove -- $x; return; fi
case $weak in yes) set -- --recommends;; no) set -- --no-recommends;; *) set --;; esac
zyp install --oldpackage "$@" -- $n
}
onlyOne() { zyp install --force --oldpackage -- "$@"; }
forItself() {
f=/var/lib/zypp/AutoInstalled
printf '%s\\n' "$@" | grep -vxF -f - $f >$f.part; chmod 644 $f.part && mv -f $f.part $f
}
${rpmRight}`;

/**
 * dnf's functions. `dnf install` does not change the version of an installed package; that takes an upgrade or a
 * downgrade.
 */
const dnf = `yum() {
set -- --setopt=exit_on_lock=1 "$@"
case $weak in yes) set -- --setopt=install_weak_deps=1 "$@";; no) set -- --setopt=install_weak_deps=0 "$@";; esac
dnf -y "$@" </dev/null
}
refresh() { yum --setopt=skip_if_unavailable=0 makecache --refresh; }
change() {
new= old= gone=
for p in "$@"; do
n=\${p%%=*}
case $p in *-) gone="$gone \${p%-}"; continue;; esac
if [ "$n" != "$p" ] && rpm -q "$n" >/dev/null 2>&1; then
v=\${p#*=}
yum upgrade -- "$n-$v" || :
[ "$(have "$n")" = "$v" ] || yum downgrade -- "$n-$v" || return
elif [ "$n" != "$p" ]; then new="$new $n-\${p#*=}"
elif rpm -q "$n" >/dev/null 2>&1; then old="$old $n"
else new="$new $n"; fi
done
[ -z "$gone" ] || yum --setopt=clean_requirements_on_remove=0 remove -- $gone || return
[ -z "$new" ] || yum install -- $new || return
[ -z "$old" ] || yum upgrade -- $old
}
onlyOne() { yum remove --duplicates; }
forItself() { yum -q mark install -- "$@"; }
${rpmRight}`;

const pacman = `db=/var/lib/pacman/local
pac() { pacman --noconfirm --noprogressbar "$@" </dev/null; }
refresh() { pac -Sy; }
change() {
new= gone=
for p in "$@"; do case $p in *-) gone="$gone \${p%-}";; *) new="$new $p";; esac; done
[ -z "$gone" ] || pac -Rc -- $gone || return
[ -z "$new" ] || pac --needed -S -- $new
}
right() { case $1 in *-) ! pacman -Q -- "\${1%-}" >/dev/null 2>&1;; *=*) return 1;; *) pacman -Q -- "$1" >/dev/null 2>&1;; esac; }
broken() { return 1; }
mark() { for p in "$@"; do p=\${p%%=*}; ! pacman -Qdq -- "$p" >/dev/null 2>&1 || pac -D --asexplicit -- "$p"; done; }
heal() { :; }`;

/**
 * The actions of each manager, as shell functions: `refresh`; `change WORD…`, with words as in PackageRequest; `right
 * WORD`, true if nothing is left to do for the word; `broken WORD…`, true if one of the packages is only partly
 * installed; `mark`, which marks packages as explicitly installed; `heal WORD…`, which finishes an interrupted
 * transaction. `db` is a file that changes whenever a transaction begins.
 */
export const actions: Readonly<Record<ManagerName, string>> = { apt, zypper, dnf, pacman };
