import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind } from "../../core/facts/kind.ts";
import { isRecord } from "../../core/facts/symbols.ts";

/** Whether a host must be rebooted for installed packages to take effect. */
export interface RebootNeeded {
  readonly needed: boolean;
  /** The packages that require the reboot according to the host, sorted. */
  readonly because: readonly string[];
}

/** Asks whether the host must be rebooted for installed packages to take effect. */
export function rebootNeeded(): HostFact<RebootNeeded> {
  return ask(rebootNeededKind, "host");
}

/**
 * Reads `/run/reboot-required` (with `.pkgs`) on Debian and Ubuntu, and `/run/reboot-needed` on SUSE (which `zypper
 * needs-rebooting` checks). On hosts with rpm, the script runs `needs-restarting -r` (dnf-utils: exit code 1 if a
 * reboot is due).
 */
export const rebootNeededKind = defineKind<RebootNeeded>({
  name: "rebootNeeded",
  afterBoot: () => ({ needed: false, because: [] }),
  summary: "Whether the host must be rebooted for installed packages to take effect",
  facets: {},
  deadlineSeconds: 60,
  read: (questions) =>
    questions
      .map(
        ({ number }) => `(needed=no because=
for f in /run/reboot-required /var/run/reboot-required /run/reboot-needed; do [ ! -e "$f" ] || needed=yes; done
[ ! -r /run/reboot-required.pkgs ] || because=$(sort -u /run/reboot-required.pkgs | tr '\\n' ' ')
if [ $needed = no ] && command -v needs-restarting >/dev/null; then
said=$(needs-restarting -r 2>/dev/null </dev/null); [ $? -ne 1 ] || { needed=yes; because=$(printf '%s\\n' "$said" | sed -n 's/^  \\* //p' | sed 's/ .*//' | sort -u | tr '\\n' ' '); }
fi
printf '%s\\n' "${number} because=\${because% }" "${number} needed=$needed")`,
      )
      .join("\n"),
  parse({ needed, because = "" }) {
    if (needed === undefined)
      throw new FurrowError("E_FACT", { what: "could not find out whether the host needs a reboot" });
    return { needed: needed === "yes", because: because.split(" ").filter(Boolean) };
  },
  print: ({ needed, because }) => ({ because: because.join(" "), needed: needed ? "yes" : "no" }),
  predict: (_before, wanted) => ({ needed: isRecord(wanted) && wanted["needed"] === true, because: [] }),
});
