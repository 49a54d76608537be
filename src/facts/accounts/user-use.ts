import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, type NumberedQuestion, printPart } from "../../core/facts/kind.ts";
import { joined, lookup } from "./account-script.ts";
import { numbered } from "../system/quote.ts";

/** What prevents a user from being removed or changed. */
export interface UserUse {
  /**
   * Processes that run with the user's uid or one of its subordinate uids (subuid(5)), by name and process id: `nginx
   * (812)`.
   */
  readonly processes: readonly string[];
  /** Other users whose home is this user's home or is inside it. */
  readonly guests: readonly string[];
}

/** Asks what prevents a user from being removed or changed. */
export function userUse(name: string): HostFact<UserUse> {
  return ask(userUseKind, name);
}

/** The maximum number of processes that are listed. */
const most = 10;

/**
 * The processes that count as a user's own, according to the rules of `userdel` and `usermod` (user_busy in shadow): a
 * process whose real, effective or saved uid is the user's uid or one of its subordinate uids, and whose root directory
 * is the host's root directory.
 */
export const userUseKind = defineKind<UserUse>({
  name: "userUse",
  summary:
    "What prevents a user from being removed: the user's processes, and other users whose home is inside this user's home",
  facets: {},
  // Earlier tasks may stop or start any process.
  volatile: ["processes"],
  read: script,
  parse({ guests, processes }, { key }) {
    if (guests === undefined || processes === undefined)
      throw new FurrowError("E_FACT", { what: `could not find out what uses the user ${key}` });
    return {
      processes: processes.split(" ").flatMap((word) => {
        const [pid, name] = word.split(":");
        return pid === undefined || name === undefined ? [] : [`${name} (${pid})`];
      }),
      guests: guests.split(":").filter(Boolean),
    };
  },
  print: (value) => ({
    guests: printPart(value, "guests", (names) => names.join(":")),
    processes: printPart(value, "processes", (texts) =>
      texts.map((text) => text.replace(/^(.*) \((\d+)\)$/, "$2:$1")).join(" "),
    ),
  }),
});

function script(questions: readonly NumberedQuestion[]): string {
  return `${lookup}${joined}busy() { cat /proc/[0-9]*/status 2>/dev/null | s="$1 1 $2" awk '
function mine(id, at) { for (at = 1; at < k; at += 2) if (id >= r[at] && id < r[at] + r[at + 1]) return 1 }
BEGIN { k = split(ENVIRON["s"], r, " ") }
$1 == "Name:" { name = substr($0, 7); gsub(/[^A-Za-z0-9_.@-]/, "_", name) }
$1 == "Pid:" { pid = $2; all++ }
$1 == "Uid:" && (mine($2) || mine($3) || mine($4)) { print pid ":" name }
END { if (all == 0) print "none" }'
}
for x in ${numbered(questions)}; do
n=\${x%%:*} u=\${x#*:}
e=$(getent passwd "$u" 2>/dev/null); c=$?
case $c$e in 0"$u":*) ;; 0*|2*) printf '%s\\n' "$n guests=" "$n processes="; continue;; *) echo "$n !getent passwd exited with code $c"; continue;; esac
h=\${e%:*} h=\${h##*:}
i=\${e#*:} i=\${i#*:} i=\${i%%:*}
g=$(getent passwd | u=$u h=\${h%/} awk -F: '$1 != ENVIRON["u"] && index($6 "/", ENVIRON["h"] "/") == 1 { print $1 }' | sort | joined)
s=$(awk -F: -v u="$u" -v i="$i" '$1 == u || $1 == i { print $2, $3 }' /etc/subuid 2>/dev/null)
b= k=0
for p in $(busy "$i" "$s"); do
[ $p != none ] || { k=none; break; }
[ /proc/\${p%%:*}/root -ef / ] || continue
k=$((k + 1)); [ $k -gt ${most} ] || b="$b\${b:+ }$p"
done
[ $k != none ] || { echo "$n !the processes on the host cannot be read"; continue; }
printf '%s\\n' "$n guests=$g" "$n processes=$b"
done`;
}
