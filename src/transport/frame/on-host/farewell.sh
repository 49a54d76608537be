# shellcheck shell=sh
# Ends a session whose controller needs nothing more: removes the session's files from the host. The controller may
# leave without waiting for this script, and logind may end all processes of a user whose connection is gone
# (KillUserProcesses). The script is one compound command, so a shell that has read only half of it does nothing.

{
  trap "" HUP TERM
  [ -z "$state_folder" ] || {
    for state_folder in $state_folders; do
      [ -O "$state_folder" ] && [ ! -L "$state_folder" ] || continue
      rm -rf "$state_folder"/run.?."$run_id.$session_id".* "$state_folder/at.$run_id.$session_id"
      [ "$claim_kind" != a ] || for taken_folder in "$state_folder"/at.*; do [ ! -e "$taken_folder/taken" ] || rm -rf "$taken_folder"; done
      rmdir "$state_folder" 2>/dev/null
    done
  }
  exit 0
}
