# shellcheck shell=sh
# A claim records that a run holds the host.
#
# A claim is a file named run.KIND.RUN.SESSION.PID.START.CPID.CSTART. PID and START (id and start time) identify a
# process that acts for a run; CPID and CSTART identify the process that carries its connection, usually one of sshd.
# KIND is "a" for a shell with a controller and "r" for a runner. Sessions outside of runs do not claim the host; their
# shells and runners have the kinds "x" and "y". The file contains the uptime at the controller's last heartbeat, and
# the holder. A claim whose process is dead is ignored. Every run writes its own claim before it looks at the others, so
# two runs can never both find the host free. Looking at claims does not fork unless there is something to remove.
#
# A session keeps its files on the host in the folder at.RUN.SESSION next to the claims. A run loses its host
# $LEASE_SECONDS after its controller's last heartbeat.

# look_at_process PID: sets process_start and process_parent. Fails if the process is dead or a zombie. A program's name
# may contain spaces and parentheses, so everything up to the last ") " is cut off (proc(5)).
look_at_process() {
  process_start=
  { read -r stat_line <"/proc/$1/stat"; } 2>/dev/null || return 1
  stat_line=${stat_line##*) }
  # shellcheck disable=SC2086 # split on purpose: the fields of the line
  set -- $stat_line
  [ "$1" != Z ] && process_parent=$2 && process_start=${20}
}

# read_uptime: sets uptime_seconds, whole seconds since the boot.
read_uptime() {
  # shellcheck disable=SC2034 # idle_seconds takes the rest of the line
  read -r uptime_seconds idle_seconds </proc/uptime
  uptime_seconds=${uptime_seconds%%.*}
}

# renew_lease: records that the controller has just sent a heartbeat.
renew_lease() {
  read_uptime
  [ -z "$claim_file" ] || { echo "$uptime_seconds $holder_text" >"$state_folder/$claim_file"; } 2>/dev/null
  [ -z "$session_folder" ] || { echo "$uptime_seconds" >"$session_folder/lease"; } 2>/dev/null
}

# write_state_file NAME TEXT: writes a file into the folder for files that live as long as a run, and sets state_folder
# to that folder. The folder used before may be gone: while this run waits for another run, the other run may end and
# remove the folder if the folder is empty.
write_state_file() {
  [ -z "$state_folder" ] || if { echo "$2" >"$state_folder/$1"; } 2>/dev/null; then return; fi
  for state_folder in ${state_folders:?}; do
    [ -d "$state_folder" ] || mkdir -m 700 "$state_folder" 2>/dev/null
    [ -d "$state_folder" ] && [ ! -L "$state_folder" ] && [ -O "$state_folder" ] || continue
    { echo "$2" >"$state_folder/$1"; } 2>/dev/null && return
    rm -f "$state_folder/$1" 2>/dev/null
  done
  state_folder=
  return 1
}

# find_state_folders: sets state_folders to the possible paths for state_folder, best first.
find_state_folders() {
  [ -z "$state_folders" ] || return 0
  user_number=$(id -u)
  state_folders="/tmp/furrow-$user_number /var/tmp/furrow-$user_number /dev/shm/furrow-$user_number"
  [ "$user_number" != 0 ] || state_folders="/run/furrow $state_folders"
}

# find_session_folder: sets wanted_folder to the session's folder, and each_folder to the folder that contains it. After
# a lost connection, that may not be the best folder for a new file. Fails if the session has no folder.
find_session_folder() {
  for each_folder in $state_folders; do
    wanted_folder=$each_folder/at.$run_id.$session_id
    [ -O "$each_folder" ] && [ ! -L "$each_folder" ] && [ -O "$wanted_folder" ] && return
  done
  return 1
}

# claim_host: claims the host for this run. Fails if nothing can be written. connection_pid is the first ancestor that
# is neither a shell nor a program like sudo: the process that carries the connection.
claim_host() {
  find_state_folders
  [ -n "$state_folder" ] || ! find_session_folder || state_folder=$each_folder
  look_at_process $$
  own_start=$process_start
  connection_pid=$PPID
  while look_at_process "$connection_pid"; do
    { read -r ancestor_name <"/proc/$connection_pid/comm"; } 2>/dev/null || break
    case $ancestor_name in sh | dash | bash | ash | busybox | mksh | ksh | zsh | fish | tcsh | csh | sudo | su | doas | cat | runuser) connection_pid=$process_parent ;; *) break ;; esac
  done
  [ -n "$process_start" ] || {
    connection_pid=0
    process_start=0
  }
  read_uptime
  claim_file=run.$claim_kind.$run_id.$session_id.$$.$own_start.$connection_pid.$process_start
  write_state_file "$claim_file" "$uptime_seconds $holder_text" && return
  claim_file=
  return 1
}

