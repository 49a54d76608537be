import { type KubernetesAnswer, refuse, Refusal, task, z } from "../../src/authoring.ts";
import { kubernetesTrial, type KubernetesTrial } from "../../src/facts/catalogue.ts";
import { askCluster, clusterLists, errorText, hintFor, lookAt, type Seen } from "../cluster-answers/answers.ts";
import { unwrittenNotes } from "../cluster-answers/longhorn/volumes.ts";
import { askSpace, lookAtSpace, type NodeSpace } from "../cluster-answers/nodes/space.ts";
import { askObject, decideOnObject, lookAtObject, type ObjectName } from "../cluster-answers/one-object.ts";
import { pinnedKubeconfig } from "../cluster-answers/pinned.ts";
import { versionPath, versionSetting } from "../identity/answers.ts";
import { type Plan, planOf } from "./attempts.ts";
import { upgradeLists, upgradeObstacle } from "./obstacles.ts";
import { pathProblem } from "./path.ts";
import { upgradeObject } from "./upgrade-started.ts";
import { offeredVersionPath } from "./version-offered.ts";
import { decideWithVersion } from "./with-version.ts";

const params = z.strictObject({
  kubeconfig: pinnedKubeconfig,
  nodes: z.array(z.string()).min(1).describe("Names of all nodes"),
  version: z.string().describe("The version to upgrade to"),
  retry: z.boolean().describe("Start over after a failed attempt"),
});

type Params = z.output<typeof params>;
type Cluster = Seen<(typeof upgradeLists)[number]>;
type Space = readonly ReturnType<typeof lookAtSpace>[];

/**
 * Refuses to upgrade a cluster that is not ready for it, or whose state cannot be determined. Outputs what to do: wait
 * for an upgrade that is already running, do nothing if the cluster has the version, or start an upgrade.
 */
export const mayUpgrade = task({
  name: "mayUpgrade",
  summary: "Refuse to upgrade a cluster that is not ready, and find out what has to be done",
  params,
  examples: [],
  title: ({ version }) => `the cluster can be upgraded to ${version}`,
})
  .facts((p) => ({ running: askObject(p.kubeconfig, versionPath), ...askCluster(p.kubeconfig, ...upgradeLists) }))
  .facts((p, now) => ({
    space: nodesIn(now).map((node) => askSpace(p.kubeconfig, node)),
    offered: askObject(p.kubeconfig, offeredVersionPath(p.version)),
  }))
  .facts((p, now) => ({ trial: trialsOf(p, now) }))
  .want((p, now) => {
    const plan = decideOnAll(p, now);
    if (plan instanceof Refusal) return plan;
    if (plan.action !== "start") return {};
    return decideOnObject(now.offered, versionOf(p), questionOf(p), () => refusedTrial(p, now.trial) ?? {});
  })
  .steps(() => [])
  .outputs((p, now): Plan => {
    const plan = decideOnAll(p, now);
    return plan instanceof Refusal ? { action: "none", name: "" } : plan;
  })
  .notes((p, now) => {
    const plan = decideOnAll(p, now);
    if (plan instanceof Refusal) return [];
    if (plan.action === "start") {
      const look = lookAt(now, "volumes", "replicas");
      return [
        ...("seen" in look ? unwrittenNotes(look.seen.volumes, look.seen.replicas) : []),
        ...now.trial.flatMap((trial) =>
          "unasked" in trial ? [`not checked in advance: the upgrade to ${p.version} (${trial.unasked})`] : [],
        ),
      ];
    }
    return [plan.action === "none" ? `the cluster already runs ${p.version}` : `the upgrade ${plan.name} is running`];
  });

type Lists = Parameters<typeof lookAt<(typeof upgradeLists)[number]>>[0];
type Answers = Lists & {
  readonly running: KubernetesAnswer;
  readonly space: readonly Parameters<typeof lookAtSpace>[1][];
};

function nodesIn(answers: Lists): string[] {
  const look = lookAt(answers, "nodes");
  return "seen" in look ? look.seen.nodes.map(({ name }) => name) : [];
}

function questionOf({ version }: Params): string {
  return `whether the cluster can be upgraded to ${version}`;
}

function versionOf({ version }: Params): ObjectName {
  return { kind: "Version", name: version };
}

function decideOnAll(p: Params, now: Answers): Plan | Refusal {
  return decideWithVersion(now, upgradeLists, questionOf(p), (seen, running) => {
    if (typeof running !== "string" || running === "") return versionUnknown(p);
    const plan = planOf(p, running, seen.upgrades);
    if (plan instanceof Refusal || plan.action !== "start") return plan;
    const space = seen.nodes.map(({ name }, at) => lookAtSpace(name, now.space[at]));
    return pathRefused(running, p) ?? fitness(p, seen, space) ?? plan;
  });
}

/**
 * Asks Harvester whether it would accept the upgrade, before anything changes. Harvester accepts no upgrade to a
 * version that it does not know, so it can be asked only if an earlier run has offered the version.
 */
function trialsOf(p: Params, now: Answers & { readonly offered: KubernetesAnswer }) {
  const plan = decideOnAll(p, now);
  const offered = lookAtObject(now.offered, versionOf(p));
  if (plan instanceof Refusal || plan.action !== "start" || !("seen" in offered) || offered.seen === undefined)
    return [];
  const { path } = clusterLists.upgrades;
  const change = {
    method: "POST",
    path,
    body: upgradeObject(plan.name, p.version),
    name: `Upgrade ${plan.name}`,
  } as const;
  return [kubernetesTrial(p.kubeconfig, change)];
}

function refusedTrial(p: Params, [trial]: readonly KubernetesTrial[]): Refusal | undefined {
  if (trial === undefined || "accepted" in trial || "unasked" in trial) return undefined;
  if ("error" in trial)
    return refuse({
      code: "cluster-not-seen",
      message: `cannot tell ${questionOf(p)}: Harvester does not say whether it would accept the upgrade (${errorText(trial.error)})`,
      hint: hintFor(trial.error.code),
    });
  return refuse({
    code: "upgrade-refused",
    message: `Harvester would not accept an upgrade to ${p.version}: ${trial.refused.message}`,
    hint: "Correct what Harvester names, such as a schedule of backups that is not suspended; then rerun",
  });
}

function fitness(p: Params, seen: Cluster, space: Space): Refusal | undefined {
  const unseen = space.flatMap((one) => ("unseen" in one ? [one.unseen] : []));
  if (unseen.length > 0) {
    return refuse({
      code: "cluster-not-seen",
      message: `cannot tell ${questionOf(p)}: ${unseen.map(({ message }) => message).join("; ")}`,
      hint: hintFor(unseen[0]?.code ?? ""),
    });
  }
  const known = space.flatMap((one): NodeSpace[] => ("seen" in one ? [one.seen] : []));
  return upgradeObstacle(p.nodes, seen, known);
}

function pathRefused(running: string, { version }: Params): Refusal | undefined {
  const problem = pathProblem(running, version);
  if (problem === undefined) return undefined;
  return refuse({
    code: "no-upgrade-path",
    message: problem,
    current: running,
    expected: version,
    hint: "Set a version that Harvester's documentation on upgrade paths lists",
  });
}

function versionUnknown({ version }: Params): Refusal {
  return refuse({
    code: "cluster-not-seen",
    message: `cannot tell whether the cluster can be upgraded to ${version}: Setting ${versionSetting.name} has no value`,
    hint: "Check in Harvester's web UI which version the cluster runs",
  });
}
