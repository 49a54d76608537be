# shellcheck shell=sh
#
# Arms the undo of a change: saves the current state, and makes the host revert to it by itself after the given number
# of seconds, or at the next boot. If an undo with this name is already armed, its change was not confirmed, so its
# saved state is kept and only missing paths are added. The undo is armed once the file `ready` exists. If that file is
# missing, the run that saved the state was killed before it made a change, so its saved state is dropped.
#
# Arguments: NAME SECONDS; SECONDS is the time allowed for preparing the change. Environment: UNDO_PATHS (folders and
# files to save, one per line), UNDO_LINKS (network interfaces that the change touches), UNDO_NETWORK (not empty if
# addresses and routes must be restored), UNDO_SCRIPT (undo.sh), and the shell code of the change: UNDO_SAVE (saves
# additional state in the undo's folder), UNDO_APPLY (empty if the steps that follow make the change), UNDO_STOP (stops
# what the change has started, before the files are restored; may be missing), UNDO_CHECK (checks whether the change has
# taken effect), UNDO_LIVE (makes the running system read the restored files) and UNDO_BOOT (does the same early during
# boot). UNDO_LABEL is the task's label: with it, the script first reports a revert that no run has reported yet, with
# exit code 78. With UNDO_ASK, it arms nothing, and a later run reports the revert again. Exit code 81: the host could
# not revert the change. The script prints what a revert would not restore.

