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
 * Compares the running kernel with the installed ones, for hosts on which no program reports a needed reboot. `kernel`
 * prints the newest installed kernel if it is newer than the running one, and fails if the host cannot tell: a newer
 * kernel of another flavour (`cloud-amd64`) may or may not be the one that the boot loader starts. A container and a
 * machine without an installed kernel do not boot a kernel of their own.
 */
const kernel = `kernel() {
! systemd-detect-virt --quiet --container 2>/dev/null && [ ! -e /run/.containerenv ] && [ ! -e /.dockerenv ] || return 0
now=$(uname -r)
all=$(for f in /boot/vmlinuz-[0-9]* /boot/vmlinux-[0-9]* /boot/Image-[0-9]* /lib/modules/[0-9]*/vmlinuz; do
[ -e "$f" ] || continue
f=\${f%/vmlinuz} f=\${f##*/} f=\${f#vmlinu[xz]-}; printf '%s\\n' "\${f#Image-}"
done | grep -v -e '^0-rescue' | sort -Vu)
newest=$(printf '%s\\n' "$all" | tail -n 1)
[ "\${newest:-$now}" != "$now" ] || return 0
flavour=$(printf '%s' "$now" | tr -d '0-9._')
like=$(printf '%s\\n' "$all" | while read -r k; do [ "$(printf '%s' "$k" | tr -d '0-9._')" != "$flavour" ] || printf '%s\\n' "$k"; done | tail -n 1)
last=$(printf '%s\\n' "$now" "$like" | sort -V | tail -n 1)
if [ -n "$like" ] && [ "$last" != "$now" ]; then echo "kernel-$last"
elif [ "$(printf '%s\\n' "$now" "$newest" | sort -V | tail -n 1)" != "$now" ]; then return 1; fi
}`;

const cannotTell =
  "this host cannot tell whether it needs a reboot: no program reports it, and a newer kernel of another flavour is " +
  "installed; install update-notifier-common or dnf-utils, or set when: always";

/**
 * Reads `/run/reboot-required` (with `.pkgs`) on Debian and Ubuntu, and `/run/reboot-needed` on SUSE (which `zypper
 * needs-rebooting` checks). On hosts with rpm, the script runs `needs-restarting -r` (dnf-utils: exit code 1 if a
 * reboot is due, 0 if not). A missing file means something only if the program that writes it is installed; otherwise
 * the kernels are compared.
 */
export const rebootNeededKind = defineKind<RebootNeeded>({
  name: "rebootNeeded",
  afterBoot: () => ({ needed: false, because: [] }),
  summary: "Whether the host must be rebooted for installed packages to take effect",
  facets: {},
  deadlineSeconds: 60,
  read: (questions) => `${kernel}
${questions
  .map(
    ({ number }) => `(needed= because=
for f in /usr/share/update-notifier/notify-reboot-required /etc/kernel/postinst.d/unattended-upgrades /etc/kernel/postinst.d/reboot-notifier; do [ ! -e "$f" ] || needed=no; done
! command -v zypper >/dev/null || needed=no
for f in /run/reboot-required /var/run/reboot-required /run/reboot-needed; do [ ! -e "$f" ] || needed=yes; done
[ ! -r /run/reboot-required.pkgs ] || because=$(sort -u /run/reboot-required.pkgs | tr '\\n' ' ')
if [ "$needed" != yes ] && command -v needs-restarting >/dev/null; then
said=$(needs-restarting -r 2>/dev/null </dev/null)
case $? in 0) needed=no;; 1) needed=yes; because=$(printf '%s\\n' "$said" | sed -n 's/^  \\* //p' | sed 's/ .*//' | sort -u | tr '\\n' ' ');; *) needed=;; esac
fi
if [ -z "$needed" ]; then
because=$(kernel) || { echo "${number} !${cannotTell}"; exit; }
needed=\${because:+yes}
fi
printf '%s\\n' "${number} because=\${because% }" "${number} needed=\${needed:-no}")`,
  )
  .join("\n")}`,
  parse({ needed, because = "" }) {
    if (needed === undefined)
      throw new FurrowError("E_FACT", { what: "could not find out whether the host needs a reboot" });
    return { needed: needed === "yes", because: because.split(" ").filter(Boolean) };
  },
  print: ({ needed, because }) => ({ because: because.join(" "), needed: needed ? "yes" : "no" }),
  predict: (_before, wanted) => ({ needed: isRecord(wanted) && wanted["needed"] === true, because: [] }),
});
