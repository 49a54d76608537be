import type { ManagerName } from "../../src/facts/catalogue.ts";

/** The lock files that a program keeps open while it changes the package database. */
const lockFiles: Readonly<Record<ManagerName, string>> = {
  apt: "/var/lib/dpkg/lock-frontend /var/lib/dpkg/lock /var/lib/apt/lists/lock /var/cache/apt/archives/lock",
  zypper: "/var/lib/rpm/.rpm.lock /usr/lib/sysimage/rpm/.rpm.lock",
  dnf: "/var/lib/rpm/.rpm.lock /usr/lib/sysimage/rpm/.rpm.lock",
  pacman: "",
};

/** The files that contain the pid of the program that is changing the package database. */
const pidFiles: Readonly<Record<ManagerName, string>> = {
  apt: "",
  zypper: "/run/zypp.pid",
  dnf: "/run/dnf.pid /var/cache/dnf/metadata_lock.pid /var/cache/dnf/download_lock.pid /var/lib/dnf/rpmdb_lock.pid",
  pacman: "",
};

/**
 * Shell functions that wait. `await` returns when no other program uses the package database and cloud-init is not
 * running; after the time limit, it exits with code 75 and names the program that blocks it. `patiently` runs one
 * of the manager's functions, and runs it again if it failed because another program took the lock first. cloud-init
 * counts as running only while one of its units is starting or queued (otherwise the script would wait forever for a
 * cloud-init that has died), and does not count if it runs this script itself.
 */
export function waiting(manager: ManagerName): string {
  return `say() { printf '%s\\n' "$*" >&2; }
fine() { case $1 in 0) ;; 10[012367]) [ $m = zypper ];; *) return 1;; esac; }
read -r up rest </proc/uptime; end=$((\${up%%.*} + max))
left() { read -r up rest </proc/uptime; left=$((end - \${up%%.*})); [ $left -gt 0 ] || { left=1; return 1; }; }
setsUp() {
[ -d /run/cloud-init ] && [ ! -e /run/cloud-init/result.json ] && [ ! -e /run/cloud-init/disabled ] || return
grep -q '/cloud-[a-z]*\\.service' /proc/self/cgroup && return 1
case $(systemctl show -p ActiveState -p Job cloud-init-local cloud-init-network cloud-init cloud-config cloud-final 2>/dev/null) in
*ActiveState=activating*|*Job=[1-9]*) return 0;; esac
return 1
}
holder() {
for f in ${pidFiles[manager]}; do
p=$(cat $f 2>/dev/null); [ -n "$p" ] && kill -0 "$p" 2>/dev/null && { echo "$p"; return; }
done
${manager === "pacman" ? "[ -e /var/lib/pacman/db.lck ] && echo /var/lib/pacman/db.lck" : fromOpenFiles(lockFiles[manager])}
}
inTheWay() {
by=
if setsUp; then by='cloud-init, which is still setting up the host'
else
p=$(holder)
case $p in '') ;; /*) by="the program that made $p";; *) by="process $p ($(tr '\\0' ' ' <"/proc/$p/cmdline" 2>/dev/null | sed 's/ $//'))";; esac
fi
[ -n "$by" ]
}
await() {
told=
while inTheWay; do
left || { say "gave up after $max s: the package database is in use by $by"; exit 75; }
[ "$by" = "$told" ] || say "waiting for $by"
told=$by; sleep 1
done
}
patiently() {
while :; do
left; "$@"; rc=$?
fine $rc && return $rc
inTheWay || return $rc
await
done
}`;
}

function fromOpenFiles(files: string): string {
  return `ls -l /proc/[0-9]*/fd 2>/dev/null | while read -r l; do
case $l in /proc/*) q=\${l#/proc/} q=\${q%%/*};; *' -> '*) for f in ${files}; do [ "\${l##* -> }" != $f ] || { echo "$q"; break 2; }; done;; esac
done`;
}
