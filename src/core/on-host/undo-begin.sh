# shellcheck shell=sh
#
# Begins a change whose undo is armed. The change starts after two seconds, independently of this connection, which may
# not survive the change. The host reverts the change SECONDS from now. The token proves to undo-end.sh that the
# controller has heard from the host after the change. Arguments: NAME SECONDS.

name=$1 seconds=$2 folder=/var/lib/furrow/undo/$1 unit=furrow-undo-$1
[ -d "$folder" ] || folder=/usr/local/furrow/undo/$name
cd -- "$folder/armed" 2>/dev/null || {
  # Also revert what was written after the files were restored.
  if [ -d "$folder/reverted" ] && [ ! -e "$folder/reverted/started" ] && [ ! -e "$folder/reverted/again" ]; then
    : >"$folder/reverted/again"
    mv -- "$folder/reverted" "$folder/undoing" && sh "$folder/undo" "$name"
  fi
  echo "the change took so long to prepare that the host has reverted it" >&2
  exit 1
}
: >started
systemctl reset-failed "furrow-apply-$name.service" 2>/dev/null
systemd-run --quiet --collect "--unit=$unit-$$" "--on-active=$seconds" --timer-property=AccuracySec=100ms \
  /bin/sh "$folder/undo" "$name" || {
  echo "systemd cannot start the timer that would revert the change" >&2
  exit 1
}
systemctl list-units --plain --no-legend --all "$unit-*.timer" | while read -r timer rest; do
  : "$rest"
  [ "$timer" = "$unit-$$.timer" ] || systemctl stop "$timer"
done
# shellcheck disable=SC2016
systemd-run --quiet --collect "--unit=furrow-apply-$name" /bin/sh -c 'cd -- "$1" && sleep 2
sh ./apply >output 2>&1 </dev/null
echo $? >applied.part
cat /proc/sys/kernel/random/uuid >token
mv -f applied.part applied' sh "$folder/armed"
