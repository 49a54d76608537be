import { accessFunction, moveFunction, stampFunctions } from "../../src/facts/catalogue.ts";

/**
 * Downloads one file. Arguments: URL, path, part file, algorithm or empty, digest or empty, connect seconds, stall
 * seconds, attempts, mode or empty, owner or empty, group or empty, stamp, `insecure` or empty. Lines for
 * `curl --config` come from stdin, because they may be secret.
 *
 * Data is appended to the part file, which replaces the old file only once its digest matches: a 404 page, a truncated
 * file or a wrong file never appears at the path. If a resumed part turns out to be wrong, the file is downloaded once
 * more from the start. Exit codes of curl: `man curl`, "EXIT CODES"; of GNU wget: `info wget`, "Exit Status".
 */
export const downloadScript = `${stampFunctions}
${accessFunction}
${moveFunction}
url=$1 path=$2 part=$3 algorithm=$4 digest=$5 connect=$6 stall=$7 tries=$8; shift 8
mode=$1 owner=$2 group=$3 stamp=$4 insecure=$5
config=$(cat)
say() { printf '%s\\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

if command -v curl >/dev/null; then tool=curl
elif wget --version 2>/dev/null | grep -q 'GNU Wget'; then tool=wget
elif command -v wget >/dev/null; then tool=busybox
else fail "neither curl nor wget is installed on the host"; fi
[ -z "$config" ] || [ $tool = curl ] || fail "headers need curl, because wget takes them as arguments, where all users can read them"

# Reports the size of the part every second, and the full size if curl knows it; ends with this shell.
meter() {
  while sleep 1 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
    size=$(stat -c %s -- "$part" 2>/dev/null) || continue
    all=$(awk '{ gsub(/\\r/, "") } /^HTTP/ { n = "" } tolower($1) == "content-length:" && n == "" { n = $2 }
      tolower($1) == "content-range:" { sub(/.*\\//, ""); n = $0 } END { print n }' "$head" 2>/dev/null)
    case $all in *[!0-9]*) all=;; esac
    echo "furrow: $size\${all:+ of $all} bytes"
  done
}
watch_part() { meter & meter=$!; }
leave_part() { { kill $meter && wait $meter; } 2>/dev/null; rm -f "$head"; }

# Sets: got = 0 done, 1 worth another try, 2 final, 3 cannot be resumed; why = what was wrong.
with_curl() {
  set -- -sSL --fail --globoff --proto =http,https --proto-redir =http,https --max-redirs 10 \\
    --connect-timeout "$connect" --speed-limit 1 --speed-time "$stall" -w '\\nhttp=%{http_code}' -D "$head" -o "$part" "$url"
  [ -z "$insecure" ] || set -- --insecure "$@"
  [ ! -s "$part" ] || set -- -C - "$@"
  watch_part
  said=$(printf '%s\\n' "$config" | curl -K - "$@" 2>&1); code=$?
  leave_part
  status=\${said##*http=}; why=$(printf '%s\\n' "$said" | sed -n 's/^curl: //p' | tail -n 1)
  case $code in
    0) got=0;;
    22) case $status in 408|425|429|5??) got=1;; 416) got=3;; *) got=2;; esac; why="the server answered $status";;
    33|36) got=3;;
    23) got=2 why="$why$(room)";;
    1|2|3|47|51|58|60|77|83|90|91) got=2;;
    *) got=1;;
  esac
}

with_wget() {
  if [ $tool = wget ]; then
    set -- -nv --tries=1 --max-redirect=10 --connect-timeout="$connect" --read-timeout="$stall" --dns-timeout="$connect"
  else set -- -q; fi
  [ -z "$insecure" ] || set -- "$@" --no-check-certificate
  [ ! -s "$part" ] || set -- "$@" -c
  watch_part
  if [ $tool = wget ]; then said=$(wget "$@" -O "$part" "$url" 2>&1); code=$?
  else said=$(watched "$@" -O "$part" "$url" 2>&1); code=$?; fi
  leave_part
  why=$(printf '%s\\n' "$said" | tail -n 1)
  status=$(printf '%s\\n' "$said" | sed -n -e 's/.*ERROR \\([0-9][0-9][0-9]\\).*/\\1/p' -e 's/.*HTTP\\/1\\.[01] \\([0-9][0-9][0-9]\\).*/\\1/p' | tail -n 1)
  case $code:$status in
    0:*) got=0;;
    *:408|*:425|*:429|*:5??) got=1 why="the server answered $status";;
    *:416) got=3;;
    *:4??|*:3??) got=2 why="the server answered $status";;
    3:*) got=2 why="$why$(room)";;
    2:*|5:*) got=2;;
    *) got=1;;
  esac
}

# The wget of busybox has -T for this, but crashes with it on Debian 12.
watched() {
  wget "$@" & wget=$!
  (
    idle=0 last=-1
    while sleep 1; do
      size=$(stat -c %s -- "$part" 2>/dev/null) || size=0
      if [ "$size" = "$last" ]; then idle=$((idle + 1)); else idle=0 last=$size; fi
      [ $idle -lt "$stall" ] || { kill $wget; exit; }
    done
  ) >/dev/null 2>&1 & watch=$!
  wait $wget; code=$?
  if kill $watch 2>/dev/null; then wait $watch; else echo "no data arrived for $stall s"; fi 2>/dev/null
  return $code
}

room() { df -P -- "\${part%/*}" 2>/dev/null | awk 'NR == 2 { print "; " $4 " KiB are free on " $6 }'; }

right() {
  [ -n "$algorithm" ] || return 0
  found=$("\${algorithm}sum" <"$part") && found=\${found%% *}
  [ "$found" = "$digest" ]
}

umask 077
head=$part.head
rm -f "$head"
[ ! -L "$part" ] || rm -f "$part"
# Without a digest, nothing shows whether an old part belongs to this file.
[ -n "$algorithm" ] || rm -f "$part"
again=1
if [ -s "$part" ]; then resumed=1; else resumed=; fi
# A complete part cannot be resumed, because the server has nothing more to send.
if [ -z "$resumed" ] || ! right; then
  try=1; pause=1
  while :; do
    [ -n "$algorithm" ] || rm -f "$part"
    [ ! -s "$part" ] || resumed=1
    if [ $tool = curl ]; then with_curl; else with_wget; fi
    if [ $got = 0 ]; then
      # No tool creates the file before its first byte arrives, so an empty file is created here.
      [ -e "$part" ] || : >"$part"
      right && break
      if [ -n "$resumed" ] && [ $again = 1 ]; then again=0 resumed=; rm -f "$part"; say "the resumed file is wrong; starting from the beginning"; continue; fi
      rm -f "$part"
      fail "the file at $url is not the expected one: its $algorithm is $found, but $digest was expected"
    fi
    if [ $got = 3 ] && [ $again = 1 ]; then again=0 resumed=; rm -f "$part"; say "the server cannot resume; starting from the beginning"; continue; fi
    [ -s "$part" ] || rm -f "$part"
    [ $got = 1 ] && [ $try -lt "$tries" ] || fail "$url cannot be downloaded: $why (\${tool} exit code $code, try $try)"
    say "try $try: $why; trying again in $pause s"
    sleep $pause; try=$((try + 1)); pause=$((pause * 2)); [ $pause -le 30 ] || pause=30
  done
fi

if [ -z "$owner$group" ] && [ -f "$path" ]; then chown "$(stat -c %u:%g -- "$path")" "$part" 2>/dev/null || :; fi
[ -z "$owner" ] || chown "$owner" "$part" || exit 1
[ -z "$group" ] || chgrp "$group" "$part" || exit 1
old=644
if [ -f "$path" ]; then
  old=$(stat -c %a -- "$path") || exit 1
  new=$mode; [ -z "$mode" ] || [ "$((0$mode))" -ne "$((0$old))" ] || new=
  _fca "$path" "$part" "$new" || exit 1
fi
chmod "\${mode:-0$old}" "$part" || exit 1
sync "$part" 2>/dev/null || sync
_fmv "$part" "$path" || exit 1
[ -z "$algorithm" ] || stamp "$path" "$stamp" "$algorithm=$digest"
`;

/**
 * Sets the mode and owner of a file whose content is already correct, and renews the stamp, which the change would
 * make invalid. Arguments: path, algorithm, digest, mode or empty, owner or empty, group or empty, stamp.
 */
export const attributesScript = `${stampFunctions}
path=$1 algorithm=$2 digest=$3 mode=$4 owner=$5 group=$6 stamp=$7
keep=
[ -z "$algorithm" ] || { found=$(stamped "$path" "$stamp" "$algorithm") && [ "$found" = "$digest" ] && keep=1; }
[ -z "$owner" ] || chown "$owner" "$path" || exit 1
[ -z "$group" ] || chgrp "$group" "$path" || exit 1
[ -z "$mode" ] || chmod "$mode" "$path" || exit 1
[ -z "$keep" ] || stamp "$path" "$stamp" "$algorithm=$digest"
`;
