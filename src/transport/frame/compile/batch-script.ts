import { shellQuote } from "../../../core/step.ts";
import { type Batch, batchFolder } from "./batch.ts";

/**
 * What takes a batch on the host. It enters the staging folder and stays in that very directory, whatever somebody makes
 * of its name meanwhile; says `NONCE has SHA256  NAME` for what an earlier try left there, and `NONCE ready`; unpacks the
 * tar archive that comes then, and says `NONCE came`. `NONCE without WHY` says that this host takes contents one by one.
 * GNU and busybox tar: `-o` gives files to whoever unpacks, `-m` the time of now.
 */
export function batchScript({ top, folders }: Batch, nonce: string): string {
  return `{ n=${nonce}; umask 077; LC_ALL=C; export LC_ALL; s=${batchFolder}
no() { printf '%s\\n' "$n without $1"; exit 0; }
command -v tar >/dev/null 2>&1 || no tar
cd -P -- ${shellQuote(top)} 2>/dev/null && p=$(pwd -P) || no folder
[ -e $s ] || [ -L $s ] || mkdir $s || exit 1
cd $s 2>/dev/null && [ "$(pwd -P)" = "\${p%/}/$s" ] && [ -O . ] && chmod 700 . || no folder
d=$(stat -Lc %d -- . ${folders.map(shellQuote).join(" ")} 2>/dev/null) || no folder
[ "$(printf '%s\\n' "$d" | sort -u | wc -l)" -eq 1 ] || no folder
find . -type f -exec sha256sum {} + | sed "s/^/$n has /"
printf '%s\\n' "$n ready"
tar -xomf - || exit 1
printf '%s\\n' "$n came"
exit 0; }
`;
}

/**
 * `_fpv TOP` enters the staging folder of TOP and checks it against the sums that the functions `_fbs` and `_fbt` print, each
 * half of them by a process of its own. `_fpl MODE OWNER GROUP FOLDER NUMBER NAME…` lists the files for one folder. A file that
 * replaces another keeps the attributes that are not given, and is placed at once. `_fpc MODE OWNER GROUP` sets the
 * attributes of the other files, then `_fpn FOLDER NUMBER` moves those of one folder. `_fpi TOP NAME PATH SHA256 STAMP MODE
 * OWNER GROUP` places one of a batch that cannot be placed as a whole, wherever it was staged.
 */
const placeBatch = String.raw`
_fpv() {
  cd -P -- "$1" && _bp=$(pwd -P) && cd ${batchFolder} && [ "$(pwd -P)" = "${"${_bp%/}"}/${batchFolder}" ] && [ -O . ] || return 1
  _fbt | sha256sum -c & _bv=$!
  _fbs | sha256sum -c && wait "$_bv" || return 1
  find . -type f -exec sync {} + 2>/dev/null || sync
}
_fpl() {
  _bm=$1 _bo=$2 _bg=$3 _bd=$4 _bi=$5 _bf=; shift 5
  for _bw; do
    if { [ -n "$_bm" ] && [ -n "$_bo" ] && [ -n "$_bg" ]; } || { [ ! -e "$_bd/$_bw" ] && [ ! -L "$_bd/$_bw" ]; }; then _bf="$_bf $_bi/$_bw"
    else _fa "$_bi/$_bw" "$_bd/$_bw" "$_bm" "$_bo" "$_bg" || return 1; fi
  done
  eval "_bf$_bi=\$_bf"; _bl=$_bl$_bf
  [ "${"${#_bl}"}" -lt 100000 ] || _fpc "$_bm" "$_bo" "$_bg"
}
_fpc() {
  _bf=$_bl _bl=
  [ -n "$_bf" ] || return 0
  { [ -z "$2$3" ] || chown -- "$2${"${3:+:$3}"}" $_bf; } && chmod -- "${"${1:-0644}"}" $_bf
}
_fpn() {
  eval "_bf=\$_bf$2"
  [ -z "$_bf" ] || mv -f -- $_bf "$1/"
}
_fpi() {
  _bs=$1/${batchFolder}/$2; shift 2
  if [ -f "$_bs" ] && [ ! -L "$_bs" ]; then
    _bh=$(sha256sum <"$_bs") || return 1
    [ "${"${_bh%% *}"}" = "$2" ] || { echo "what is staged for $1 is not what was sent" >&2; return 1; }
    sync "$_bs" 2>/dev/null || sync
    _fa "$_bs" "$1" "$4" "$5" "$6"
  elif _ft "$1"; [ ! -e "$_t" ] && [ -f "$1" ] && _bh=$(sha256sum <"$1") && [ "${"${_bh%% *}"}" = "$2" ]; then _fk "$1" "$4" "$5" "$6"
  else _fp "$@"; fi
}`;

/** A batch as shell code: all of it together, or else each of its steps by itself. `item` is the number of their item. */
export function compileBatch(batch: Batch, item: number): string {
  const { top, first, entries } = batch;
  const sums = entries.map(({ name, sha256 }) => shellQuote(`${sha256}  ./${name}`));
  const half = Math.floor(sums.length / 2);
  const alone = entries.map(({ step, name, sha256 }, index) => {
    const stamp = (step.step === "upload" && step.stamp) || "";
    const words = [top, name, step.path, sha256, stamp, step.mode ?? "", step.owner ?? "", step.group ?? ""];
    return `_fi='${item} ${first + index}'; _fc() { _fpi ${words.map(quoteAlways).join(" ")}; }; _fx 0 || { _fz=1; break; }`;
  });
  const numbers = entries.map((_, index) => first + index).join(" ");
  const remove = `rm -rf -- ${shellQuote(`${top}/${batchFolder}`)}`;
  return `${placeBatch.trim()}
_fbs() { printf '%s\\n' ${sums.slice(half).join(" ")}; }
_fbt() { printf '%s\\n' ${sums.slice(0, half).join(" ")}; }
if ( trap - TERM; set -f; ${placesOf(batch).join(" && ")} ) </dev/null >/dev/null 2>&1; then
for _k in ${numbers}; do printf '%s S ${item} %s 0\\n' "$_fn" "$_k"; done
else
${alone.join("\n")}
fi
${remove}`;
}

function placesOf({ top, folders, entries }: Batch): string[] {
  const sets = new Map<string, Map<string, string[]>>();
  for (const { step, name } of entries) {
    const [number = "", file = ""] = name.split("/");
    const { mode = "", owner = "", group = "" } = step;
    const set = [mode, owner, group].map(quoteAlways).join(" ");
    const place = [folders[Number(number)] ?? "", number].map(quoteAlways).join(" ");
    const places = sets.get(set) ?? new Map<string, string[]>();
    sets.set(set, places.set(place, [...(places.get(place) ?? []), file]));
  }
  const calls = [...sets].flatMap(([set, places]) => [
    ...[...places].map(([place, names]) => `_fpl ${set} ${place} ${names.join(" ")}`),
    `_fpc ${set}`,
    ...[...places.keys()].map((place) => `_fpn ${place}`),
  ]);
  return [`_fpv ${shellQuote(top)}`, "_bl=", ...calls];
}

function quoteAlways(word: string): string {
  return word === "" ? "''" : shellQuote(word);
}
