import { moveFunction } from "../../../core/move.ts";
import { stampedBytes, stampFunctions } from "../../../core/stamp.ts";
import { guardFunction } from "./guard.ts";
import { outputRecordBytes } from "../limits.ts";
import { sh } from "./shell-text.ts";

/**
 * Shell functions that every frame may use, sent once when a session starts. All names begin with `_f`. They run in
 * dash, bash and busybox sh; none reads stdin that is not its own.
 */

/**
 * `_fe RECORD STREAM FILE FROM`: prints what FILE holds beyond FROM, its last 256 KiB at most, and leaves its length in _n. Fails
 * where it cannot be printed. FILE is opened before its length is announced: the runner removes it when its step ends.
 */
export const emit = sh`
_fe() {
  _n=0; [ -s "$3" ] || return 0
  _n=$(wc -c <"$3"); _n=$((_n)); _a=$4
  [ "$_n" -gt "$_a" ] || return 0
  [ $((_n - _a)) -le ${outputRecordBytes} ] || _a=$((_n - ${outputRecordBytes}))
  {
    printf '%s %s %s %s %s %s\n' "$_fn" "$1" "$_fi" "$2" "$_a" $((_n - _a)) &&
    tail -c +$((_a + 1)) | head -c $((_n - _a))
  } <"$3"
}`;

/**
 * `_fx OK`: runs _fc as a step and prints its output and exit code; fails unless the code is one of OK (`0|100`). The
 * step's output goes to files. Without a folder for them, or without room in it, it goes through two variables: an inner
 * shell keeps stdout and prints it past the outer one, which keeps stderr. Each has `x` and the exit code behind it, since
 * a shell cuts line breaks off the end. Of both only the last 64 KiB are kept, because the printf of mksh is a program and
 * takes no argument of 128 KiB; `-` stands for an unknown length before. `_fxv STREAM TEXT` prints such a text.
 *
 * A full disk cuts the files off without a word, so the runner looks for room after each step (`_frm`). Where there is
 * none the files make room (`_fxf`): a short end of them, the record `D` and the exit code are told, and the step counts
 * as failed. A record that cannot be written ends the runner with the exit code 74 (EX_IOERR of sysexits.h).
 */
const execute = sh`
_fx() {
  _fo=§{_fi% *}.§{_fi#* } _fxd=
  if [ -z "$_fd" ] || ! { _fxc o && _fxc e; } 2>/dev/null; then
    { _e=$( { {
      _o=$( { ( trap - TERM; _fc ) </dev/null 2>&4 3>&- 4>&-; printf 'x%s' $?; } | tail -c 65530 )
      _c=§{_o##*x}; _fxv o "§{_o%x*}" >&3 || _c=74x
    } 4>&1; printf 'x%s' "$_c"; } | tail -c 65530 ); } 3>&1
    _c=§{_e##*x}; [ -n "$_c" ] || exit 74
    _fxv e "§{_e%x*}" || exit 74
  else
    ( trap - TERM; _fc ) </dev/null >"$_fd/o.$_fo" 2>"$_fd/e.$_fo" & _p=$!
    { echo "$_fi $_p $_fuc" >"$_fd/cur"; } 2>/dev/null
    wait "$_p"; _c=$?
    { echo >"$_fd/cur"; } 2>/dev/null
    if _frm; then
      for _k in o e; do
        _fe O $_k "$_fd/$_k.$_fo" 0 || exit 74
        [ "$_n" -le ${outputRecordBytes} ] || rm -f "$_fd/$_k.$_fo"
      done
    else
      for _k in o e; do _fxf $_k; done
      printf '%s D %s %s\n' "$_fn" "$_fi" "$(_frw)" || exit 74
      _fxd=1
    fi
  fi
  _fuc=
  printf '%s S %s %s\n' "$_fn" "$_fi" "$_c" || exit 74
  if [ -n "$_fxd" ]; then _fts 'failed full'; return 1; fi
  case "|$1|" in *"|$_c|"*) return 0;; esac
  _fts "failed $_c"; return 1
}
_fxc() { echo >"$_fd/$1.$_fo" && true >"$_fd/$1.$_fo"; }
_fxv() {
  _n=0; [ §{#2} -lt 65526 ] || _n=-
  [ -z "$2" ] || printf '%s O %s %s %s %s\n%s' "$_fn" "$_fi" "$1" "$_n" "§{#2}" "$2"
}
_fxf() {
  _o=$(tail -c 4096 "$_fd/$1.$_fo" 2>/dev/null; printf x); rm -f "$_fd/$1.$_fo"
  _o=§{_o%x}; [ -z "$_o" ] || printf '%s O %s %s - %s\n%s' "$_fn" "$_fi" "$1" "§{#_o}" "$_o" || exit 74
}`;

