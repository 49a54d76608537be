# shellcheck shell=sh
#
# Before the files of an undo are restored, in its folder: stops the saved units that did not run, and disables those that
# were not there, because without its file a unit's own commands to stop never run. With `booting` set, it waits for nothing.

while read -r part active enabled <&3; do
  case $active in
    active | activating | reloading) continue ;;
  esac
  # By now, this may be another name of a unit that is saved under its own.
  [ "$(systemctl show -p Id -- "$part")" = "Id=$part" ] || continue
  [ "$(systemctl show -p LoadState -- "$part")" != LoadState=not-found ] || continue
  [ -n "$enabled" ] || systemctl --quiet disable -- "$part"
  if [ -z "$booting" ]; then
    timeout 20 systemctl stop -- "$part"
  else
    systemctl --no-block stop -- "$part"
  fi
done 3<units