name=$1 seconds=$2 unit=furrow-undo-$1
PATH=$PATH:/usr/sbin:/sbin
# fail TEXT: ends with an error. A failed first arming leaves nothing behind, because the next boot would otherwise
# revert later changes by others.
fail() {
  [ -z "$1" ] || printf '%s\n' "$1" >&2
  [ "$first" = no ] || {
    systemctl stop "$unit-$$.timer" 2>/dev/null
    rm -f "/etc/systemd/system/$unit-boot.service" "/etc/systemd/system/sysinit.target.wants/$unit-boot.service"
    rm -rf -- "$folder"
  }
  exit 1
}
# refuse TEXT: ends, because the host could not revert the change.
refuse() {
  printf '%s\n' "$1" >&2
  exit 81
}
# place FOLDER: prints its real path, with all links resolved; a part that does not exist yet counts as a plain folder.
place() (
  there=$1 rest=
  until [ -d "$there/" ]; do
    rest=/${there##*/}$rest there=${there%/*}
  done
  cd -P -- "$there/" && there=$(pwd -P) || return
  [ "$there$rest" = / ] || there=${there%/}
  printf '%s\n' "$there$rest"
)
# mounted FOLDER: prints the type, source and options of the mount that contains the folder.
mounted() (
  there=$(place "$1") longest='' kind=''
  while read -r id parent device top point options rest; do
    : "$id $parent $device $top $options"
    case $there/ in "${point%/}/"*) [ ${#point} -lt ${#longest} ] || longest=$point kind=${rest#*- } ;; esac
  done </proc/self/mountinfo
  printf '%s\n' "$kind"
)
# lasts FOLDER: true if its files survive a power cycle. Fails with 1 if they do not, and with 2 if that cannot be
# determined. An overlay lasts as long as its upper layer. In a container, that layer is not visible, and lasts as long
# as the container.
lasts() {
  mount=$(mounted "$1")
  case $mount in
    overlay\ *)
      upper=${mount##*upperdir=}
      upper=${upper%%,*}
      if [ ! -d "$upper" ]; then
        systemd-detect-virt -cq 2>/dev/null && return
        return 2
      fi
      mount=$(mounted "$upper")
      ;;
  esac
  case $mount in
    tmpfs\ * | ramfs\ *) return 1 ;;
    '' | overlay\ *) return 2 ;;
  esac
}
# save: saves the paths that are not saved yet, and the real paths of their folders. A path is marked as saved only
# after it is in an archive, so that a revert never removes what it cannot restore.
save() {
  number=0
  while [ -e "files$number.tar" ] || [ -e "folders$number.tar" ]; do number=$((number + 1)); done
  sed 's:/$::; s:[][\.*^$]:\\&:g; s:.*:^&/:; p; s:/$:$:' paths >within
  printf '%s\n' "$UNDO_PATHS" | grep . | unsaved >paths.new
  while IFS= read -r path; do
    { [ ! -e "$path" ] && [ ! -L "$path" ]; } || find "$path" ! -type d ! -type s
  done <paths.new | unsaved | sed 's:^/::' >kept.new
  {
    sed 's:^:/:' kept.new
    sed 's:/$::' paths.new
    while IFS= read -r path; do
      [ ! -d "$path" ] || find "$path" -type d | sed "s:\$:/.:"
    done <paths.new
  } | sed 's:/[^/]*$::' | above | sort -u | while IFS= read -r dir; do
    grep -qxF -- "=$dir" places && continue
    printf '=%s\n%s\n' "$dir" "$(place "$dir")" >>places
    [ -z "$dir" ] || [ -L "$dir" ] || [ ! -d "$dir" ] || printf '%s\n' "${dir#/}"
  done >folders.new
  # Not every tar can create an empty archive.
  if [ -s folders.new ]; then
    pack --no-recursion folders.new && cp -- folders.new "folders$number" && mv -- part "folders$number.tar" || return 1
  fi
  if [ -s kept.new ]; then
    pack "" kept.new && cp -- kept.new "names$number" && mv -- part "files$number.tar" || return 1
  fi
  cat kept.new >>kept && cat paths.new >>paths
}
# unsaved: prints the paths on stdin except saved paths and paths below them, which may have changed since they were
# saved.
unsaved() { if [ -s within ]; then grep -vf within; else cat; fi; }
# above: prints the folders on stdin, and the folders above them.
above() {
  while IFS= read -r dir; do
    printf '%s\n' "$dir"
    while [ -n "$dir" ]; do
      dir=${dir%/*}
      printf '%s\n' "$dir"
    done
  done
}
# pack OPTION NAMES: archives these files, with ACLs and attributes if this tar supports them. Hard links become
# separate files, because a revert restores the files of one folder at a time.
# shellcheck disable=SC2086 # Two options, or none.
pack() {
  { keeps && tar -C / $plain --acls --xattrs '--xattrs-include=*' --selinux ${1:+"$1"} -cf part -T "$2" 2>/dev/null; } ||
    tar -C / $plain ${1:+"$1"} -cf part -T "$2"
}
# keeps: true if this tar supports ACLs and attributes.
keeps() { tar --acls --xattrs '--xattrs-include=*' --selinux -cf /dev/null -T /dev/null 2>/dev/null; }
# lost: prints which attributes of the files to save a revert would not restore.
lost() {
  ! keeps || return 0
  printf '%s\n' "$UNDO_PATHS" | while IFS= read -r path; do
    if [ -z "$path" ] || { [ ! -e "$path" ] && [ ! -L "$path" ]; }; then continue; fi
    find "$path" ! -type l -exec ls -ld {} + | sed -n 's:^[^ ]*+ [^/]*:ACL of :p'
    ! command -v getfattr >/dev/null || getfattr -Rhm '^(user|security\.capability|system\.posix_acl)' -- "$path" 2>/dev/null |
      sed -n 's:^# file\: :attributes of /:p'
  done
}
# network: saves addresses and routes, if the change concerns the network. Addresses and routes that are already saved
# are kept.
network() {
  if [ -z "$UNDO_NETWORK" ] || [ -e addresses ]; then return 0; fi
  ip -4 route show >routes4 && ip -o addr show scope global >addresses.part || return 1
  ip -6 route show >routes6 2>/dev/null
  mv -- addresses.part addresses
}
# Some hosts, such as Harvester's nodes, keep /usr/local and parts of /etc on a disk, but /var/lib only in memory.
home=/usr/local/furrow/undo
if lasts /var/lib/furrow || [ ! -w "${home%/furrow/undo}" ] || ! lasts "$home"; then home=/var/lib/furrow/undo; fi
folder=$home/$name first=no
[ -z "$UNDO_LABEL" ] || [ "$(id -u)" = 0 ] || refuse "the task's session does not belong to root"
[ -d /run/systemd/system ] || refuse "systemd is not running, so the host could not revert the change by itself"
umask 077
if [ -n "$UNDO_LABEL" ] && [ -d "$folder/reverted" ] && [ ! -e "$folder/reverted/told" ]; then
  echo "on $(cat "$folder/reverted/when"), the host reverted what an earlier run did not confirm: $(sed '$!s/$/;/' "$folder/reverted/labels" | tr '\n' ' ')" >&2
  cat "$folder/reverted/failed" >&2 2>/dev/null
  [ -n "$UNDO_ASK" ] || : >"$folder/reverted/told"
  exit 78
fi
for program in tar find grep sed sort tail mktemp systemd-run ${UNDO_NETWORK:+ip}; do
  command -v "$program" >/dev/null || refuse "the host has no $program, which it needs to revert the change"
done
for dir in /var/lib /var/lib/furrow /etc/systemd/system; do
  [ ! -d "$dir" ] || [ -w "$dir" ] || refuse "nothing can be written to $dir, where the host keeps what it needs to revert the change"
done
[ ! -d "$folder/undoing" ] || refuse "the host is reverting an earlier change: rerun when it has finished"
plain="--hard-dereference --no-unquote"
# shellcheck disable=SC2086
tar $plain -cf /dev/null -T /dev/null 2>/dev/null || plain=
newline=$(printf '\n_')
newline=${newline%_}
printf '%s\n' "$UNDO_PATHS" | while IFS= read -r path; do
  [ ! -L "${path%/}" ] || [ ! -d "$path" ] || refuse "$path is a link to a folder, so the host could not restore the files in it"
  [ ! -d "$path" ] || [ -z "$(find "$path" -name "*$newline*")" ] ||
    refuse "a name below $path contains a line break, so the host could not restore that file"
  if [ -z "$plain" ] && [ -e "$path" ] && find "$path" ! -type d -links +1 | grep -q .; then
    refuse "$path is or contains a file with several hard links, which the tar of this host could not restore"
  fi
done || exit
for dir in "$folder" /etc/systemd/system; do
  lasts "$dir" || printf '%s\n' "$UNDO_PATHS" | while IFS= read -r path; do
    [ -n "$path" ] || continue
    lasts "$path"
    [ $? = 1 ] || refuse "a power cycle would keep the change but lose its undo: $path is on a disk, but $dir is in memory, or the host does not say where it is"
  done || exit
done
lost
[ -z "$UNDO_ASK" ] || exit 0
# Until the next boot, this link leads the other scripts to the undo.
if [ "$home" != /var/lib/furrow/undo ] && [ ! -L /var/lib/furrow/undo ]; then
  [ ! -d /var/lib/furrow/undo ] || rmdir /var/lib/furrow/undo || fail ""
  mkdir -p -- "$home" /var/lib/furrow && ln -s "$home" /var/lib/furrow/undo || fail ""
fi
if [ ! -e "$folder/armed/ready" ]; then
  first=yes
  [ ! -d "$folder/armed" ] || systemctl stop "$unit-*.timer" 2>/dev/null
  rm -rf -- "$folder"
  mkdir -p -- "$folder/new" && cd -- "$folder/new" || fail ""
  : >paths
  : >places
  : >kept
  save || fail "the current files could not be saved"
  cat /proc/sys/kernel/random/boot_id >boot || fail ""
  for link in /sys/class/net/*; do
    master=-
    [ ! -e "$link/master" ] || master=$(readlink "$link/master")
    [ ! -r "$link/mtu" ] || echo "${link##*/} $(cat "$link/mtu") ${master##*/}"
  done >links
  network || fail ""
  cat /run/network/ifstate >ifstate 2>/dev/null
  nmcli -t -f UUID,DEVICE connection show --active >profiles 2>/dev/null
  : >touched
  printf '%s\n' "$UNDO_SCRIPT" >"$folder/undo" || fail ""
  sync
  mv -- "$folder/new" "$folder/armed" || fail ""
fi
cd -- "$folder/armed" || fail ""
[ "$first" = yes ] || { save && network; } || fail "the current files could not be saved"
if [ -n "$UNDO_LABEL" ]; then
  grep -qxF -- "$UNDO_LABEL" labels 2>/dev/null || printf '%s\n' "$UNDO_LABEL" >>labels
fi
if [ -n "$UNDO_SAVE" ]; then
  sh -c "$UNDO_SAVE" || fail "the current state could not be saved"
fi
rm -f applied.part applied output token
for link in $UNDO_LINKS; do grep -qxF -- "$link" touched || echo "$link" >>touched; done
# shellcheck disable=SC2153 # All of these come from the environment.
printf '%s\n' "$UNDO_APPLY" >apply && printf '%s\n' "$UNDO_CHECK" >check &&
  printf '%s\n' "$UNDO_STOP" >stop && printf '%s\n' "$UNDO_LIVE" >live && printf '%s\n' "$UNDO_BOOT" >startup || fail ""
# The steps that follow make the change. It counts as done once a connection that was opened after these steps asks
# about it.
[ -n "$UNDO_APPLY" ] || { : >started && echo steps >token && echo 0 >applied; } || fail ""
# Start the new timer before stopping an older one, so that there is always a timer. Also start it before enabling the
# unit, so that a boot is never the only way to revert.
systemd-run --quiet --collect "--unit=$unit-$$" "--on-active=$seconds" --timer-property=AccuracySec=100ms \
  /bin/sh "$folder/undo" "$name" || fail "systemd cannot start the timer that would revert the change"
umask 022
mkdir -p /etc/systemd/system/sysinit.target.wants || fail ""
cat >"/etc/systemd/system/$unit-boot.service" <<UNIT || fail ""
[Unit]
Description=Revert a change that furrow did not confirm ($name)
DefaultDependencies=no
RequiresMountsFor=$home /etc
After=local-fs.target
Before=network-pre.target systemd-networkd.service NetworkManager.service networking.service wicked.service ssh.socket sshd.socket
Before=systemd-sysctl.service nftables.service iptables.service ip6tables.service firewalld.service sssd.service
Wants=network-pre.target

[Service]
Type=oneshot
ExecStart=/bin/sh $folder/undo $name
UNIT
ln -sf "../$unit-boot.service" "/etc/systemd/system/sysinit.target.wants/$unit-boot.service" || fail ""
sync
: >ready || fail ""
sync
systemctl list-units --plain --no-legend --all "$unit-*.timer" | while read -r timer rest; do
  : "$rest"
  [ "$timer" = "$unit-$$.timer" ] || systemctl stop "$timer"
done
# An older timer may have fired in between.
[ -e "$folder/armed/ready" ] || fail "the host is reverting an earlier change: rerun when it has finished"
