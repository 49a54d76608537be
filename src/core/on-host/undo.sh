# shellcheck shell=sh
#
# Reverts a change that was not confirmed: when its time is up, at a boot, or because the change failed. Runs on the
# host, without the controller. Only one instance runs at a time: a second one waits, and continues if the first was
# killed. Argument: NAME.

name=$1 folder=/var/lib/furrow/undo/$1 unit=furrow-undo-$1
[ -d "$folder" ] || folder=/usr/local/furrow/undo/$name
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
lock=/run/furrow-undo-$name
# An undo without a lock is better than none: after waiting as long as another instance should need, the script
# continues.
if ! { command -v flock && touch "$lock.lock" && exec 9>>"$lock.lock" && flock 9; } >/dev/null 2>&1; then
  tries=0
  until mkdir "$lock" 2>/dev/null || [ $tries -ge 120 ]; do
    sleep 1
    tries=$((tries + 1))
  done
  trap 'rmdir "$lock" 2>/dev/null' EXIT
fi
[ -d "$folder/undoing" ] || mv -- "$folder/armed" "$folder/undoing" 2>/dev/null || exit 0
cd -- "$folder/undoing" || exit
exec >>log 2>&1 </dev/null
disarm() {
  rm -f "/etc/systemd/system/$unit-boot.service" "/etc/systemd/system/sysinit.target.wants/$unit-boot.service"
  systemctl stop "$unit-*.timer" 2>/dev/null
}
newline=$(printf '\n_')
newline=${newline%_}
plain=--no-unquote
tar $plain -cf /dev/null -T /dev/null 2>/dev/null || plain=
# The arming script was killed: no change followed, and the files may have been edited since.
[ -e ready ] || {
  disarm
  rm -rf -- "$folder/undoing"
  exit
}
boot=$(cat /proc/sys/kernel/random/boot_id)
same=no
[ "$boot" != "$(cat boot)" ] || same=yes
[ $same = no ] || systemctl stop "furrow-apply-$name.service" 2>/dev/null
rm -f failed
[ ! -s kept ] || ls files*.tar >/dev/null 2>&1 || : >failed
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
# moved FOLDER: true if its real path has changed since the undo was armed, so files would be restored elsewhere.
moved() {
  [ "$(place "$1")" != "$(grep -xF -A 1 -- "=$1" places | tail -n 1)" ] || return 1
  echo "$1/ is no longer the same folder" >&2
  : >failed
}
# put NAME: moves an extracted file into place. Without an extracted file, the existing file stays as it was.
put() {
  [ -e "$new$dir/$1" ] || [ -L "$new$dir/$1" ] || return 1
  { [ ! -L "./$1" ] || [ ! -d "./$1" ]; } || rm -f -- "./$1"
  [ ! -d "./$1" ] || rmdir -- "./$1" || return 1
  # shellcheck disable=SC3013 # Every shell on a host with systemd knows -ef.
  mv -f -- "$new$dir/$1" "./$1" && { [ -L "./$1" ] || [ "./$1" -ef "$dir/$1" ]; }
}
# unpack ARCHIVE MEMBER...: extracts these members below $new. A file without its ACLs and attributes is better than
# none.
unpack() {
  tar -C "$new" --acls --xattrs '--xattrs-include=*' --selinux -xpf "$@" 2>/dev/null || tar -C "$new" -xpf "$@"
}
# folder MEMBER ARCHIVE: re-creates a missing folder with its old owner and mode.
folder() (
  upper=/${1%/*}
  [ "$upper" != "/$1" ] || upper=
  where=$PWD
  cd -P -- "$upper/" && [ "$(pwd -P)" = "$(place "$upper")" ] || exit 1
  new=$(mktemp -d "./.furrow-undo-XXXXXX") || exit 1
  trap 'rm -rf -- "$new"' EXIT
  unpack "$where/$2" -- "$1" && mv -- "$new/$1" "./${1##*/}"
)
# room NAME: empties a file that is about to be restored, because the disk may be full.
room() { [ ! -f "./$1" ] || [ -L "./$1" ] || : >"./$1"; }
# inside NAMES: creates a temporary folder next to the files that NAMES lists, and makes room for it if necessary.
inside() {
  mktemp -d "$here/.furrow-undo-XXXXXX" || while IFS= read -r member; do
    room "${member##*/}"
    mktemp -d "$here/.furrow-undo-XXXXXX" && break
  done <"$1"
}
# restore ARCHIVE NAMES: restores the files of one folder ($dir); the file NAMES lists the members. It works inside the
# folder, so a link that somebody creates in the meantime cannot redirect it.
restore() (
  mkdir -p -- "$dir/" && here=$(place "$dir") && cd -P -- "$dir/" && [ "$(pwd -P)" = "$here" ] || exit 1
  new=$(inside "$2") && [ -n "$new" ] || exit 1
  trap 'rm -rf -- "$new"' EXIT
  bad=0
  if unpack "$1" $plain -T "$2"; then
    while IFS= read -r member; do
      put "${member##*/}" || bad=1
    done <"$2"
    exit $bad
  fi
  rm -rf -- "$new" && mkdir -- "$new" || exit 1
  while IFS= read -r member; do
    { unpack "$1" -- "$member" || { room "${member##*/}" && unpack "$1" -- "$member"; }; } && put "${member##*/}" || bad=1
  done <"$2"
  exit $bad
)
if [ -e started ] || [ $same = no ]; then
  [ $same = yes ] || booting=yes
  export booting
  # shellcheck source=/dev/null
  [ ! -e units ] || { . ./stop; } 9>&-
