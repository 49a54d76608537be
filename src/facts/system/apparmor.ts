import { decodeBytes, encodeText } from "../../core/host/bytes.ts";
import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind } from "../../core/facts/kind.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import { numbered } from "./quote.ts";

/** An AppArmor profile on a host whose kernel enforces AppArmor. */
export interface ApparmorProfile {
  /**
   * `enforce`, `complain` and so on, as the kernel lists the profile; empty if the kernel has not loaded the profile.
   */
  readonly mode: string;
  /** The profile with all its includes, as `apparmor_parser -p` prints it, without lines that are only comments. */
  readonly text: string;
}

/**
 * Asks for a profile by the name of its file in /etc/apparmor.d, such as `usr.sbin.dnsmasq`. Absent if the host has no
 * such file, or if its kernel does not use AppArmor.
 */
export function apparmorProfile(file: string): HostFact<Absent | ApparmorProfile> {
  return ask(apparmorKind, file);
}

/** AppArmor profiles, with the mode that the kernel reports (apparmor(7)). */
export const apparmorKind = defineKind<Absent | ApparmorProfile>({
  name: "apparmorProfile",
  summary: "An AppArmor profile with its includes, and whether the kernel enforces it",
  facets: {},
  read: (questions) => `PATH=$PATH:/usr/sbin:/sbin
on=; [ -r /sys/module/apparmor/parameters/enabled ] && read -r on </sys/module/apparmor/parameters/enabled
for x in ${numbered(questions)}; do
n=\${x%%:*} p=/etc/apparmor.d/\${x#*:}
if [ "$on" != Y ] || [ ! -e "$p" ]; then echo "$n absent=yes"; continue; fi
if ! t=$(apparmor_parser -q -p "$p" 2>/dev/null); then
echo "$n !apparmor_parser cannot read $p: $(apparmor_parser -q -p "$p" 2>&1 >/dev/null | tr '\\n' ' ')"; continue
fi
m=
name=$(apparmor_parser -q -N "$p" 2>/dev/null | head -n 1)
if ! exec 4</sys/kernel/security/apparmor/profiles; then echo "$n !the kernel's list of profiles cannot be read"; continue; fi
while read -r line <&4; do
case $line in "$name ("*")") m=\${line##*\\(}; m=\${m%)}; break;; esac
done
exec 4<&-
echo "$n mode=$m"
printf '%s text=' "$n"
printf '%s\\n' "$t" | grep -v '^[[:space:]]*\\(#.*\\)\\{0,1\\}$' | base64 | tr -d '\\n'
echo
done`,
  parse(lines) {
    if (lines["absent"] !== undefined) return absent;
    const { mode, text } = lines;
    if (mode === undefined || text === undefined) {
      throw new FurrowError("E_FACT", { what: "an AppArmor profile could not be read" });
    }
    return { mode, text: decodeBytes(Buffer.from(text, "base64")) };
  },
  print: (value) =>
    value === absent
      ? { absent: "yes" }
      : { mode: value.mode, text: Buffer.from(encodeText(value.text)).toString("base64") },
});
