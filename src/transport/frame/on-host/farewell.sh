# shellcheck shell=sh
#
# The end of a session whose controller has all it wanted: removes what is this session's on the host. Nobody waits for it,
# and logind may end all processes of a user whose connection is gone (KillUserProcesses). One compound
# command: a shell that reads half of it does nothing.

{
  trap "" HUP TERM
  [ -z "$state_folder" ] || {
    rm -rf "$state_folder"/run.?."$run_id.$session_id".* "$state_folder/at.$run_id.$session_id"
    [ "$claim_kind" != a ] || for taken_folder in "$state_folder"/at.*; do [ ! -e "$taken_folder/taken" ] || rm -rf "$taken_folder"; done
    rmdir "$state_folder" 2>/dev/null
  }
  exit 0
}
