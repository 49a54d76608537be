import { createHash } from "node:crypto";
import { encodeText } from "../../../core/bytes.ts";
import { shellQuote } from "../../../core/step.ts";

/** What every read and write of a staged file is a multiple of, but its last; bytes. */
const unit = 65_536;

/** The file beside `path` in which its new content is staged: the same name the frame's functions use. */
export function stagedPath(path: string): string {
  const at = path.lastIndexOf("/");
  const name = encodeText(path.slice(at + 1));
  const own = name.length < 248 ? path.slice(at + 1) : createHash("sha256").update(name).digest("hex");
  return `${path.slice(0, at)}/.${own}.furrow`;
}

/**
 * Bytes of each block of a content of `size` bytes, but the last: a multiple of 64 KiB that depends on the size alone, so
 * that a later run counts in the same blocks. A content has 4096 of them at most.
 */
export function blockSize(size: number): number {
  return Math.max(4 * 1024 * 1024, Math.ceil(size / 4096 / unit) * unit);
}

/**
 * `_b NUMBER BYTES` writes stdin to the file as one block and notes it, `_c NUMBER BYTES` prints a block. The file is
 * written through a descriptor that was looked at when it was opened: whoever may write in its folder may put something
 * else under its name meanwhile. Korn shells keep such descriptors to themselves unless each command is given them. `dd` reads no byte more
 * than it is to, so that what follows is a command again; where the link is lost it reads fewer and says so. With `nocache`
 * it has what it wrote go to the disk at once, without waiting for it: the sync at the end finds little left to do.
 */
const functions = String.raw`umask 077; LC_ALL=C; export LC_ALL
e() { printf '%s\n' "$1" | sed '/records [io]/d;/ copied/d' >&2; rm -f -- "$p"; exit 1; }
w() { case $1 in "$2+0 "*) ;; *) exit 1;; esac; }
b() {
f=$(($2 / 65536)) r=$(($2 % 65536)) a=$(($1 * u))
[ $f = 0 ] || { x=$(dd bs=65536 iflag=fullblock count=$f seek=$a conv=notrunc $y of=$q 2>&1 3<&3) || e "$x"; w "$x" $f; }
[ $r = 0 ] || { x=$(dd ibs=$r obs=65536 iflag=fullblock count=1 seek=$((a + f)) conv=notrunc of=$q 2>&1 3<&3) || e "$x"; w "$x" 1; }
echo $1 >>$q
}
c() {
if [ $2 = $((u * 65536)) ]; then dd bs=65536 skip=$(($1 * u)) count=$u if=$q 2>/dev/null 3<&3
else dd bs=65536 skip=$(($1 * u)) if=$q 2>/dev/null 3<&3 | head -c $2; fi
}
o() {
exec 3<>"$p" && q=/proc/self/fd/3 || exit 1; [ -e $q ] || q=$p
[ $Z -gt 8388608 ] && dd oflag=nocache of=/dev/null </dev/null 2>/dev/null && y=oflag=nocache
}`;

/**
 * The keeper of a staged file. It finds or makes the file, for the content that `H`
 * (its SHA-256) and `Z` (its size) name, and says `NONCE have INODE NOTES`:
 * what the notes say has arrived. Notes stand behind the content: `SHA256 SIZE`, then the numbers of blocks, then
 * `verified SHA256 SIZE`. Then it takes lines: `w NUMBER BYTES` and that many bytes, `h NUMBER BYTES` for a block that
 * others wrote, in order, so that the hash is made while the content comes; `end` and `judge` for the answer `NONCE verified`
 * or `NONCE wrong SHA256`. Without `judge` the link was lost, and what has arrived stays.
 */
export function keeperScript(path: string, block: number, nonce: string): string {
  return `{ p=${shellQuote(stagedPath(path))} n=${nonce} u=${block / unit} y=
${functions}
m() {
rm -f -- "$p"; l="$H $Z"
( set -C; : >"$p" ) && x=$(dd bs=1 count=0 seek="$Z" of="$p" 2>&1 </dev/null) && printf '\\n%s\\n' "$l" >>"$p" || e "$x"
}
if [ -f "$p" ] && [ ! -L "$p" ] && [ -O "$p" ]; then
l=$(tail -c "+$((Z + 2))" -- "$p" | head -c 65536 | tr -d '\\0')
case $l in "$H $Z"|"$H $Z
"*) ;; *) m;; esac
else m; fi
o
printf '%s\\n' "$n have $(stat -Lc %i $q 3<&3) $(echo $l)"
h=sha256sum
[ $Z -gt 8388608 ] && for g in 'stdbuf -i 65536 openssl dgst -sha256 -r' 'openssl dgst -sha256 -r'; do
$g </dev/null >/dev/null 2>&1 && h=$g && break
done
s=$(while read -r w k z && [ "$w" != end ]; do
[ "$w" = h ] || b $k $z || exit 1
c $k $z || exit 1
done | $h)
read -r w && [ "$w" = judge ] || exit 1
s=\${s%% *}
if [ "$s" = "$H" ]; then x=$( (echo "verified $H $Z" | cat >>$q) 2>&1 ) || e "$x"; echo "$n verified"
else rm -f -- "$p"; echo "$n wrong $s"; fi
exit 0; }
`;
}

/**
 * One more way for the blocks of a file: it reads the line `INODE`, says `NONCE open`, takes `w NUMBER BYTES` with that
 * many bytes, says `NONCE done NUMBER` for each, and ends at the line `end`.
 */
export function laneScript(path: string, block: number, nonce: string): string {
  return `{ p=${shellQuote(stagedPath(path))} n=${nonce} u=${block / unit} y=
${functions}
echo "$n ready"
read -r i && [ -f "$p" ] && [ ! -L "$p" ] || exit 1
o
[ "$(stat -Lc %i $q 3<&3)" = "$i" ] || { echo "$p was replaced by somebody else" >&2; exit 1; }
while read -r w k z && [ "$w" = w ]; do b $k $z || exit 1; echo "$n done $k"; done
exit 0; }
`;
}

/**
 * A script as the shell of the session gets it: in a shell of its own where it is another user's. What it is about comes
 * as variables: the hash of a secret content is in no argument.
 */
export function asUser(
  script: string,
  { sha256, size }: { readonly sha256: string; readonly size: number },
  user: string | undefined,
): string {
  const variables = `H=${sha256} Z=${size}`;
  if (user === undefined) return `${variables}; ${script}`;
  const [name, quoted] = [shellQuote(user), shellQuote(script)];
  return `${variables}; export H Z; { if command -v runuser >/dev/null; then exec runuser -u ${name} -- sh -c ${quoted}; fi; exec su -s /bin/sh -c ${quoted} ${name}; }\n`;
}
