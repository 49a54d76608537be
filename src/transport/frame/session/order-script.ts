import { sh } from "../compile/shell-text.ts";
import type { SessionIdentity } from "./shell-line.ts";

/** What a shell beside a frame is to do: see `Orders`. */
export type Order =
  | { readonly order: "stop" | "kill" | "renew" }
  /** `pid`: the shell of the session, where it is known. */
  | { readonly order: "probe"; readonly pid: number | undefined };

/**
 * Finds the folder of the session, does what the order says, and tells the task that is being done. A probe says `runs`
 * where a runner of the session lives, `busy TICKS` where the session's own shell has children, `idle` where neither; the
 * next line is what the journal last said. The answer ends with a line `.`.
 */
export function orderScript(order: Order, { run, session }: SessionIdentity): string {
  const acts = {
    stop: `echo >"$d/stop"`,
    renew: `{ read -r u l </proc/uptime; u=\${u%%.*}; echo "$u" >"$d/lease"
for f in "$b"/run.a.${run}.${session}.*; do if [ -f "$f" ]; then read -r l h <"$f"; echo "$u $h" >"$f"; fi; done; }`,
    kill: `{ echo >"$d/stop"; c=; { read -r i s p f <"$d/cur"; } 2>/dev/null
if [ -n "$p" ]; then if [ -n "$f" ]; then c=' «uncut»'; else kill -TERM -"$p" 2>/dev/null || kill -TERM "$p" 2>/dev/null; fi; fi; }`,
    probe: `for f in "$b"/run.[ry].${run}.${session}.*; do g=\${f#*.${session}.}; h=\${g#*.}
if { read -r l <"/proc/\${g%%.*}/stat"; } 2>/dev/null; then l=\${l##*) }; set -- $l; [ "\${20}" != "\${h%%.*}" ] || w=runs; fi; done`,
  };
  const head = `i=$(id -u); for b in /run/furrow /tmp/furrow-$i /var/tmp/furrow-$i /dev/shm/furrow-$i; do d=$b/at.${run}.${session}
if [ -d "$d" ] && [ -O "$d" ]; then { ${acts[order.order]}; } 2>/dev/null; { IFS= read -r t <"$d/task"; } 2>/dev/null`;
  if (order.order !== "probe") {
    return `{ c=; ${head.replace("; { IFS=", "; t=; { IFS=")}; printf '%s%s\\n' "$t" "$c"; fi; done; printf '\\n.\\n'; }\n`;
  }
  const own = order.pid === undefined ? "" : ownShell(order.pid);
  return `{ t=; w=; ${head}; fi; done; [ -n "$w" ] || { w=idle; ${own.trim()}
}; printf '%s\\n%s\\n\\n.\\n' "$w" "$t"; }\n`;
}

/** Sets w to `busy TICKS` where the shell has children: the ticks of all processes of its session, dead children too. */
const ownShell = (pid: number): string => sh`
{ read -r l </proc/${pid}/stat; } 2>/dev/null && {
l=§{l##*) }; set -- $l; s=$4 n=0 k=
for f in /proc/[0-9]*/stat; do
  { read -r l <$f; } 2>/dev/null || continue
  l=§{l##*) }; set -- $l
  [ "$4" = "$s" ] && n=$((n + §{12} + §{13} + §{14} + §{15}))
  [ "$2" = ${pid} ] && k=1
done
[ -z "$k" ] || w="busy $n"; }`;
