# shellcheck shell=sh
#
# Over a new connection: disarms the undo if the change is done and has taken effect. This connection may have been
# opened before the change, so the first call after the change only prints a token, which a later connection must
# present. Arguments: NAME TOKEN [SECONDS]; with SECONDS, the undo stays armed, and is due after this many seconds. Exit
# codes: 0 confirmed, 74 done (prints the token), 75 the outcome is not clear yet, 76 the change failed and is being
# reverted, 77 it has not taken effect yet, 78 reverted, 79 nothing is armed, 80 reverted, but not all files (prints
# where they are).

name=$1 token=$2 seconds=$3 folder=/var/lib/furrow/undo/$1 unit=furrow-undo-$1
[ -d "$folder" ] || folder=/usr/local/furrow/undo/$name
PATH=$PATH:/usr/sbin:/sbin
cd -- "$folder/armed" 2>/dev/null || {
  [ ! -d "$folder/undoing" ] || exit 75
  [ -d "$folder/reverted" ] || exit 79
  : >"$folder/reverted/told"
  [ ! -e "$folder/reverted/failed" ] || {
    cat "$folder/reverted/failed"
    exit 80
  }
  tail -n 5 "$folder/reverted/output" 2>/dev/null
  exit 78
}
read -r code 2>/dev/null <applied || exit 75
if [ "$code" != 0 ]; then
  tail -n 5 output
  systemd-run --quiet --collect "--unit=$unit-now" --on-active=1 /bin/sh "$folder/undo" "$name" 2>/dev/null
  exit 76
fi
[ "$token" = "$(cat token)" ] || {
  cat token
  exit 74
}
sh ./check || exit 77
if [ -n "$seconds" ]; then
  systemd-run --quiet --collect "--unit=$unit-$$" "--on-active=$seconds" --timer-property=AccuracySec=100ms \
    /bin/sh "$folder/undo" "$name" || exit 77
  systemctl list-units --plain --no-legend --all "$unit-*.timer" | while read -r timer rest; do
    : "$rest"
    [ "$timer" = "$unit-$$.timer" ] || systemctl stop "$timer"
  done
  # An older timer may have fired in between.
  [ -e "$folder/armed/ready" ] || exit 75
  exit 0
fi
# The script that renames the folder first, this one or undo.sh, decides the outcome.
mv -- "$folder/armed" "$folder/confirmed" || exit 75
systemctl stop "$unit-*.timer" 2>/dev/null
rm -f "/etc/systemd/system/$unit-boot.service" "/etc/systemd/system/sysinit.target.wants/$unit-boot.service"
rm -rf -- "$folder"
