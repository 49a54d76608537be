import type { UpgradeObject } from "../cluster-answers/harvester-objects.ts";
import type { Seen } from "../cluster-answers/answers.ts";
import type { PodObject } from "../cluster-answers/workload-objects.ts";
import { counted } from "../cluster/count.ts";
import { few, type Finding, kubectl } from "../longhorn-doctor/findings.ts";

/**
 * States in which a machine is not running although it should be (VirtualMachinePrintableStatus in
 * kubevirt.io/api/core/v1).
 */
const badStates = new Set([
  "CrashLoopBackOff",
  "Unknown",
  "ErrorUnschedulable",
  "ErrImagePull",
  "ImagePullBackOff",
  "ErrorPvcNotFound",
  "DataVolumeError",
]);

/** Problems of virtual machines; `down` contains the nodes that are not ready. */
export function machineFindings(
  machines: Seen<"machines">["machines"],
  instances: Seen<"instances">["instances"] | undefined,
  down: ReadonlySet<string>,
): Finding[] {
  const bad = machines
    .filter(({ state }) => state !== undefined && badStates.has(state))
    .map(({ name, state }) => `${name} (${state})`);
  const paused = machines.filter(({ state }) => state === "Paused").map(({ name }) => name);
  const silent = machines.filter(({ state }) => state === undefined).map(({ name }) => name);
  const lost = (instances ?? [])
    .filter(({ running, node }) => running && node !== undefined && down.has(node))
    .map(({ name, node }) => `${name} (${node})`);
  const group = (severity: Finding["severity"], names: readonly string[], are: string, next: string): Finding[] =>
    names.length === 0
      ? []
      : [{ severity, what: `${counted(names.length, "virtual machine")} ${are}: ${few(names)}`, next }];
  return [
    ...group("critical", bad, "failing to run", kubectl("describe vm", bad[0]?.split(" ")[0] ?? "")),
    ...group("critical", lost, "on a node that is not ready", "playbooks/gitops/rebuild.ts"),
    ...group("warning", paused, "paused", "Harvester UI: Virtual Machines"),
    ...group(
      "warning",
      silent,
      "with no state reported by KubeVirt",
      "`kubectl -n harvester-system get pods -l kubevirt.io`",
    ),
  ];
}

/** The namespaces of Harvester itself. */
const ownNamespaces = /^(?:cattle-.*|fleet-.*|harvester-.*|kube-system|longhorn-system|rancher-.*)$/;
/** Persistent reasons why a container does not start. */
const stuck = /BackOff$|^Err|Error$|^Evicted$|^CreateContainer|^InvalidImageName$|^OOMKilled$/;

/** Pods of Harvester itself that fail, grouped by reason. */
export function podFindings(pods: readonly PodObject[]): Finding[] {
  const own = pods.filter(({ namespace, phase }) => ownNamespaces.test(namespace) && phase !== "Succeeded");
  const reasons = own.flatMap((pod) => {
    const why = whyBad(pod);
    return why === undefined ? [] : [{ pod, why }];
  });
  return [...Map.groupBy(reasons, ({ why }) => why)].map(([why, all]) => ({
    severity: "warning",
    what: `${counted(all.length, "pod")} of Harvester: ${why}: ${few(all.map(({ pod }) => pod.name))}`,
    next: kubectl("describe pod", all[0]?.pod.name ?? ""),
  }));
}

function whyBad({ phase, why, isReady, isDeleted, node, restarts }: PodObject): string | undefined {
  if (phase === "Failed") return why || "failed";
  if (stuck.test(why)) return why;
  if (isDeleted) return undefined;
  if (phase === "Pending") return node === undefined ? "no node accepts it" : why || "not started yet";
  if (phase === "Unknown") return "its node does not answer";
  return isReady ? undefined : `not ready${restarts > 0 ? " after restarts" : ""}`;
}

/** Add-ons that are enabled but are not running, or whose last change failed. */
export function addonFindings(addons: Seen<"addons">["addons"]): Finding[] {
  return addons.flatMap(({ name, isEnabled, state, failure }): Finding[] => {
    const next = kubectl("describe addons.harvesterhci.io", name);
    if (failure !== undefined)
      return [
        {
          severity: "warning",
          what: `the add-on ${name} failed: ${failure.message || failure.reason || "Harvester gives no reason"}`,
          next,
        },
      ];
    return isEnabled && state !== "AddonDeploySuccessful"
      ? [{ severity: "warning", what: `the add-on ${name} is enabled, but is ${state || "without a state"}`, next }]
      : [];
  });
}

/** An upgrade that has not finished, or the last one if it failed. */
export function upgradeFindings(upgrades: readonly UpgradeObject[]): Finding[] {
  const last = upgrades.toSorted((a, b) => Date.parse(a.created) - Date.parse(b.created)).at(-1);
  const version = (one: UpgradeObject): string => one.version || one.name;
  const next = (one: UpgradeObject): string =>
    kubectl("describe upgrades.harvesterhci.io", `harvester-system/${one.name}`);
  return [
    ...upgrades
      .filter(({ outcome }) => outcome === undefined)
      .map((one) => ({
        severity: "warning" as const,
        what: `the upgrade to ${version(one)} of ${one.created} has not finished (${one.state || "not started"})`,
        next: next(one),
      })),
    ...(last?.outcome === "Failed"
      ? [{ severity: "critical" as const, what: `the last upgrade, to ${version(last)}, failed`, next: next(last) }]
      : []),
  ];
}

/** Images that Harvester could not download, or has not finished downloading. */
export function imageFindings(images: Seen<"images">["images"]): Finding[] {
  return images.flatMap(({ name, title, hasFailed, isImported, progress, why }): Finding[] => {
    const next = "Harvester UI: Images; or manage images with gitops/images";
    const image = `the image ${name}${title === "" || name.endsWith(`/${title}`) ? "" : ` (${title})`}`;
    if (hasFailed)
      return [{ severity: "warning", what: `${image} failed: ${why || "Harvester gives no reason"}`, next }];
    return isImported
      ? []
      : [{ severity: "hint", what: `${image} is at ${progress} %${why === "" ? "" : `: ${why}`}`, next }];
  });
}

/** Cluster networks that a node has not set up. */
export function networkFindings(statuses: Seen<"networkStatuses">["networkStatuses"]): Finding[] {
  return statuses
    .filter(({ ready }) => !ready)
    .map(({ clusterNetwork, node, message }) => ({
      severity: "warning",
      what: `the cluster network ${clusterNetwork} is not ready on ${node}${message === "" ? "" : `: ${message}`}`,
      next: "`kubectl get vlanstatuses.network.harvesterhci.io -o yaml`",
    }));
}