/**
 * `_frm`: fails where the folder of the session has no room for 4 KiB, by writing them (a page, and most blocks); `_frw`
 * prints why. A shell says of its own `echo` only that it failed: `cat` says why.
 */
export const room = sh`
_frm() {
  [ -n "$_fd" ] || return 0
  [ -n "$_f4" ] || { _f4=xxxxxxxx; while [ §{#_f4} -lt 4096 ]; do _f4=$_f4$_f4; done; }
  { echo "$_f4" >"$_fd/room"; } 2>/dev/null && true >"$_fd/room"
}
_frw() { _o=$( (echo "$_f4" | cat >"$_fd/room") 2>&1 ); printf '%s\n' "§{_o%%$_fl10*}"; }`;

/** `_fu USER COMMAND…`: runs a command as another user, with that user's home. */
const asUser = String.raw`
_fu() {
  _u=$1; shift
  _h=$(getent passwd "$_u" 2>/dev/null || grep "^$_u:" /etc/passwd) || { echo "user $_u does not exist" >&2; return 1; }
  _h=${"${_h%:*}"}; HOME=${"${_h##*:}"}; USER=$_u; LOGNAME=$_u; export HOME USER LOGNAME
  if command -v runuser >/dev/null 2>&1; then exec runuser -u "$_u" -- "$@"; fi
  exec su -s /bin/sh -c 'exec "$0" "$@"' "$_u" "$@"
}`;

/**
 * `_ft PATH`: the name of the file that is written beside PATH and then renamed: `.NAME.furrow`, and where that would be longer
 * than the 255 bytes that a name may have, with a hash in place of NAME. `_fa TEMPORARY PATH MODE OWNER GROUP [VALIDATE…]`
 * puts it into its place. `_fwc PATH` fails unless PATH is still what the new content was made from: a file with the SHA-256
 * _wo, nothing where _wo is `-`, anything where it is empty.
 */
const temporary = String.raw`
_wo=
_ft() {
  _t=${"${1##*/}"}
  [ ${"${#_t}"} -lt 248 ] || { _t=$(printf %s "$_t" | sha256sum); _t=${"${_t%% *}"}; }
  _t=${"${1%/*}"}/.$_t.furrow
}
_fa() {
  if [ -f "$2" ] && [ ! -L "$2" ]; then
    _k=$(stat -c '%a %u %g' -- "$2") || return 1
    _km=${"${_k%% *}"}; _kg=${"${_k##* }"}; _ku=${"${_k#* }"}; _ku=${"${_ku% *}"}
  else _km=0644; _ku=; _kg=; fi
  _ow=${"${4:-$_ku}"}; _gr=${"${5:-$_kg}"}
  [ -z "$_ow$_gr" ] || chown -- "$_ow${"${_gr:+:$_gr}"}" "$1" || return 1
  chmod -- "0${"${3:-$_km}"}" "$1" && { [ $# -lt 6 ] || ( _fv "$@" ); } && _fwc "$2" && _fmv "$1" "$2"
}
_fwc() {
  case $_wo in
    '') return 0;;
    -) [ -e "$1" ] || [ -L "$1" ] || return 0;;
    *) [ ! -L "$1" ] && [ -f "$1" ] && _wh=$(sha256sum <"$1") && [ "${"${_wh%% *}"}" = "$_wo" ] && return 0;;
  esac
  echo "$1 was changed by something else while this task ran, and is left as it is: run again" >&2; return 1
}
_fv() {
  _vt=$1; shift 5; _vc=$#
  while [ $_vc -gt 0 ]; do
    _va=$1; shift; case $_va in *%s*) _va=${"${_va%%%s*}"}$_vt${"${_va#*%s}"};; esac
    set -- "$@" "$_va"; _vc=$((_vc - 1))
  done
  timeout 60 "$@" >&2 </dev/null || { echo "$1 does not accept the new content" >&2; return 1; }
}`;

