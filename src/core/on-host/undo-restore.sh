# shellcheck shell=sh
#
# Makes the running system use the restored files: restores what undo-save.sh has saved. Runs in the folder of an undo.
# With `booting` set, it does not wait for any unit, and only replaces what the boot has already loaded from unconfirmed
# files, because the boot itself will load the restored files. Every wait has a time limit, because the next unit may be
# the one that matters.

# each PATTERN: restores the saved units whose names match.
each() {
  while read -r part active enabled <&3; do
    # shellcheck disable=SC2254
    case $part in $1) ;; *) continue ;; esac
    # The unit did not exist when the state was saved, so undo-stop.sh has stopped it.
    [ "$active $enabled" != "inactive " ] || continue
    found=$(systemctl show -p UnitFileState -- "$part")
    if [ "${found#*=}" != "$enabled" ]; then
      [ "$enabled" = masked ] || systemctl --quiet unmask -- "$part"
      case $enabled in
        enabled) systemctl --quiet enable -- "$part" ;;
        disabled) systemctl --quiet disable -- "$part" ;;
        masked) systemctl --quiet mask -- "$part" ;;
      esac
    fi
    case $active in
      active | activating | reloading) verb=restart ;;
      *) verb=stop ;;
    esac
    systemctl reset-failed "$part" 2>/dev/null
    if [ "$booting$verb" = restart ] && [ "$1" = '*.socket' ]; then
      # systemd does not start a socket whose service is already running.
      runs=no
      ! systemctl --quiet is-active -- "${part%.socket}.service" || runs=yes
      [ $runs = no ] || timeout 30 systemctl stop -- "${part%.socket}.service"
      timeout 30 systemctl restart -- "$part"
      [ $runs = no ] || timeout 30 systemctl start -- "${part%.socket}.service"
    elif [ -z "$booting" ]; then
      timeout 30 systemctl $verb -- "$part"
    else
      [ $verb = stop ] || systemctl --quiet is-active -- "$part" || verb=start
      systemctl --no-block $verb -- "$part"
    fi
  done 3<units
}

if [ -e tables ]; then
  while read -r family table; do
    [ -z "$booting" ] || nft list table "$family" "$table" >/dev/null 2>&1 || continue
    # Add the table first, because nft cannot delete a table that does not exist.
    {
      echo "add table $family $table"
      echo "delete table $family $table"
      cat "table-$family-$table"
    } | nft -f -
  done <tables
fi
if [ -e sysctls ]; then
  while read -r key value; do
    printf '%s\n' "$value" >"/proc/sys/$key"
  done <sysctls
fi
systemctl daemon-reload
if [ -z "$booting" ] && [ -e commands ]; then
  while IFS= read -r command; do
    timeout 60 sh -c "$command" </dev/null
  done <commands
fi
if [ -e units ]; then
  # A socket cannot start while its service is running without it, so sockets come first.
  each '*.socket'
  each '*.service'
fi
