import { leaseSeconds } from "../lock/claim-script.ts";
import { sh } from "../compile/shell-text.ts";

/**
 * Shell functions of a session that hands frames to runners. A runner is a shell in a session of its own, so that it
 * outlives the connection; its script comes through a pipe and is in no file, and its stdout is the journal `j.NONCE` in
 * the folder of the furrow session, `at.RUN.SESSION`. The journal's first record names the runner.
 */
export const runnerFunctions = [
  // `_frn NONCE SCRIPT`: hands a frame to a runner and prints its journal until the runner is gone. The controller may
  // have left by then, since the journal tells it all: a broken pipe must not keep the farewell from being read.
  sh`
_frn() {
  if _ftq "$1"; then return; fi
  umask 077; _fdi && _fls && { echo >"$_fd/j.$1"; } 2>/dev/null || _fd=
  umask 022; if [ -z "$_fd" ]; then printf '%s N\n' "$1"; return; fi
  [ ! -e "$_fd/gone.$1" ] || return
  [ ! -e "$_fd/wanted" ] || rm -f "$_fd/wanted"
  _fj=$_fd/j.$1; [ "$_fK" = a ] && _fk=r || _fk=y
  [ -n "$_fsd" ] || { _fsd=1; _fsg; }
  command -v setsid >/dev/null 2>&1 && _fss=setsid || _fss=nohup
  printf '%s\n%s\n' "$_fP
_fn=$1; _fd=$_fd; _b=$_b; _bs='$_bs'; _fR=$_fR; _fS=$_fS; _fK=$_fk; _fH='$_fH'; _fbg || exit" "$2" |
    $_fss sh >"$_fj" 2>/dev/null & _p=$!
  printf '%s J 0\n' "$1"
  exec 8<"$_fj"
  _ffl "$_p" & _w=$!
  wait "$_p"; _r=$?
  kill "$_w" 2>/dev/null; wait "$_w" 2>/dev/null
  cat <&8; exec 8<&-
  trap : PIPE; _fen "$1" "$_r"; trap - PIPE
}`,
  // `_ftq NONCE`: says that another run has had the host, where an earlier question has found that.
  sh`
_ftq() { [ -n "$_tk" ] && printf '%s Q taken %s %s\n' "$1" "$_bt" "$_up"; }`,
  // `_fen NONCE CODE`: the last record of a runner that is gone; 74: its journal could not be written, and why.
  sh`
_fen() {
  _o=; [ "$2" != 74 ] || { _frm; _o=" full $(_frw)"; }
  printf '%s E%s\n' "$1" "$_o"
}`,
  // `_ffl PID`: prints what is new in the journal now and then, and what the running step has said so far. It is ended by
  // TERM, and ends with that runner: mksh loses a signal that comes before the trap is set.
  sh`
_ffl() {
  _wp=$1; _q=; trap '_q=1' TERM; _k=; _no=0; _ne=0; _z=0.3
  while :; do
    sleep "$_z" >/dev/null 2>&1 & wait $! || _z=1
    [ -z "$_q" ] && kill -0 $$ 2>/dev/null && _fst "$_wp" || return
    _c1=; _c2=; { IFS= read -r _c1 <"$_fd/cur"; } 2>/dev/null
    cat <&8 || exit
    { IFS= read -r _c2 <"$_fd/cur"; } 2>/dev/null
    if [ -n "$_c1" ] && [ "$_c1" = "$_c2" ]; then
      [ "$_c1" = "$_k" ] || { _k=$_c1; _no=0; _ne=0; }
      set -- $_c1; _fi="$1 $2"
      _fe V o "$_fd/o.$1.$2" "$_no"; _no=$_n; _fe V e "$_fd/e.$1.$2" "$_ne"; _ne=$_n
    fi
  done
}`,
  // `_fas NONCE FROM KNOWN`: after a lost link: did that frame begin? If not it never will; else its journal from a byte on.
  // Another run has had the host meanwhile where the folder that was KNOWN to be there is gone, or one was kept or noted
  // as taken: then what the journal has is told, and no frame is taken after it.
  sh`
_fas() {
  _fn=$1; _bt=; { read -r _bt </proc/sys/kernel/random/boot_id; } 2>/dev/null; _fup
  _tk=; [ -z "$_fd" ] || [ ! -e "$_fd/taken" ] || _tk=1
  if [ -z "$_tk" ] && { [ "$_fdn$3" = 11 ] || _fnt; }; then printf '%s Q taken %s %s\n' "$1" "$_bt" "$_up"; return; fi
  if _fdi; then [ ! -e "$_fd/wanted" ] || rm -f "$_fd/wanted"; _fls; { echo >"$_fd/gone.$1"; } 2>/dev/null; fi
  [ -e "$_fd/gone.$1" ] || { printf '%s N\n' "$1"; return; }
  for _f in "$_b"/run.[ax]."$_fR.$_fS".*; do
    _fi0=$IFS; IFS=.; set -- "$1" "$2" §{_f##*/}; IFS=$_fi0
    [ "$7" != $$ ] || continue
    if _fst "$7" && [ "$_st" = "$8" ]; then kill -9 "$7"; fi
    rm -f "$_f"
  done
  _h=; { IFS= read -r _h <"$_fd/j.$1"; } 2>/dev/null
  case $_h in
    "$1 B "*) printf '%s Q begun %s %s\n%s J %s\n' "$1" "$_bt" "$_up" "$1" "$2";;
    *) [ -z "$_tk" ] && _h=never || _h=taken; printf '%s Q %s %s %s\n' "$1" "$_h" "$_bt" "$_up"; return;;
  esac
  exec 8<"$_fd/j.$1"
  [ "$2" = 0 ] || dd bs="$2" count=1 <&8 >/dev/null 2>&1
  set -- "$1" $_h
  _ffl "$4" & _w=$!
  while _fst "$4" && [ "$_st" = "$5" ]; do sleep 0.2 2>/dev/null || sleep 1; done
  kill "$_w" 2>/dev/null; wait "$_w" 2>/dev/null
  cat <&8; exec 8<&-
  if _ftq "$1"; then return; fi
  _r=0; _frm || _r=74
  trap : PIPE; _fen "$1" "$_r"; trap - PIPE
}`,
]
  .join("")
  .trim();