# look_at_claims: reads the claims of other runs and removes those of dead processes. Sets host_holder (the run that
# holds the host), orphan_words and orphan_folders (runners of other runs that are still running), and living_runs.
look_at_claims() {
  host_holder=
  orphan_words=
  living_runs=
  orphan_folders=
  dead_claims=
  read_uptime
  look_uptime=$uptime_seconds
  saved_ifs=$IFS
  for each_folder in $state_folders; do for other_claim in "$each_folder"/run.*; do
    [ -O "$other_claim" ] || continue
    IFS=.
    # shellcheck disable=SC2086 # split on purpose: the parts of the name
    set -- ${other_claim##*/}
    IFS=$saved_ifs
    [ "$3" != "$run_id" ] || continue
    if look_at_process "$5" && [ "$process_start" = "$6" ]; then
      last_sign=
      { read -r last_sign claim_holder <"$other_claim"; } 2>/dev/null
      case $2 in
        a) if { [ "$7" = 0 ] || { look_at_process "$7" && [ "$process_start" = "$8" ]; }; } && [ $((look_uptime - ${last_sign:-$look_uptime})) -le "$LEASE_SECONDS" ]; then
          host_holder="$3 $claim_holder"
          living_runs="$living_runs $3 "
        else
          kill -9 "$5" 2>/dev/null
          dead_claims="$dead_claims $other_claim"
        fi ;;
        r)
          orphan_words="$3 $claim_holder"
          orphan_folders="$orphan_folders ${other_claim%/*}/at.$3.$4"
          living_runs="$living_runs $3 "
          ;;
        *) living_runs="$living_runs $3 " ;;
      esac
    else dead_claims="$dead_claims $other_claim"; fi
  done; done
  # shellcheck disable=SC2086 # split on purpose: several paths without spaces
  [ -z "$dead_claims" ] || rm -f $dead_claims
}

# make_session_folder: creates the session's folder and sets session_folder. Fails if nothing can be written. Sets
# folder_is_new to 1 if the session had no folder before, or if another run has taken the host since.
make_session_folder() {
  [ -z "$session_folder" ] || return 0
  [ -n "$state_folder" ] || claim_host || return 1
  folder_is_new=
  find_session_folder || {
    folder_is_new=1
    wanted_folder=$state_folder/at.$run_id.$session_id
    mkdir -m 700 "$wanted_folder" 2>/dev/null || return 1
  }
  [ ! -e "$wanted_folder/taken" ] || folder_is_new=1
  session_folder=$wanted_folder
}

# find_taken_folder: succeeds if another run has taken the host from this session. Then taken_by is that run and its
# holder, and session_folder is the session's folder, or empty if the folder is no longer kept.
find_taken_folder() {
  find_state_folders
  for state_folder in $state_folders; do
    session_folder=$state_folder/at.$run_id.$session_id
    [ -O "$session_folder" ] && { read -r taken_by <"$session_folder/taken"; } 2>/dev/null && return
  done
  state_folder=
  session_folder=
  is_noted_as_taken
}

# tell_taken NONCE: does the same as find_taken_folder, and tells the controller if the host was taken.
tell_taken() {
  find_taken_folder || return 1
  this_boot=
  { read -r this_boot </proc/sys/kernel/random/boot_id; } 2>/dev/null
  read_uptime
  printf '%s Q taken %s %s %s\n' "$1" "$this_boot" "$uptime_seconds" "$taken_by"
}

# keep_as_taken FOLDER: keeps the folder of a session whose host this run takes, in case the session's controller comes
# back. The farewell of this run removes the folder; the file "taken" still lists the session afterwards.
keep_as_taken() {
  { echo "$run_id $holder_text" >"$1/taken"; } 2>/dev/null || return 1
  taken_list=${1%/*}/taken
  {
    [ ! -f "$taken_list" ] || tail -n 30 "$taken_list"
    echo "${1##*/at.} $run_id $holder_text"
  } >"$taken_list.$$" 2>/dev/null && mv "$taken_list.$$" "$taken_list"
}

