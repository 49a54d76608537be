/**
 * The script for the `networkState` kind. All questions get the same answer. SSH_CONNECTION is in the environment of
 * the shell that sshd started; sudo removes it, so the script looks through the shell's ancestors. `root` is for tests.
 */
export function networkScript(numbers: readonly number[], root = ""): string {
  return String.raw`PATH=$PATH:/usr/sbin:/sbin
has() { command -v "$1" >/dev/null 2>&1; }
active() { [ $d = yes ] && systemctl is-active --quiet "$1"; }
e= d=no; [ -d ${root}/run/systemd/system ] && d=yes
has ip || e='the host has no ip command: install iproute2'
l=$(ip -j -d link show 2>&1 | tr '\n' ' ') a=$(ip -j addr show 2>&1 | tr '\n' ' ')
r=$(ip -j -4 route show 2>&1 | tr '\n' ' ') s=$(ip -j -6 route show 2>/dev/null | tr '\n' ' ')
case $l in '['*) ;; *) e="ip -j link show: $l";; esac
t=
if has netplan && ls ${root}/etc/netplan/*.yaml ${root}/lib/netplan/*.yaml ${root}/run/netplan/*.yaml 2>/dev/null | grep -q .; then t=netplan
else
active systemd-networkd.service && t="$t networkd"
active NetworkManager.service && t="$t NetworkManager"
active wickedd.service && t="$t wicked"
has ifup && ! has wicked && grep -qsE '^[[:space:]]*iface[[:space:]]+([^l]|l[^o]|lo[^[:space:]])' ${root}/etc/network/interfaces ${root}/etc/network/interfaces.d/* && t="$t ifupdown"
fi
v=; active systemd-resolved.service && v="$v resolved"; has resolvconf && v="$v resolvconf"
c=$SSH_CONNECTION p=$$
while [ -z "$c" ] && [ "$p" -gt 1 ] 2>/dev/null; do
c=$({ tr '\0' '\n' <${root}/proc/"$p"/environ; } 2>/dev/null | sed -n 's/^SSH_CONNECTION=//p')
q=$(cat ${root}/proc/"$p"/stat 2>/dev/null); q=${"${q##*) }"}; q=${"${q#? }"}; p=${"${q%% *}"}
done
w= g=
if [ -n "$c" ]; then
set -- $c
g=$3
w=$(ip -o addr show to "$3" 2>/dev/null | sed -n 's/^[0-9]*: *\([^ ]*\) .*/\1/p' | head -n 1)
fi
m=no; for f in ${root}/var/lib/furrow/undo/network/armed ${root}/var/lib/furrow/undo/network/undoing; do [ -d $f ] && m=yes; done
f=
case " $t " in *" ifupdown "*)
set --
for y in ${root}/etc/network/interfaces.d/*; do
case $y in */interfaces.d/furrow-*) ;; *) [ ! -f "$y" ] || set -- "$@" "$y";; esac
done
[ $# -eq 0 ] || f=$(awk '$1 == "iface" && !($2 in seen) { seen[$2]; print "foreign:" $2 "=" FILENAME ": iface" }' "$@");;
esac
if [ "$t" = netplan ]; then
set --
for y in ${root}/lib/netplan/*.yaml ${root}/etc/netplan/*.yaml ${root}/run/netplan/*.yaml; do
case $y in */9[0-3]-furrow-*) ;; *) [ ! -f "$y" ] || set -- "$@" "$y";; esac
done
for y; do [ -r "$y" ] || e="$y cannot be read"; done
[ $# -eq 0 ] || f=$(awk '
/^[[:space:]]*(#|$|---)/ { next }
{ match($0, /^ */); at = RLENGTH; text = substr($0, at + 1)
if (FILENAME != file) { file = FILENAME; depth = 0 }
while (depth > 0 && indent[depth] >= at) depth--
if (text ~ /^-/) next
indent[++depth] = at; key = text; sub(/[[:space:]]*:.*/, "", key); gsub(/["\047]/, "", key); name[depth] = key
rest = text; sub(/^[^:]*:[[:space:]]*/, "", rest); sub(/[[:space:]]*#.*/, "", rest)
if (depth < 3 && rest ~ /^[{&*!]/) { print "* " file " " key; next }
if (depth == 3 && rest ~ /^[{&*!]/) { print name[3] " " file " {}"; next }
if (depth == 4 && name[1] == "network" && key ~ /^(addresses|dhcp4|dhcp6|gateway4|gateway6|routes|nameservers|mtu)$/) print name[3] " " file " " key }' "$@" |
awk '{ id = $1; at = $2 ": "; if (!(id in said)) { order[++count] = id; said[id] = at $3 } else said[id] = said[id] (index(said[id], $2) ? ", " : "; " at) $3 }
END { for (i = 1; i <= count; i++) print "foreign:" order[i] "=" said[order[i]] }')
fi
for n in ${numbers.join(" ")}; do
[ -z "$e" ] || { echo "$n !$e"; continue; }
printf '%s\n' "$n links=$l" "$n addresses=$a" "$n routes4=$r" "$n routes6=$s" "$n renderers=${"${t# }"}" "$n resolvers=${"${v# }"}" "$n systemd=$d" "$n connection=$w" "$n address=$g" "$n armed=$m"
[ -z "$f" ] || printf '%s\n' "$f" | sed "s/^/$n /"
done`;
}
