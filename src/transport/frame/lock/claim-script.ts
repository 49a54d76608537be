import { sh } from "../compile/shell-text.ts";

/** Seconds without a sign from its controller after which a run has lost its host. */
export const leaseSeconds = 300;

/**
 * Shell functions for who has the host. A claim is a file of the shape `run.KIND.RUN.SESSION.PID.START.CPID.CSTART`:
 * a process, by its id and start time, that acts for a run, and the process that carries its connection (that of sshd).
 * Kind `a` is a shell with a controller, `r` a
 * runner, `x` and `y` the same outside of runs, where nobody claims the host. Its
 * text is the uptime of the controller's last sign, and the holder. A claim whose process is dead is none; everybody
 * writes their own before they look at others, so that two can never both find the host free. None of it forks but
 * where there is something to remove.
 */
export const claimFunctions = [
  // `_fst PID`: start time in _st, parent in _sp; fails for a process that is dead.
  sh`
_fst() {
  _st=; { read -r _l </proc/$1/stat; } 2>/dev/null || return 1
  _l=§{_l##*) }; set -- $_l
  [ "$1" != Z ] && _sp=$2 && _st=§{20}
}
_fup() { read -r _up _l </proc/uptime; _up=§{_up%%.*}; }
_fls() {
  _fup; [ -z "$_cl" ] || { echo "$_up $_fH" >"$_b/$_cl"; } 2>/dev/null
  [ -z "$_fd" ] || { echo "$_up" >"$_fd/lease"; } 2>/dev/null
}`,
  // `_fba NAME TEXT`: writes a file into the folder of what lives as long as a run, which is then _b. The one we had may
  // have gone: a run that ends takes an empty folder away, while we wait for it.
  sh`
_fba() {
  [ -z "$_b" ] || if { echo "$2" >"$_b/$1"; } 2>/dev/null; then return; fi
  for _b in §{_bs:?}; do
    [ -d "$_b" ] || mkdir -m 700 "$_b" 2>/dev/null
    [ -d "$_b" ] && [ ! -L "$_b" ] && [ -O "$_b" ] || continue
    { echo "$2" >"$_b/$1"; } 2>/dev/null && return
    rm -f "$_b/$1" 2>/dev/null
  done
  _b=; return 1
}
_fbs() {
  [ -z "$_bs" ] || return 0
  _u=$(id -u); _bs="/tmp/furrow-$_u /var/tmp/furrow-$_u /dev/shm/furrow-$_u"
  [ "$_u" != 0 ] || _bs="/run/furrow $_bs"
}`,
  // `_fcl`: claims the host for the run _fR, session _fS, holder _fH, as kind _fK; fails where nothing can be written.
  sh`
_fcl() {
  _fbs; _fst $$; _me=$_st; _ca=$PPID
  while _fst "$_ca"; do
    { read -r _c </proc/$_ca/comm; } 2>/dev/null || break
    case $_c in sh|dash|bash|ash|busybox|mksh|ksh|zsh|fish|tcsh|csh|sudo|su|doas|cat|runuser) _ca=$_sp;; *) break;; esac
  done
  [ -n "$_st" ] || { _ca=0; _st=0; }
  _fup; _cl=run.$_fK.$_fR.$_fS.$$.$_me.$_ca.$_st
  _fba "$_cl" "$_up $_fH"
}`,
  // `_fck`: looks at the claims of other runs: _ch is who holds the host, _co what still runs of others, _cv who lives.
  sh`
_fck() {
  _ch=; _co=; _cv=; _cs=; _cx=; _fup; _now=$_up; _fi0=$IFS
  for _f in $_bs; do for _f in "$_f"/run.*; do
    [ -O "$_f" ] || continue
    IFS=.; set -- §{_f##*/}; IFS=$_fi0
    [ "$3" != "$_fR" ] || continue
    if _fst "$5" && [ "$_st" = "$6" ]; then
      _le=; { read -r _le _cw <"$_f"; } 2>/dev/null
      case $2 in
        a) if { [ "$7" = 0 ] || { _fst "$7" && [ "$_st" = "$8" ]; }; } && [ $((_now - §{_le:-$_now})) -le ${leaseSeconds} ]
          then _ch="$3 $_cw"; _cv="$_cv $3 "; else kill -9 "$5" 2>/dev/null; _cx="$_cx $_f"; fi;;
        r) _co="$3 $_cw"; _cs="$_cs §{_f%/*}/at.$3.$4"; _cv="$_cv $3 ";;
        *) _cv="$_cv $3 ";;
      esac
    else _cx="$_cx $_f"; fi
  done; done
  [ -z "$_cx" ] || rm -f $_cx
}`,
  // `_fdi`: the folder of this session is _fd; fails where nothing can be written.
  sh`
_fdi() {
  [ -z "$_fd" ] || return 0
  [ -n "$_b" ] || _fcl || return 1
  _fdn=; _f=$_b/at.$_fR.$_fS; [ -d "$_f" ] || _fdn=1; [ -z "$_fdn" ] || mkdir -m 700 "$_f" 2>/dev/null || return 1
  [ ! -e "$_f/taken" ] || _fdn=1; _fd=$_f
}`,
  // `_ftn`: another run has taken the host from this session. Its folder is _fd, where that is still kept.
  sh`
_ftn() {
  _fbs
  for _b in $_bs; do _fd=$_b/at.$_fR.$_fS; [ ! -e "$_fd/taken" ] || [ ! -O "$_fd" ] || return 0; done
  _b=; _fd=; _fnt
}`,
  // `_ftv NONCE`: the same, said to the controller.
  sh`
_ftv() {
  _ftn || return 1
  _bt=; { read -r _bt </proc/sys/kernel/random/boot_id; } 2>/dev/null; _fup
  printf '%s Q taken %s %s\n' "$1" "$_bt" "$_up"
}`,
  // `_fmt FOLDER`: keeps the folder of a session whose host this run takes, for the answer to a controller that comes
  // back. The folder goes with this run's farewell; the list `taken` still tells that it was.
  sh`
_fmt() {
  { echo "$_fR" >"$1/taken"; } 2>/dev/null || return 1
  _l=§{1%/*}/taken
  { [ ! -f "$_l" ] || tail -n 30 "$_l"; echo "§{1##*/at.}"; } >"$_l.$$" 2>/dev/null && mv "$_l.$$" "$_l"
}
_fnt() {
  for _f in $_bs; do
    [ -f "$_f/taken" ] && [ -O "$_f/taken" ] && while read -r _l; do [ "$_l" != "$_fR.$_fS" ] || return 0; done <"$_f/taken"
  done
  return 1
}`,
  // `_fsg`: puts this shell, and so its runners, into a scope of its own: logind may kill all of a session that ends. A
  // systemd that does not answer soon is not waited for: then it is as where there is none.
  sh`
_fsg() {
  [ -d /run/systemd/system ] && [ "$_b" = /run/furrow ] || return 0
  set -- org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager StartTransientUnit
  busctl --quiet --timeout=3 call "$@" 'ssa(sv)a(sa(sv))' "furrow-$_fR-$_fS-$$.scope" fail 1 PIDs au 1 $$ 0 </dev/null >/dev/null 2>&1 || return 0
  for _l in 1 2 3 4 5 6 7 8; do
    while IFS= read -r _cw; do case $_cw in *"/furrow-$_fR-"*) return;; esac; done </proc/$$/cgroup
    sleep 0.02 || return
  done
}`,
  // `_flk`: takes the host; fails after saying who has it. What dead runs have left is told, and kept for as long as this
  // run has the host: the controller of one may have lost no more than its connection. Of what ended well outside of runs,
  // such as one command, nobody needs to hear later; without a lease such a session has only just begun.
  sh`
_flk() {
  _fcl || return 0
  _fck
  if [ -n "$_ch$_co" ]; then
    rm -f "$_b/$_cl"
    if [ -n "$_ch" ]; then printf '%s K held %s\n' "$_fn" "$_ch"; return 1; fi
    for _f in $_cs; do { echo >"$_f/wanted"; } 2>/dev/null; done
    _cw=; { IFS= read -r _cw <"$_f/task"; } 2>/dev/null
    printf '%s K runs %s %s\n' "$_fn" "$_co" "(§{_cw#* })"; return 1
  fi
  _cx=
  for _f in $_bs; do for _f in "$_f"/at.*; do
    [ -d "$_f" ] && [ -O "$_f" ] && [ ! -L "$_f" ] || continue
    _l=§{_f##*/at.}; _l=§{_l%.*}
    case "$_cv $_fR " in *" $_l "*) continue;; esac
    case $_l in x*)
      _le=; { read -r _le <"$_f/lease"; } 2>/dev/null
      [ -n "$_le" ] && [ $((_now - _le)) -gt ${leaseSeconds} ] || continue;;
    esac
    if { read -r _le <"$_f/taken"; } 2>/dev/null; then
      [ "$_le" != "$_fR" ] || continue
    else
      if { IFS= read -r _cw <"$_f/task"; } 2>/dev/null; then
        case $_l/$_cw in x*/'ok '*) _cw=;; esac
        [ -z "$_cw" ] || printf '%s P %s %s\n' "$_fn" "$_l" "$_cw"
      fi
      case $_l in x*) ;; *) ! _fmt "$_f" || continue;; esac
    fi
    _cx="$_cx $_f"
  done; done
  [ -z "$_cx" ] || rm -rf $_cx
  _fdi && _fls; return 0
}`,
]
  .join("")
  .trim();
