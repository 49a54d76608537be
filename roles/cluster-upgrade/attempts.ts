import { refuse, type Refusal } from "../../src/authoring.ts";
import type { UpgradeObject } from "../cluster-answers/harvester-objects.ts";

/** The namespace of Harvester's versions and upgrades. */
export const systemNamespace = "harvester-system";

/** How to treat earlier attempts. */
export interface Wish {
  /** The version to upgrade to. */
  readonly version: string;
  /** Whether to start over after a failed attempt. */
  readonly retry: boolean;
}

/** The action: nothing, wait for an upgrade, or start one, possibly to replace a failed one. */
export interface Plan {
  readonly action: "none" | "wait" | "start";
  /** The name of the upgrade to wait for; with "none", the name is empty. */
  readonly name: string;
  /**
   * The failed upgrade that must be deleted, according to Harvester's documentation; undefined if there is nothing to
   * delete.
   */
  readonly replaces?: string | undefined;
}

/**
 * Decides what to do, based on the upgrades that the cluster knows. A second upgrade is never started while another one
 * has not finished. A failed upgrade is started over only on request, and only if no part of the cluster has been
 * upgraded yet.
 *
 * @param running the version that the cluster reports
 */
export function planOf(wish: Wish, running: string, upgrades: readonly UpgradeObject[]): Plan | Refusal {
  const open = upgrades.filter(({ outcome }) => outcome === undefined);
  const [own] = open;
  if (own !== undefined) {
    return open.length === 1 && own.version === wish.version
      ? { action: "wait", name: own.name }
      : otherUpgrade(wish, open);
  }
  const failed = failedLast(upgrades);
  if (failed !== undefined && hasTouchedCluster(failed))
    return halfUpgraded(failed, "do not start the upgrade over. Then rerun");
  if (running === wish.version) return { action: "none", name: "" };
  const again = failed?.version === wish.version ? failed : undefined;
  if (again !== undefined && !wish.retry) return failedBefore(again);
  return { action: "start", name: nextName(wish.version, upgrades), replaces: again?.name };
}

/** Returns the newest upgrade if it failed. */
function failedLast(upgrades: readonly UpgradeObject[]): UpgradeObject | undefined {
  const last = upgrades.toSorted((a, b) => Date.parse(a.created) - Date.parse(b.created)).at(-1);
  return last?.outcome === "Failed" ? last : undefined;
}

/**
 * Returns a name that no upgrade has had, so if a run is killed while it starts an upgrade, a rerun cannot start a
 * second one. Harvester derives service names from it, so it contains no dots.
 */
function nextName(version: string, upgrades: readonly UpgradeObject[]): string {
  const base = `hvst-upgrade-${version.toLowerCase().replaceAll(".", "-")}`;
  const numbers = upgrades.flatMap(({ name }) =>
    name.startsWith(`${base}-`) ? Number(name.slice(base.length + 1)) : [],
  );
  return `${base}-${Math.max(0, ...numbers.filter(Number.isInteger)) + 1}`;
}

/**
 * True if the upgrade has changed the cluster itself. Harvester's documentation allows starting over only while the
 * repository is being provisioned and images are being preloaded ("Investigate the Upgrade Flow").
 */
function hasTouchedCluster({ conditions }: UpgradeObject): boolean {
  return conditions.some(({ type }) => type === "SystemServicesUpgraded" || type === "NodesUpgraded");
}

/**
 * Refuses to take nodes away from a cluster during an upgrade: Harvester upgrades the nodes one by one, and waits for
 * each of them.
 *
 * @param more what else the user can do
 */
export function refuseDuringUpgrade(upgrades: readonly UpgradeObject[], more = ""): Refusal | undefined {
  const open = upgrades.filter(({ outcome }) => outcome === undefined);
  if (open.length === 0) return undefined;
  return refuse({
    code: "upgrade-in-progress",
    message: `the cluster is being upgraded: ${open.map(progressText).join("; ")}`,
    hint: `Wait until the upgrade has finished: the harvester-upgrade playbook waits for it${more}`,
  });
}

/** Refuses to remove a node for good while the cluster is half upgraded: its nodes may run different releases. */
export function refuseHalfUpgraded(upgrades: readonly UpgradeObject[]): Refusal | undefined {
  const failed = failedLast(upgrades);
  if (failed === undefined || !hasTouchedCluster(failed)) return undefined;
  const removal = `kubectl -n ${systemNamespace} delete upgrades.harvesterhci.io ${failed.name}`;
  return halfUpgraded(failed, `once all nodes run the same release, remove the failed upgrade (${removal}) and rerun`);
}

/** Says what state an upgrade is in, and what each node is doing. */
export function progressText({ name, state, nodes, conditions }: UpgradeObject): string {
  const each = nodes.map(({ node, state: is }) => `${node} ${is}`);
  const paused = conditions.some(({ type, status }) => type === "Paused" && status === "True");
  return [`${name}: ${state === "" ? "created" : state}`, paused ? "paused" : "", ...each].filter(Boolean).join(", ");
}

/** Says why an upgrade failed, according to its conditions and its nodes. */
export function failureText({ conditions, nodes }: UpgradeObject): string {
  const failed = nodes.filter(({ state }) => state === "Failed");
  const isOfNode = (one: Said): boolean => one.reason + one.message !== "" && failed.some((node) => isSame(node, one));
  const wrong = conditions
    // Missing logs do not make an upgrade fail, and a condition may merely repeat a node's message.
    .filter(({ type, status }) => status === "False" && type !== "LogReady")
    .filter((one) => !isOfNode(one))
    .map((one) => sentenceOf(one.type, one));
  const all = [...failed.map((one) => sentenceOf(`node ${one.node}`, one)), ...wrong].filter(
    (text) => text !== "Completed",
  );
  return all.length > 0 ? all.join("; ") : "Harvester gives no reason";
}

interface Said {
  readonly reason: string;
  readonly message: string;
}

function isSame(one: Said, other: Said): boolean {
  return one.reason === other.reason && one.message === other.message;
}

/** Harvester writes some of its errors as a reason, and others as a message. */
function sentenceOf(subject: string, { reason, message }: Said): string {
  return [subject, reason, message].filter(Boolean).join(": ");
}

function otherUpgrade({ version }: Wish, open: readonly UpgradeObject[]): Refusal {
  const names = open.map((one) => `${one.name} to ${one.version || "an image"}`).join(", ");
  const [first] = open;
  return refuse({
    code: "upgrade-in-progress",
    message: `the cluster is already being upgraded: ${names}`,
    current: open.map(progressText).join("; "),
    expected: `no upgrade, or one to ${version}`,
    hint:
      open.length === 1 && first !== undefined && first.version !== ""
        ? `Wait for it: rerun with --var version=${first.version}`
        : "Wait until it has finished",
  });
}

function halfUpgraded(failed: UpgradeObject, then: string): Refusal {
  return refuse({
    code: "upgrade-failed",
    message: `the upgrade ${failed.name} to ${failed.version} failed after it had begun to change the cluster: ${failureText(failed)}`,
    hint: `Repair it as described in Harvester's documentation on upgrade troubleshooting; ${then}`,
  });
}

function failedBefore(failed: UpgradeObject): Refusal {
  return refuse({
    code: "upgrade-failed",
    message: `the upgrade ${failed.name} to ${failed.version} failed: ${failureText(failed)}`,
    hint: "Fix the cause, and then start over with --var retry=true",
  });
}
