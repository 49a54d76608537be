import { directoryFunctions } from "../../src/facts/catalogue.ts";
import { inTheWay } from "./in-the-way.ts";

/**
 * Unpacks an archive, after checking that no name in it leads outside the directory. Arguments: archive, directory,
 * format, the number of leading path parts to strip, `keep` or empty (keep owners and all modes), stamp or empty, the
 * text to write to the stamp, `staged` or empty (the archive was uploaded only for this step), `follow` or empty (go
 * through links and mounts below the directory), a path or empty (a directory that exists until everything is
 * unpacked).
 *
 * Names come from the output of `tar -tv` (GNU tar or busybox: mode, owner, size, date, time, name) or Info-ZIP's
 * `unzip -Z1`. Info-ZIP creates symbolic links last, so it never writes through one.
 *
 * Existing directories keep their mode and owner. With `keep`, only the target directory itself keeps them: a rerun
 * after a killed run must be able to set the mode and owner of the others.
 */
export const unarchiveScript = `${directoryFunctions}${inTheWay}
archive=$1 directory=$2 format=$3 strip=$4 keep=$5 stamp=$6 note=$7 follow=$9 mark=\${10}
# An archive that was sent only for this task is removed at the end, even if nothing was unpacked.
[ -z "$8" ] || trap 'rm -f -- "$archive"' EXIT
fail() { printf '%s\\n' "$*" >&2; exit 1; }

# Checked before anything is unpacked: without a record, every run would unpack the archive again.
if [ -n "$stamp" ]; then
  ( umask 077; mkdir -p "\${stamp%/*}" ) && [ -w "\${stamp%/*}" ] ||
    fail "nothing was unpacked: the archive could not be recorded in \${stamp%/*}. Set creates, or run as root"
fi

# A directory, because mkdir follows no link that someone else has put there.
begin() { [ -z "$mark" ] || { [ -d "$mark" ] && [ ! -L "$mark" ]; } || mkdir -- "$mark" || fail "nothing was unpacked: $mark cannot be created"; }

content() {
  case $format in
    tar) cat;; tar.gz) gzip -dc;; tar.xz) xz -dc;; tar.zst) zstd -dcq;; tar.bz2) bzip2 -dc;;
  esac <"$archive"
}

# The exit code of a pipe is that of its last command, so each command reports its own failure.
through() { [ -z "$( { { content || echo broken >&3; } | "$@" >&2 || echo broken >&3; } 3>&1)" ]; }

# With -P, GNU tar shows names unchanged. The tar of busybox only reports that it strips something, and keeps special
# modes.
if tar --version 2>/dev/null | grep -q 'GNU tar'; then gnu=1; else gnu=0; fi
list_tar() { if [ $gnu = 1 ]; then LC_ALL=C tar -tPvf -; else LC_ALL=C tar -tvf - 2>&1; fi; }
names_of_tar() { list_tar | awk -v gnu=$gnu -v keep="$keep" '
  function refuse(why) { print "nothing was unpacked: " why ": " name; bad++; if (bad == 5) exit 1 }
  { type = substr($0, 1, 1); name = $0; to = "" }
  !gnu && /emoving leading / { refuse("a path that leads out of the directory"); next }
  !gnu && /^tar: / { print; bad++; next }
  !gnu && keep == "" && type != "d" && substr($0, 2, 9) ~ /[sStT]/ { refuse("a special mode, which only GNU tar can leave out") }
  !match($0, /^[^ ]+ +[^ ]+ +[^ ]+ +[0-9-]+ +[0-9:]+ /) { refuse("a name that cannot be parsed"); next }
  { name = substr($0, RLENGTH + 1) }
  type == "l" { at = index(name, " -> "); to = substr(name, at + 4); name = substr(name, 1, at - 1); if (index(to, " -> ")) refuse("a link that cannot be parsed") }
  !gnu && type == "-" && (at = index(name, " -> ")) { type = "H"; to = substr(name, at + 4); name = substr(name, 1, at - 1) }
  type == "h" { at = index(name, " link to "); to = substr(name, at + 9); name = substr(name, 1, at - 1) }
  (type == "h" || type == "H") && (to ~ /^\\// || to ~ /(^|\\/)\\.\\.(\\/|$)/) { refuse("a hard link that leads out of the directory") }
  name ~ /^\\// { refuse("an absolute path") }
  name ~ /(^|\\/)\\.\\.(\\/|$)/ { refuse("a path that leads out of the directory") }
  {
    sub(/^(\\.\\/)+/, "", name); whole = name; sub(/\\/+$/, "", whole)
    for (part = whole; match(part, /\\/[^\\/]*$/); ) { part = substr(part, 1, RSTART - 1); if (part in links) refuse("a path through a link in the archive") }
    if (type == "l") links[whole] = 1
  }
  END { exit bad > 0 }'; }

plain_names() { if [ $gnu = 1 ]; then tar -tP --quoting-style=literal -f -; else tar -tf - 2>/dev/null; fi; }
names_in_the_way() { plain_names | in_the_way "$strip" "$follow"; }

case $format in
zip)
  names=$(unzip -Z1 -- "$archive") || fail "$archive is not a complete zip archive, or unzip is not the one from Info-ZIP"
  printf '%s\\n' "$names" | awk '/^\\// || /(^|\\/)\\.\\.(\\/|$)/ { print "nothing was unpacked: a path that leads out of the directory: " $0; bad++ } END { exit bad > 0 }' >&2 || exit 1
  printf '%s\\n' "$names" | in_the_way 0 "$follow" >&2 || exit 1
  begin
  unzip -o -q "$archive" -d "$directory" </dev/null; code=$?
  # Exit code 1 is a warning: everything was unpacked (man unzip, DIAGNOSTICS).
  [ $code -le 1 ] || fail "unzip ended with $code"
  ;;
*)
  through names_of_tar || fail "$archive was not unpacked: it is not a complete $format archive, or would write outside the directory"
  through names_in_the_way || fail "$archive was not unpacked: something on the host is in its way"
  set -- -xf - -C "$directory"
  [ $gnu = 0 ] || [ -z "$follow" ] || set -- "$@" --keep-directory-symlink
  [ "$strip" = 0 ] || set -- "$@" --strip-components="$strip"
  if [ -n "$keep" ]; then set -- "$@" -p; else set -- "$@" -o --no-same-permissions; fi
  [ $gnu = 0 ] || [ -n "$keep" ] || set -- "$@" --no-overwrite-dir
  before=$(stat -c '0%a %u:%g' -- "$directory/.") || fail "nothing was unpacked: $directory cannot be inspected"
  begin
  code=0
  through tar "$@" || code=1
  # Archives often begin with an entry for the directory that was packed, with the mode of a temporary directory.
  [ "$(stat -c '0%a %u:%g' -- "$directory/.")" = "$before" ] ||
    { chown -- "\${before#* }" "$directory/." && chmod -- "\${before%% *}" "$directory/."; } ||
    fail "the unpacked archive has changed the mode or owner of $directory, which were $before"
  [ $code = 0 ] || fail "$archive was unpacked only in part"
  ;;
esac
sync -f "$directory" 2>/dev/null || sync
[ -z "$mark" ] || rmdir -- "$mark" || fail "everything was unpacked, but $mark cannot be removed"
[ -n "$stamp" ] || exit 0
( umask 077; { directory_of "$directory"; printf '%s\\n' "$note"; } >"$stamp.part" && mv -f "$stamp.part" "$stamp" ) ||
  fail "the unpacked archive cannot be recorded in \${stamp%/*}"
`;
