import type { NumberedQuestion } from "../../core/facts/kind.ts";
import { shellQuote } from "../../core/host/step.ts";
import { numbered } from "../system/quote.ts";

const properties = [
  "ActiveState",
  "CanReload",
  "DropInPaths",
  "InactiveExitTimestampMonotonic",
  "InvocationID",
  "LoadState",
  "NeedDaemonReload",
  "RefuseManualStart",
  "RefuseManualStop",
  "RemainAfterExit",
  "SubState",
  "Type",
  "UnitFileState",
];

/** The script of the unit kind. */
export function unitScript(questions: readonly NumberedQuestion[]): string {
  return `units ${numbered(questions)}`;
}

/**
 * The shell function `units NUMBER:NAME…`. `systemctl show` prints a block of NAME=VALUE lines for each unit, in the
 * order of the names, separated by blank lines. The start time is now − (uptime − InactiveExitTimestampMonotonic),
 * because the wall clock may have been set since then, whereas the monotonic clock cannot be set. systemd caches its
 * folders and may answer NeedDaemonReload=no for a drop-in in a new folder (seen with 252), so the script checks the
 * folders itself: the unit's own, its template's, and since systemd 238 those of its prefixes (systemd.unit(5)). If
 * systemctl rejects one name (a template without an instance), it shows no unit at all; the script then asks for each
 * name separately, unless systemd does not answer at all.
 */
export function unitFunctions(notes: string): string {
  return `units() {
command -v systemctl >/dev/null || { for x; do echo "\${x%%:*} !systemctl is not installed on this host"; done; exit 0; }
Z='
'
o=; for x; do o=$o$Z\${x#*:}; done
set -f; IFS=$Z
o=$(systemctl show -p ${properties.join(",")} -- $o 2>&1) || {
set +f; unset IFS
case $#,$o in
1,*|*' bus'*|*'booted with'*|*'timed out'*) o=$(printf %s "$o" | tr '\\n' ' '); for x; do echo "\${x%%:*} !systemctl show failed: $o"; done;;
*) for x; do (units "$x"); done;;
esac
exit 0
}
set +f; unset IFS
up=0.00
[ -r /proc/uptime ] && read -r up x </proc/uptime
up=$(( \${up%.*} * 1000000 + (1\${up#*.} - 100) * 10000 ))
d=$(date '+%s 1%N')
s=\${d%% *} f=\${d##* }
case $f in 1*[!0-9]*|1) f=1000000000;; esac
now=$(( s * 1000000 + (f - 1000000000) / 1000 ))
unloaded() {
for p in /etc /run /usr/local/lib /usr/lib /lib; do
for q in "$p/systemd/system/$1.d"/*.conf; do
[ -s "$q" ] || continue
case " $D " in *"/\${q##*/} "*) ;; *) return 0;; esac
done
done
return 1
}
dropins() {
unloaded "$u" && N=yes
s=\${u##*.} t=\${u%.*}
case $t in
*@*) unloaded "\${t%%@*}@.$s" && N=yes;;
*?-*)
while [ "$t" != "\${t%-*}" ]; do
t=\${t%-*}
unloaded "$t-.$s" && [ "$(systemctl --version | awk 'NR == 1 { print int($2) }')" -ge 238 ] && N=yes
done;;
esac
for q in $D; do [ -e "$q" ] || N=yes; done
}
emit() {
n=\${1%%:*} u=\${1#*:}
if [ "$L" = not-found ]; then
t=$u
case $u in *@*.*) t=\${u%%@*}@.\${u##*.};; esac
for p in /etc /run /usr/local/lib /usr/lib /lib; do
if [ -e "$p/systemd/system/$u" ] || [ -e "$p/systemd/system/$t" ]; then N=yes; fi
done
case $A$N in inactiveno|failedno) echo "$n load=absent"; return;; esac
fi
[ "$L" != loaded ] || dropins
[ -n "$I" ] || I=at-$M
if [ "$A" = inactive ] || [ "$A" = failed ]; then S=0
elif [ "$M" -gt "$up" ]; then S=0
else S=$(( now - up + M )); fi
l=yes
[ "$T$R" = oneshotno ] && l=no
e=no m=no t=between
case $F in
enabled) e=yes;;
masked*) m=yes;;
generated) for p in /etc/rc[2345].d/S[0-9][0-9]"\${u%.service}" /etc/init.d/rc[2345].d/S[0-9][0-9]"\${u%.service}"; do [ -e "$p" ] && e=yes; done;;
esac
[ "$L" = masked ] && m=yes
case $A in active|reloading|refreshing) t=started;; inactive|failed) t=stopped;; esac
printf '%s\\n' "$n active=$A" "$n enabled=$e" "$n file=$F" "$n invocation=$I" "$n lasting=$l" "$n load=$L" "$n masked=$m" "$n outdated=$N" "$n reloadable=$C" "$n since=$S" "$n state=$t" "$n sub=$B" "$n type=$T"
[ "$P" != yes ] || echo "$n refusesStart=yes"
[ "$Q" != yes ] || echo "$n refusesStop=yes"
k=${shellQuote(notes)}/$u
if [ -r "$k" ] && read -r i <"$k"; then
[ "$i" = "$I" ] && i=
{ read -r x; while IFS= read -r x; do
if [ -z "$i" ]; then echo "$n $x"; else case $x in start:*) echo "$n before:\${x#start:}";; esac; fi
done; } <"$k"
fi
}
blank() { A= D= C=no M=0 I= L= N=no P= Q= R=no B= T= F=; }
blank
set -f
while [ -n "$o" ]; do
b=\${o%%"$Z$Z"*}
case $o in *"$Z$Z"*) o=\${o#*"$Z$Z"};; *) o=;; esac
IFS=$Z
for x in $b; do
case $x in
ActiveState=*) A=\${x#*=};;
DropInPaths=*) D=\${x#*=};;
CanReload=*) C=\${x#*=};;
InactiveExitTimestampMonotonic=*) M=\${x#*=};;
InvocationID=*) I=\${x#*=};;
LoadState=*) L=\${x#*=};;
NeedDaemonReload=*) N=\${x#*=};;
RefuseManualStart=*) P=\${x#*=};;
RefuseManualStop=*) Q=\${x#*=};;
RemainAfterExit=*) R=\${x#*=};;
SubState=*) B=\${x#*=};;
Type=*) T=\${x#*=};;
UnitFileState=*) F=\${x#*=};;
esac
done
unset IFS
set +f
[ -n "$L" ] && [ $# -gt 0 ] && { emit "$1"; shift; }
blank
set -f
done
}`;
}
