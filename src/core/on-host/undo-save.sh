# shellcheck shell=sh
#
# Saves, in the folder of an undo, the state that is not in files: units, kernel parameters and packet filter tables;
# also the commands that make the running system read restored files, and the owners and modes of folders. State that is
# already saved is kept.
#
# Environment: UNDO_UNITS, UNDO_SYSCTLS (paths below /proc/sys), UNDO_TABLES (FAMILY TABLE), UNDO_COMMANDS and
# UNDO_FOLDERS; the last three have one entry per line.

for unit in $UNDO_UNITS; do
  # If the unit is an alias, use its real name.
  id=$(systemctl show -p Id -- "$unit") || exit
  id=${id#Id=}
  ! grep -q "^$id " units 2>/dev/null || continue
  active=$(systemctl show -p ActiveState -- "$id")
  enabled=$(systemctl show -p UnitFileState -- "$id")
  echo "$id ${active#*=} ${enabled#*=}" >>units || exit
done
for key in $UNDO_SYSCTLS; do
  ! grep -q "^$key " sysctls 2>/dev/null || continue
  [ ! -r "/proc/sys/$key" ] || echo "$key $(cat "/proc/sys/$key")" >>sysctls || exit
done
printf '%s\n' "$UNDO_TABLES" | while read -r family table; do
  [ -n "$table" ] || continue
  ! grep -qxF -- "$family $table" tables 2>/dev/null || continue
  nft list table "$family" "$table" >"table-$family-$table" 2>/dev/null || : >"table-$family-$table"
  echo "$family $table" >>tables || exit
done || exit
printf '%s\n' "$UNDO_COMMANDS" | while IFS= read -r command; do
  [ -z "$command" ] || grep -qxF -- "$command" commands 2>/dev/null || printf '%s\n' "$command" >>commands || exit
done
printf '%s\n' "$UNDO_FOLDERS" | while IFS= read -r path; do
  if [ ! -d "$path" ] || [ -L "$path" ]; then continue; fi
  ! sed 's:^[^/]*::' attributes 2>/dev/null | grep -qxF -- "$path" || continue
  attributes=$(stat -c '%a %u:%g' -- "$path") && echo "$attributes $path" >>attributes || exit
done || exit