/**
 * The end of a session whose controller has got all it wanted: what is this session's on the host is removed. Nobody waits
 * for it, and logind may end all processes of a user whose connection is gone (KillUserProcesses).
 */
export const farewell =
  'trap "" HUP TERM; [ -z "$_b" ] || { rm -rf "$_b"/run.?."$_fR.$_fS".* "$_b/at.$_fR.$_fS"; [ "$_fK" != a ] || for _f in "$_b"/at.*; do [ ! -e "$_f/taken" ] || rm -rf "$_f"; done; rmdir "$_b" 2>/dev/null; }; exit 0';

/** Shell functions of the runner itself, beside those of steps. */
export const borderFunctions = [
  // `_fbg`: the first record of a journal; fails, and says so, where the controller has given the frame up.
  sh`
_fbg() {
  _ftt=; _fst $$; _me=$_st
  [ -z "$_fK" ] || { _fup; echo "$_up $_fH" >"$_b/run.$_fK.$_fR.$_fS.$$.$_me.0.0" || exit 74; }
  printf '%s B %s %s\n' "$_fn" $$ "$_me" || exit 74
  _ch=; [ "$_fK" != r ] || _fck
  [ -z "$_ch" ] && [ ! -e "$_fd/gone.$_fn" ] || { printf '%s F\n%s X\n' "$_fn" "$_fn" || exit 74; return 1; }
}`,
  // `_ftk ITEM TITLE`: the border before a task: fails where a stop order has come, the lease has run out, or another run
  // wants the host of one that has lost its controller.
  sh`
_ftk() {
  _fto=$_ftt; _ftt=$2
  if [ -n "$_fd" ]; then
    _fup; _le=; { read -r _le <"$_fd/lease"; } 2>/dev/null; _fy=
    [ ! -e "$_fd/wanted" ] || _fy=wanted
    [ ! -e "$_fd/stop" ] || _fy=stop
    [ $((_up - §{_le:-$_up})) -le ${leaseSeconds} ] || _fy=lease
    if [ -n "$_fy" ]; then [ -n "$_fto" ] || _fts stopped; printf '%s Z %s %s\n' "$_fn" "$1" "$_fy" || exit 74; _fz=1; return 1; fi
  fi
  _fts began; printf '%s T %s\n' "$_fn" "$1" || exit 74
}
_fts() { [ -z "$_fd" ] || { printf '%s %s\n' "$1" "$_ftt" >"$_fd/task"; } 2>/dev/null; }`,
]
  .join("")
  .trim();
