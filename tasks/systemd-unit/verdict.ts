import { type Absent, absent, type HostFact } from "../../src/authoring.ts";
import { ask, defineKind, FurrowError, type NumberedQuestion, shellQuote } from "../../src/facts/index.ts";

/** systemd's verdict on the new text of a unit or drop-in. */
export interface UnitVerdict {
  /** Its messages about this file, without the file's folder: `a.service:7: Unknown key …`. */
  readonly said: readonly string[];
}

/** A systemd file that is about to change. */
export interface UnitFile {
  /** The unit's whole name. */
  readonly unit: string;
  /** The drop-in's name without `.conf`; undefined for the unit's own file. */
  readonly dropIn?: string | undefined;
  readonly text: string;
}

/**
 * Asks systemd about the new text of a unit or drop-in. Absent if systemd cannot be asked: the host has no
 * `systemd-analyze`, or no file for the unit to which the drop-in belongs.
 */
export function unitVerdict({ unit, dropIn = "", text }: UnitFile): HostFact<Absent | UnitVerdict> {
  return ask(unitVerdictKind, JSON.stringify({ unit, dropIn, text }));
}

/**
 * The messages of `systemd-analyze verify` (systemd-analyze(1)). The command reads a copy with the right name, in a
 * temporary folder that comes first in systemd's unit path; for a drop-in, the folder also contains a copy of the
 * unit's file. The exit code is not used: since systemd 250, it is zero by default, whatever is wrong. Messages about
 * other units are left out. The fact is never read ahead of the task, because earlier tasks may change the unit.
 */
export const unitVerdictKind = defineKind<Absent | UnitVerdict>({
  name: "unitVerdict",
  summary: "Whether systemd-analyze accepts the new text of a unit or drop-in",
  facets: {},
  neverAhead: true,
  deadlineSeconds: 70,
  volatile: ["said"],
  read: (questions) => `${verifyFunction}\n${questions.map(one).join("\n")}`,
  parse({ verified, said }, { key }) {
    if (verified === undefined)
      throw new FurrowError("E_FACT", { what: `systemd's verdict on ${key} could not be read` });
    if (verified === "no") return absent;
    return { said: (said ?? "").split("\t").filter(Boolean) };
  },
  print: (value) => (value === absent ? { verified: "no" } : { said: value.said.join("\t"), verified: "yes" }),
});

const verifyFunction = String.raw`verify() {
n=$1 u=$2 d=$3 t=
command -v systemd-analyze >/dev/null && t=$(mktemp -d "${"${TMPDIR:-/tmp}"}/furrow.XXXXXX" 2>/dev/null) || { cat >/dev/null; echo "$n verified=no"; return; }
trap 'rm -rf -- "$t"' EXIT; trap 'exit 1' INT TERM HUP
if [ -z "$d" ]; then cat >"$t/$u"
else
b=$u; case $u in *@*.*) b=${"${u%%@*}@.${u##*.}"};; esac
for p in /etc /run /run/systemd/generator.early /usr/local/lib /usr/lib /lib /run/systemd/generator /run/systemd/generator.late; do
for f in "$p/systemd/system/$u" "$p/$u" "$p/systemd/system/$b"; do
[ ! -f "$f" ] || [ -e "$t/$u" ] || cat -- "$f" >"$t/$u"
done
done
[ -e "$t/$u" ] || { cat >/dev/null; echo "$n verified=no"; return; }
mkdir "$t/$u.d" && cat >"$t/$u.d/$d.conf"
fi
o=$(SYSTEMD_UNIT_PATH=$t: timeout 60 systemd-analyze verify --man=no -- "$t/$u" 2>&1 </dev/null)
printf '%s verified=yes\n%s said=' "$n" "$n"
printf '%s\n' "$o" | tr -d '\t' | while IFS= read -r l; do
case $l in "$t/$u.d/$d.conf"*|"$t/$u:"*|"$u: "*) ;; *) continue;; esac
[ -z "$d" ] || case $l in "$t/$u:"*) continue;; esac
case $l in "$t"/*) l=${'${l#"$t/"}'};; esac
printf '%s\t' "$l"
done | tail -c 2000 | tr -c '[:print:]\t' ' '
echo
}`;

function one({ number, key }: NumberedQuestion): string {
  const { unit, dropIn, text } = JSON.parse(key) as Required<UnitFile>;
  const content = Buffer.from(text, "utf8").toString("base64");
  return `printf %s ${content} | base64 -d | (verify ${number} ${shellQuote(unit)} ${shellQuote(dropIn ?? "")})`;
}
