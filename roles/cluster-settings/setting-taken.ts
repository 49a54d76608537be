import { refuse, type Refusal, seconds, task, text, z } from "../../src/authoring.ts";
import { sealedFieldValue, settingHash } from "../../src/facts/catalogue.ts";
import { askObject, decideOnObject, settingPath } from "../cluster-answers/one-object.ts";
import { type SettingState, settingState } from "../cluster-answers/setting.ts";

/**
 * Settings that Harvester processes again even if the hash of their value is already stored (skipHashCheckSettings in
 * Harvester's source).
 */
const processedAlways: ReadonlySet<string> = new Set([
  "additional-guest-memory-overhead-ratio",
  "auto-rotate-rke2-certs",
  "kubeconfig-default-token-ttl-minutes",
  "log-level",
]);

/**
 * Waits until Harvester has applied a setting; if Harvester could not, says why. Harvester writes its condition
 * `configured` and a hash of the value in one update (pkg/controller/master/setting/handler.go), so a report that is
 * older than the value refers to a previous value.
 */
export const settingTaken = task({
  name: "settingTaken",
  summary: "Wait until Harvester has processed one of its settings",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    name: z.string().describe("Name of the setting"),
    value: text().optional().describe("The value that the setting has been given; may be secret"),
    next: z.array(z.string()).default([]).describe("What to check next, shown at the end"),
    intervalSeconds: seconds().default(2).describe("Seconds between two checks"),
    deadlineSeconds: seconds().default(300).describe("Seconds after which the wait fails"),
  }),
  examples: [],
  title: ({ name }) => `Harvester has applied the setting ${name}`,
})
  .facts((p) => ({ setting: askObject(p.kubeconfig, settingPath(p.name), ["value"]) }))
  .want((p, now) =>
    decideOnObject(
      now.setting,
      { kind: "Setting", name: p.name },
      `whether Harvester has applied the setting ${p.name}`,
      (own) => {
        if (own === undefined)
          return refuse({
            code: "no-setting",
            message: `Harvester has no setting ${p.name}`,
            hint: "Check which version of Harvester the cluster runs, and whether the kubeconfig is for a Harvester cluster",
          });
        const state = settingState(own);
        if (isReplaced(p.value, state)) return changedMeanwhile(p.name);
        const { isConfigured, why, unreportedSince } = state;
        const isStored = isApplied(p.value, state);
        if (isStored && isConfigured) return {};
        if (isStored && !processedAlways.has(p.name)) return keptAfterFailure(p.name, why);
        if (unreportedSince !== undefined)
          return refuse({
            code: "not-taken",
            message: `Harvester has not processed the setting ${p.name} since it changed at ${unreportedSince}`,
            hint: "Look at the logs of the harvester pods in harvester-system",
          });
        if (isConfigured) return {};
        return refuse({
          code: "not-taken",
          message: `Harvester could not apply the setting ${p.name}: ${why}`,
          hint: "Correct the value; Harvester retries automatically",
        });
      },
    ),
  )
  .wait((p) => ({
    intervalSeconds: p.intervalSeconds,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: `Harvester to apply the setting ${p.name}`,
  }))
  .notes((p) => p.next);

/** True if Harvester has stored this value as applied, even if the setting had another value in the meantime. */
function isApplied(value: string | undefined, { value: current, appliedHash, upgradePatched }: SettingState): boolean {
  if (value === undefined || current !== sealedFieldValue(value)) return false;
  return appliedHash === settingHash(value, upgradePatched);
}

/** True if the setting no longer has the value that it was given. */
function isReplaced(value: string | undefined, { value: current }: SettingState): boolean {
  return value !== undefined && current !== (value === "" ? "" : sealedFieldValue(value));
}

function changedMeanwhile(name: string): Refusal {
  return refuse({
    code: "changed-meanwhile",
    message: `the setting ${name} has been changed in the meantime: it no longer has the value that furrow set`,
    hint: "Find out who changes it, then rerun",
    final: true,
  });
}

function keptAfterFailure(name: string, why: string): Refusal {
  return refuse({
    code: "kept-value",
    message: `Harvester does not apply the setting ${name} again: it has stored this value as applied, but has since failed to apply another one: ${why}`,
    hint: `Let Harvester apply the value again: kubectl annotate settings.harvesterhci.io ${name} harvesterhci.io/hash-; then rerun`,
    final: true,
  });
}