/**
 * `_fw PRINT PATH MODE OWNER GROUP [VALIDATE…]`: replaces a file by what the command PRINT prints, atomically, synced before the rename.
 * A shell says of its own `printf` only that it failed: `cat` says why.
 */
const writeFile = String.raw`
_fw() {
  _wr=$1; shift
  if [ -d "$1" ] && [ ! -L "$1" ]; then echo "$1 is a directory" >&2; return 1; fi
  _ft "$1"; if [ -e "$_t" ] || [ -L "$_t" ]; then rm -f -- "$_t" || return 1; fi
  umask 077; set -C
  if [ "$_wr" = cat ]; then cat >"$_t"
  else "$_wr" 2>/dev/null >"$_t" || { rm -f -- "$_t"; "$_wr" | cat >"$_t"; }
  fi || { rm -f -- "$_t"; return 1; }
  set +C; umask 022
  sync "$_t" 2>/dev/null || sync
  _fa "$_t" "$@" || { rm -f -- "$_t"; return 1; }
}`;

/**
 * `_fwt FOLDER OWNER 'MODE NUMBER NAME…'…`: writes new files of one folder together, as `_fw` would: in a folder beside
 * them, synced and moved at once. Fails where one of them is there already, or anything goes wrong; they are then to be
 * written one by one.
 */
const writeTogether = String.raw`
_fwt() {
  _bd=$1 _bo=$2 _bx= _ba=; shift 2; set -f; umask 077
  _bn=${"${_bd%/}"}/.furrow.new
  if [ -d "$_bn" ] && [ ! -L "$_bn" ] && [ -O "$_bn" ]; then rm -rf -- "$_bn"; fi
  mkdir -- "$_bn" && cd -- "$_bn" || return 1
  for _bl; do
    _bm=${"${_bl%% *}"} _bk= _bf=
    for _bw in ${"${_bl#* }"}; do
      if [ -z "$_bk" ]; then _bk=$_bw; continue; fi
      if [ -e "$_bd/$_bw" ] || [ -L "$_bd/$_bw" ] || ! "_fw$_bk" >"$_bw"; then _bx=1; break 2; fi
      _bk= _bf="$_bf $_bw"
    done
    chmod "$_bm" $_bf || _bx=1
    _ba=$_ba$_bf
  done
  if [ -z "$_bx" ] && { [ -z "$_bo" ] || chown -- "$_bo" $_ba; }; then
    { sync $_ba 2>/dev/null || sync; } && mv -f -- $_ba "$_bd/" || _bx=1
  else _bx=1; fi
  cd /; rm -rf -- "$_bn"
  [ -z "$_bx" ]
}`;

/** `_fp PATH SHA256 STAMP MODE OWNER GROUP [VALIDATE…]`: puts a staged file into its place when what is noted behind its content says that this is its
 * hash, and stamps it where STAMP is not empty. */
const placeStaged = String.raw`
_fp() {
  _ft "$1"; _s=$(tail -c 128 -- "$_t" | tr -d '\0' | tail -n 1) || return 1
  case $_s in "verified $2 "*) ;; *) echo "what is staged for $1 is not what was sent" >&2; return 1;; esac
  _z=${"${_s##* }"}
  dd bs=1 count=0 seek="$_z" of="$_t" </dev/null 2>/dev/null || return 1
  sync "$_t" 2>/dev/null || sync
  _p=$1; _s=$2; _st=$3; shift 3; _fa "$_t" "$_p" "$@" || { rm -f -- "$_t"; return 1; }
  if [ -n "$_st" ] && [ "$_z" -ge ${stampedBytes} ]; then stamp "$_p" "$_st" "sha256=$_s"; fi
}`;