fi
# First remove what did not exist before the change: it may be a link in place of a folder.
while IFS= read -r path; do
  path=${path%/}
  { [ ! -e "$path" ] && [ ! -L "$path" ]; } || moved "${path%/*}" || find "$path" ! -type d ! -type s ! -path "*$newline*"
done <paths | while IFS= read -r file; do
  grep -qxF -- "${file#/}" kept || rm -f -- "$file"
done
if [ -e attributes ]; then
  while read -r mode owner path; do
    if [ -d "$path" ] && [ ! -L "$path" ]; then
      chown -- "$owner" "$path" && chmod -- "$mode" "$path" || : >failed
    fi
  done <attributes
fi
# Restore folders before their files, and parents before children: the names are sorted.
for archive in folders*.tar; do
  [ -e "$archive" ] || continue
  while IFS= read -r member; do
    [ ! -d "/$member" ] || continue
    moved "/$member" || folder "$member" "$archive" || : >failed
  done <"${archive%.tar}"
done
for archive in files*.tar; do
  [ -e "$archive" ] || continue
  names=${archive%.tar}
  names=names${names#files}
  sed 's:^:/:; s:/[^/]*$::' "$names" | sort -u | while IFS= read -r dir; do
    ! moved "$dir" || continue
    while IFS= read -r member; do
      case $member in
        */*) parent=/${member%/*} ;;
        *) parent= ;;
      esac
      [ "$parent" != "$dir" ] || printf '%s\n' "$member"
    done <"$names" >members
    restore "$PWD/$archive" "$PWD/members" || : >failed
  done
done
sync

# was LINK: prints the saved line of a network interface.
was() {
  while read -r link mtu master; do
    [ "$link" != "$1" ] || echo "$mtu $master"
  done <links
}

# missing: true if a saved address does not exist.
missing() {
  [ -e addresses ] || return 1
  while read -r number link family address rest; do
    : "$number" "$rest"
    ip -o addr show dev "$link" | grep -qF " $family $address " || return 0
  done <addresses
  return 1
}

if [ $same = no ]; then
  # Processes that this script starts may keep running, and must not hold the lock.
  # shellcheck source=/dev/null
  { . ./startup; } 9>&-
elif [ -e started ]; then
  while read -r link; do
    state=$(was "$link")
    if [ -z "$state" ]; then
      ip link delete dev "$link" 2>/dev/null
      continue
    fi
    [ "${state#* }" = - ] && ip link set dev "$link" nomaster 2>/dev/null
    ip addr flush dev "$link" scope global
    ip link set dev "$link" mtu "${state% *}"
  done <touched
  # shellcheck source=/dev/null
  { . ./live; } 9>&-
  tries=0
  while missing && [ $tries -lt 30 ]; do
    sleep 0.5
    tries=$((tries + 1))
  done
  # Restore what the host's own tools did not restore.
  if missing; then
    while read -r number link family address rest; do
      : "$number" "$rest"
      ip link set dev "$link" up
      ip addr add "$address" dev "$link" 2>/dev/null && echo "added $family $address to $link"
    done <addresses
  fi
  for version in 4 6; do
    [ -e addresses ] && [ -e "routes$version" ] || continue
    while IFS= read -r route; do
      route=$(printf '%s' "$route" | sed 's/ \(linkdown\|dead\)//g; s/ pref [a-z]*//; s/ expires [0-9]*sec//')
      # shellcheck disable=SC2086
      case $route in *via*) ip -$version route show exact ${route%% *} | grep -q . || ip -$version route add $route ;; esac
    done <"routes$version"
  done
fi
# The next arming removes the folder, so the archive is kept outside it.
if [ -e failed ]; then
  kept=$folder-not-restored-$(date +%Y%m%d%H%M%S) names=
  for archive in files*.tar; do
    [ -e "$archive" ] || continue
    number=${archive#files}
    # Use a hard link, which needs no space, because the disk may be full.
    ln -f "$archive" "$kept${number#0}"
    names="$names $kept${number#0}"
  done
  echo "not all files could be restored: ${names:+they are in}${names:-see the log}" | tee failed
else
  # While a change is prepared, more files may still be written: undo-begin.sh then reverts once more.
  [ ! -e started ] && [ ! -e again ] || rm -f files*.tar folders*.tar
fi
disarm
date >when
echo "reverted on $(cat when): $(sort -u paths | tr '\n' ' ')"
[ ! -d "$folder/undoing" ] || rm -rf -- "$folder/reverted"
mv -- "$folder/undoing" "$folder/reverted"
sync
