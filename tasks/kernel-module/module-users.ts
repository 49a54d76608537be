/**
 * The shell function `users`: prints MODULE/interface/NAME for the modules that drive a network interface that is up or
 * has an address, and MODULE/disk/NAME for those that drive a disk with a mount, swap or another device above it; `!`
 * if this cannot be determined. The use counts of network drivers and of bus drivers, such as virtio_pci or xhci_pci,
 * do not include such interfaces and disks, so the drivers of all devices above the interface or disk are listed. An
 * NVMe disk with several paths is a virtual device, whose folder links to its controllers. An interface without a
 * device, such as a bond, belongs to the module of its type. `root` is for tests.
 */
export function usersFunction(root: string): string {
  return `drivers() (
cd -P "$1" 2>/dev/null || exit 0
d=$PWD
while [ -n "$d" ]; do
cd -P "$d/driver/module" 2>/dev/null && echo "\${PWD##*/}/$2"
case $d in */nvme-subsystem/*) for c in "$d"/nvme*; do [ ! -L "$c" ] || drivers "$c" "$2"; done;; esac
d=\${d%/*}
done
)
users() {
[ -r ${root}/proc/self/mountinfo ] || { echo '!'; return; }
a=; command -v ip >/dev/null && a=$(ip -o addr 2>/dev/null | awk '{ printf " %s ", $2 }')
for p in ${root}/sys/class/net/*; do
[ -r "$p/flags" ] && read -r f <"$p/flags" || continue
b=\${p##*/} k=
case $(($f & 1)),$a in 1,*|*" $b "*) ;; *) continue;; esac
while IFS= read -r l; do case $l in DEVTYPE=*) k=\${l#*=};; esac; done <"$p/uevent"
[ -e "$p/tun_flags" ] && k=tun
case $k in bond) k=bonding;; vlan) k=8021q;; esac
[ -z "$k" ] || echo "$k/interface/$b"
drivers "$p" "interface/$b"
done
m=" $(awk '{ printf "%s ", $3; for (i = 7; i < NF; i++) if ($i == "-") printf "%s ", $(i + 2) }' ${root}/proc/self/mountinfo)"
[ -r ${root}/proc/swaps ] && m="$m$(awk '{ printf "%s ", $1 }' ${root}/proc/swaps)"
for p in ${root}/sys/class/block/*; do
[ -r "$p/dev" ] && read -r f <"$p/dev" || continue
b=\${p##*/}
case $m in *" $f "*|*" /dev/$b "*) ;; *) set -- "$p"/holders/*; [ -e "$1" ] || continue;; esac
drivers "$p" "disk/$b"
done
}`;
}

/**
 * The shell text that sets `i` and `j` to the interfaces and disks of the module `$x`, from the output of `users` in
 * `U`.
 */
export const usersOfModule = `i= j=
for o in $U; do
case $o in
"$x"/interface/*) o=\${o#*/*/}; case "$i " in *" $o "*) ;; *) i="$i $o";; esac;;
"$x"/disk/*) o=\${o#*/*/}; case "$j " in *" $o "*) ;; *) j="$j $o";; esac;;
esac
done`;