/**
 * `_fm PATH PARENTS MODE OWNER GROUP` makes a directory, `_fk PATH MODE OWNER GROUP STAMP` sets attributes and renews the
 * stamp. One that somebody else's change of attributes has ended costs one reading of the file, here, instead of one in
 * every run. GNU chmod leaves a directory's set-group-ID and set-user-ID bits as they are unless the mode has five digits
 * (coreutils, "Directories and the Set-User-ID and Set-Group-ID Bits"); a leading 0 means the same to busybox.
 */
const directory = String.raw`
_fm() {
  _mn=; [ -e "$1" ] || [ -L "$1" ] || _mn=1
  mkdir $2 -- "$1" || return
  _fk "$1" "$3" "$4" "$5" || { [ -z "$_mn" ] || rmdir -- "$1"; return 1; }
}
_fk() {
  _ks=; [ -z "$5" ] || [ ! -f "$5" ] || _ks=$(_fks "$1" "$5")
  [ -z "$3$4" ] || chown -h -- "$3${"${4:+:$4}"}" "$1" || return 1
  [ -z "$2" ] || chmod -- "0$2" "$1" || return 1
  [ -z "$_ks" ] || stamp "$1" "$5" "sha256=$_ks"
}
_fks() {
  stamped "$1" "$2" sha256 && return
  [ ! -L "$2" ] && [ -O "$2" ] && IFS= read -r _kw <"$2" && _kn=$(stamp_of "$1") && [ "${"${_kw%'|'*}"}" = "${"${_kn%'|'*}"}" ] || return
  _kh=$(sha256sum <"$1") && grep -qx "sha256=${"${_kh%% *}"}" "$2" && echo "${"${_kh%% *}"}"
}`;

/**
 * `_fln PATH TARGET` makes or changes a link, `_fr PATH RECURSIVE` removes. The task has looked for mounts; what was mounted
 * since then stops it here, before the first file goes (`--one-file-system` does not protect the argument itself).
 */
const linkAndRemove = String.raw`
_fln() {
  _ft "$1"; rm -f -- "$_t"; ln -s -- "$2" "$_t" || return 1
  _fmv "$_t" "$1" || { rm -f -- "$_t"; return 1; }
}
_fr() {
  if [ -L "$1" ] || [ ! -d "$1" ]; then rm -f -- "$1"; return; fi
  [ "$2" = 1 ] || { rmdir -- "$1"; return; }
  _rp=$(cd -P -- "$1" && pwd -P) && [ "$_rp" != / ] && [ -r /proc/self/mountinfo ] || { echo "$1 is not removed: what is mounted below it cannot be told" >&2; return 1; }
  case $_rp in
    *'
'*) echo "$1 is not removed: its path has a line break" >&2; return 1;;
    *[\\\ \	]*) _rp=$(printf %s "$_rp" | sed 's/\\/\\134/g;s/ /\\040/g;s/	/\\011/g');;
  esac
  while read -r _rw _rw _rw _rw _rm _rw; do
    case $_rm in "$_rp"|"$_rp"/*) echo "$1 is not removed: $_rm is mounted" >&2; return 1;; esac
  done </proc/self/mountinfo
  if rm -f --one-file-system -- "$1/.furrow-none" 2>/dev/null; then rm -rf --one-file-system -- "$1"; return; fi
  rm -rf -- "$1"
}`;

/** What a session's shell is given before its first frame: a fixed environment, and what reading needs. */
export const prelude = `umask 022; LC_ALL=C; export LC_ALL; unset CDPATH ENV BASH_ENV GREP_OPTIONS POSIXLY_CORRECT; cd /; _fd=; _b=; _bs=; _cl=; _fsd=; _fdn=; _f4=
case $PATH in */sbin*) ;; *) PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin; export PATH;; esac
${guardFunction.trim()}
`;

/** The functions that a step of another user needs in a shell of its own. */
export const fileFunctions = [
  `\n${stampFunctions}\n${moveFunction}`,
  temporary,
  writeFile,
  placeStaged,
  directory,
  linkAndRemove,
]
  .join("")
  .trim();

/** The functions of steps, for the shell that performs them. */
export const stepFunctions = `${[guardFunction, emit, room, execute, asUser, writeTogether].join("").trim()}
${fileFunctions}
`;
