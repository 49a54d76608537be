import { refuse, type Refusal, task, z } from "../../src/authoring.ts";
import { askCluster, type Seen } from "../cluster-answers/answers.ts";
import { askObject } from "../cluster-answers/one-object.ts";
import { pinnedKubeconfig } from "../cluster-answers/pinned.ts";
import { versionPath } from "../identity/answers.ts";
import { failureText, progressText } from "./attempts.ts";
import { decideWithVersion } from "./with-version.ts";

const params = z.strictObject({
  kubeconfig: pinnedKubeconfig,
  version: z.string().describe("The version to upgrade to"),
  name: z.string().describe("Name of the upgrade"),
  deadlineSeconds: z.number().positive().describe("Seconds after which the wait fails"),
});

type Params = z.output<typeof params>;
const lists = ["upgrades", "nodes"] as const;

/**
 * Waits until an upgrade has finished, the cluster reports the new version, and all nodes are ready; reports its
 * progress. Fails at once, with Harvester's own reasons, if the upgrade fails. While the first node restarts, the
 * cluster may not answer: that alone does not end the wait.
 */
export const upgradeFinished = task({
  name: "upgradeFinished",
  summary: "Wait until an upgrade of Harvester has finished, and report its progress",
  params,
  examples: [],
  title: ({ version }) => `the cluster has been upgraded to ${version}`,
})
  .facts((p) => ({ running: askObject(p.kubeconfig, versionPath), ...askCluster(p.kubeconfig, ...lists) }))
  .want((p, now) =>
    decideWithVersion(
      now,
      lists,
      `how far the upgrade ${p.name} has progressed`,
      (seen, running) => notYet(p, seen, running) ?? {},
    ),
  )
  .wait((p) => ({
    intervalSeconds: 5,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: `the upgrade ${p.name} to finish`,
  }));

function notYet(p: Params, { upgrades, nodes }: Seen<(typeof lists)[number]>, running: unknown): Refusal | undefined {
  const upgrade = upgrades.find(({ name }) => name === p.name);
  if (upgrade === undefined) {
    return refuse({
      code: "upgrade-missing",
      message: `somebody deleted the upgrade ${p.name} while it was running`,
      hint: "Find out who deleted it and why; then rerun",
      final: true,
    });
  }
  if (upgrade.outcome === "Failed") {
    return refuse({
      code: "upgrade-failed",
      message: `the upgrade ${p.name} to ${p.version} failed: ${failureText(upgrade)}`,
      hint: "Read Harvester's documentation on upgrade troubleshooting, fix the cause, and rerun",
      final: true,
    });
  }
  const away = nodes.filter(({ ready, cordoned }) => !ready || cordoned).map(({ name }) => name);
  const why =
    upgrade.outcome === undefined
      ? progressText(upgrade)
      : running === p.version
        ? away.length > 0 && `the upgrade has finished, but these nodes are not available yet: ${away.join(", ")}`
        : `the upgrade has finished, but the cluster still reports ${String(running)}`;
  return why === false ? undefined : refuse({ code: "not-yet", message: why });
}
