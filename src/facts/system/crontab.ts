import { staysOverBoot } from "../../core/facts/boot.ts";
import { decodeBytes, encodeText } from "../../core/host/bytes.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind } from "../../core/facts/kind.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import { numbered } from "./quote.ts";

/** A user's crontab. */
export interface Crontab {
  /** The text that `crontab -l` prints, decoded by decodeBytes. */
  readonly text: string;
}

/** Asks for a user's crontab. All of the user's jobs share one fact, so tasks about them build on each other's text. */
export function crontab(user: string): HostFact<Absent | Crontab> {
  return ask(crontabKind, user);
}

/**
 * Crontabs from `crontab -l`. Absent for a user without a crontab, for a user who does not exist, and on a host without
 * `crontab`. Tasks ask about the user and the program in separate facts, because an earlier task may create them.
 */
export const crontabKind = defineKind<Absent | Crontab>({
  name: "crontab",
  afterBoot: staysOverBoot,
  summary: "A user's crontab, as crontab -l prints it",
  facets: {},
  read: (questions) => `crontabs ${numbered(questions)}`,
  functions: `crontabs() {
command -v crontab >/dev/null || no=1
while read -r k i x; do case $k in Uid:) break;; esac; done </proc/self/status
[ "$i" = 0 ] || { me=$(id -un); [ "$me" = root ] && i=0; }
for x; do
n=\${x%%:*} u=\${x#*:}
[ -n "$no" ] && { echo "$n absent=yes"; continue; }
as="-u $u"
if [ "$i" != 0 ]; then
[ "$me" = "$u" ] || { echo "$n !the crontab of $u cannot be read as $me: become root, or $u"; continue; }
as=
fi
t=$(crontab -l $as 2>/dev/null; echo " $?")
if [ "\${t##* }" = 0 ]; then
t=\${t% 0}
printf '%s text=' "$n"
printf %s "$t" | base64 -w0 2>/dev/null || printf %s "$t" | base64 | tr -d '\\n'
echo
else
e=$(crontab -l $as 2>&1 >/dev/null)
case $e in
*'no crontab'*|*unknown*|*'No such file'*) echo "$n absent=yes";;
*) echo "$n !crontab -l failed: $(printf %s "$e" | tr '\\n' ' ')";;
esac
fi
done
}`,
  parse: (lines) =>
    lines["text"] === undefined ? absent : { text: decodeBytes(Buffer.from(lines["text"], "base64")) },
  print: (value) =>
    value === absent ? { absent: "yes" } : { text: Buffer.from(encodeText(value.text)).toString("base64") },
});
