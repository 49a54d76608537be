# shellcheck shell=sh
#
# Runs in the folder of an undo, before its files are restored. Stops the saved units that were not running when the
# state was saved, and disables those that did not exist then, because a unit's stop commands never run once its file is
# missing. With `booting` set, it does not wait for anything.

while read -r part active enabled <&3; do
  case $active in
    active | activating | reloading) continue ;;
  esac
  # By now, this may be an alias of a unit that is saved under its real name.
  [ "$(systemctl show -p Id -- "$part")" = "Id=$part" ] || continue
  [ "$(systemctl show -p LoadState -- "$part")" != LoadState=not-found ] || continue
  [ -n "$enabled" ] || systemctl --quiet disable -- "$part"
  if [ -z "$booting" ]; then
    timeout 20 systemctl stop -- "$part"
  else
    systemctl --no-block stop -- "$part"
  fi
done 3<units