# is_noted_as_taken: succeeds if the file "taken" lists this session. Then taken_by is the run that took the host, and
# its holder.
is_noted_as_taken() {
  for each_folder in $state_folders; do
    [ -f "$each_folder/taken" ] && [ -O "$each_folder/taken" ] && while read -r taken_session taken_by; do [ "$taken_session" != "$run_id.$session_id" ] || return 0; done <"$each_folder/taken"
  done
  return 1
}

# enter_own_scope: moves this shell, and therefore its runners, into its own systemd scope, because logind may kill
# everything in a session that ends. If systemd does not answer soon, the shell continues as on a host without systemd.
enter_own_scope() {
  [ -d /run/systemd/system ] && [ "$state_folder" = /run/furrow ] || return 0
  set -- org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager StartTransientUnit
  busctl --quiet --timeout=3 call "$@" 'ssa(sv)a(sa(sv))' "furrow-$run_id-$session_id-$$.scope" fail 1 PIDs au 1 $$ 0 </dev/null >/dev/null 2>&1 || return 0
  # shellcheck disable=SC2034 # scope_try only counts
  for scope_try in 1 2 3 4 5 6 7 8; do
    while IFS= read -r cgroup_line; do case $cgroup_line in *"/furrow-$run_id-"*) return ;; esac done </proc/$$/cgroup
    sleep 0.02 || return
  done
}

# take_host: takes the host for this run. If another run holds the host, it reports that run and fails. It also reports
# the last tasks of dead runs, and keeps their folders while this run holds the host, because their controllers may only
# have lost the connection. A session outside of runs (x…, such as a single command) is not reported if it ended
# successfully. Such a session without a lease has only just begun, so its folder is left alone. A run cannot claim a
# host on which it cannot write any file, but a run that claimed the host earlier still holds it.
take_host() {
  claim_host
  look_at_claims
  if [ -n "$host_holder$orphan_words" ]; then
    [ -z "$claim_file" ] || rm -f "$state_folder/$claim_file"
    if [ -n "$host_holder" ]; then
      printf '%s K held %s\n' "$frame_nonce" "$host_holder"
      return 1
    fi
    for left_folder in $orphan_folders; do { echo >"$left_folder/wanted"; } 2>/dev/null; done
    task_words=
    { IFS= read -r task_words <"$left_folder/task"; } 2>/dev/null
    printf '%s K runs %s %s\n' "$frame_nonce" "$orphan_words" "(${task_words#* })"
    return 1
  fi
  [ -n "$claim_file" ] || return 0
  left_folders=
  for each_folder in $state_folders; do for left_folder in "$each_folder"/at.*; do
    [ -d "$left_folder" ] && [ -O "$left_folder" ] && [ ! -L "$left_folder" ] || continue
    left_run=${left_folder##*/at.}
    left_run=${left_run%.*}
    case "$living_runs $run_id " in *" $left_run "*) continue ;; esac
    case $left_run in x*)
      last_sign=
      { read -r last_sign <"$left_folder/lease"; } 2>/dev/null
      [ -n "$last_sign" ] && [ $((look_uptime - last_sign)) -gt "$LEASE_SECONDS" ] || continue
      ;;
    esac
    if { read -r taking_run taken_by <"$left_folder/taken"; } 2>/dev/null; then
      [ "$taking_run" != "$run_id" ] || continue
    else
      if { IFS= read -r task_words <"$left_folder/task"; } 2>/dev/null; then
        case $left_run/$task_words in x*/'ok '*) task_words= ;; esac
        [ -z "$task_words" ] || printf '%s P %s %s\n' "$frame_nonce" "$left_run" "$task_words"
      fi
      case $left_run in x*) ;; *) ! keep_as_taken "$left_folder" || continue ;; esac
    fi
    left_folders="$left_folders $left_folder"
  done; done
  # shellcheck disable=SC2086 # split on purpose: several paths without spaces
  [ -z "$left_folders" ] || rm -rf $left_folders
  make_session_folder && renew_lease
  return 0
}
