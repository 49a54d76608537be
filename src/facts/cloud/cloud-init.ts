import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind } from "../../core/facts/kind.ts";

/** The state of cloud-init in the current boot. */
export interface CloudInit {
  /** `absent` if cloud-init is not installed, `disabled` if it is disabled in this boot. */
  readonly state: "absent" | "disabled" | "running" | "done" | "failed";
}

/** Asks for the state of cloud-init in the current boot. */
export function cloudInit(): HostFact<CloudInit> {
  return ask(cloudInitKind, "boot");
}

/**
 * Reads the files that cloud-init documents ("Explanation: Reported status", "status.json / result.json"), because
 * `cloud-init status` takes half a second. `/run/cloud-init/result.json` appears after the last stage and lists the
 * errors in this boot; cloud-init's systemd generator creates `/run/cloud-init/disabled`.
 */
export const cloudInitKind = defineKind<CloudInit>({
  name: "cloudInit",
  summary: "The state of cloud-init in this boot",
  facets: {},
  read: (questions) => `r=/run/cloud-init
if [ -e $r/result.json ]; then
if tr -d ' \\n\\t' <$r/result.json 2>/dev/null | grep -q '"errors":\\[\\]'; then s=done; else s=failed; fi
elif [ -e $r/disabled ] || [ -e /etc/cloud/cloud-init.disabled ]; then s=disabled
elif [ -e $r ] || command -v cloud-init >/dev/null; then s=running; else s=absent; fi
${questions.map(({ number }) => `echo "${number} state=$s"`).join("\n")}`,
  parse({ state }) {
    if (state === undefined) throw new FurrowError("E_FACT", { what: "the state of cloud-init could not be read" });
    return { state: state as CloudInit["state"] };
  },
  print: ({ state }) => ({ state }),
});
