import type { Seen, Step } from "../../src/authoring.ts";
import { printNotes, unitNotes } from "../../src/facts/catalogue.ts";

// systemd considers a simple service started once its process exists, so the script waits to see whether the process
// ends immediately.
const turnScript = `verb=$1 unit=$2
show() { systemctl show -p "$1" --value -- "$unit"; }
tell() {
echo "The last lines of $unit in the system log:" >&2
journalctl --quiet --no-pager --output=short-iso --lines=8 --unit="$unit" >&2 ||
systemctl status --no-pager --full --lines=8 -- "$unit" >&2
exit 1
}
[ "$verb" != stop ] && [ "$(show ActiveState)" = failed ] && systemctl reset-failed -- "$unit"
systemctl "$verb" -- "$unit" || tell
case $verb in start|restart) ;; *) exit 0;; esac
first=$(show InvocationID)
case $(show Type) in simple|exec|idle) sleep 0.3;; esac
case $(show ActiveState) in
active|reloading|refreshing) [ "$(show InvocationID)" = "$first" ] && exit 0;;
esac
echo "$unit did not stay started: it is $(show ActiveState) ($(show SubState)), result $(show Result)" >&2
tell`;

/**
 * Starts, restarts, reloads or stops a unit. If that fails, the error shows the last lines that the unit wrote to the
 * system log (journalctl).
 */
export function turn(verb: "start" | "restart" | "reload" | "stop", unit: string): Step {
  return { step: "run", label: `systemctl ${verb} ${unit}`, argv: ["sh", "-c", turnScript, "sh", verb, unit] };
}

const noteScript = `dir=$1 unit=$2
umask 022
mkdir -p -- "$dir" || exit
umask 077
show() { systemctl show -p "$1" --value -- "$unit"; }
id=$(show InvocationID) || exit
[ -n "$id" ] || id=at-$(show InactiveExitTimestampMonotonic)
d=$(date '+%s 1%N')
f=\${d##* }
case $f in 1*[!0-9]*|1) f=1000000000;; esac
{ echo "$id"; echo "noted=$(( \${d%% *} * 1000000 + (f - 1000000000) / 1000 ))"; cat; } >"$dir/.$unit.part" && mv -f -- "$dir/.$unit.part" "$dir/$unit"`;

/** Records what the running process has seen. Runs only after a successful start, restart or reload. */
export function note(unit: string, seen: { readonly start: Seen; readonly reload: Seen }): Step {
  const lines = { ...printNotes(seen.start, "start"), ...printNotes(seen.reload, "reload") };
  const text = Object.entries(lines).map(([name, digests]) => `${name}=${digests}\n`);
  return {
    step: "run",
    label: `record what ${unit} has loaded`,
    argv: ["sh", "-c", noteScript, "sh", unitNotes, unit],
    stdin: text.join(""),
  };
}
