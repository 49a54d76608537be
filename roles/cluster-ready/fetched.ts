import type { Cluster } from "../cluster/cluster-fields.ts";
import type { ClusterNode } from "../cluster/nodes.ts";
import { eventFolder } from "../cluster/nodes.ts";
import { artifactNames } from "../cluster/releases.ts";
import { nodeFile } from "../boot-server/templates.ts";

/** Returns what a node fetches from the host, in order, with the path of each request. */
export function fetchedStages(cluster: Cluster, node: ClusterNode): { readonly path: string; readonly what: string }[] {
  const names = artifactNames(cluster.version);
  return [
    { path: "/boot.ipxe", what: "the boot script" },
    { path: `/nodes/${nodeFile(node, ".ipxe")}`, what: "its own boot script" },
    { path: `/${names.kernel}`, what: "the kernel" },
    { path: `/${names.initrd}`, what: "the initrd" },
    { path: `/${names.rootfs}`, what: "the root file system" },
    { path: `/nodes/${nodeFile(node, ".yaml")}`, what: "its configuration" },
    { path: `/${names.iso}`, what: "the ISO image" },
  ];
}

/** One request from a node, as in nginx's log: ADDRESS STATUS BYTES PATH SECONDS. */
interface Asked {
  readonly status: string;
  readonly path: string;
  /** The time in seconds since the epoch; 0 in lines that were written before the log had times. */
  readonly at: number;
}

/** Returns the requests that a node has made since it last began to boot from the network. */
function requestsOf(node: Pick<ClusterNode, "address">, begin: string | undefined, log: string): readonly Asked[] {
  const all = log.split("\n").flatMap((line): Asked[] => {
    const [from, status = "", , path, at = "0"] = line.split(" ");
    return from === node.address && path !== undefined ? [{ status, path, at: Number(at) }] : [];
  });
  // Requests from an earlier installation say nothing about this one.
  return all.slice(
    Math.max(
      0,
      all.findLastIndex(({ path }) => path === begin),
    ),
  );
}

/** The events that a node's installer can report, in words. */
const told: Readonly<Record<string, string>> = {
  STARTED: "its installation has begun",
  SUCCEEDED: "it is installed",
  FAILED: "its installer says that it has failed",
};

type Stages = readonly { readonly path: string; readonly what: string }[];

/**
 * True if the node's installer has reported a failure since `since`, the time at which the node started (in seconds
 * since the epoch).
 */
export function hasFailed(node: Pick<ClusterNode, "address">, stages: Stages, log: string, since: number): boolean {
  const events = requestsOf(node, stages[0]?.path, log).filter(({ path }) => path.startsWith(eventFolder));
  const last = events.at(-1);
  return last !== undefined && last.path === `${eventFolder}FAILED` && last.at > since;
}

/**
 * Describes a node's progress in one sentence: what nginx's log says about the node (files that it has fetched, refused
 * requests, reported events), and the last line on its console.
 */
export function progressOf(
  node: Pick<ClusterNode, "name" | "address">,
  stages: Stages,
  log: string,
  screen: string,
): string {
  const own = requestsOf(node, stages[0]?.path, log);
  const done = stages.filter(({ path }) => own.some((one) => one.path === path && one.status.startsWith("2")));
  const refused = own.findLast(({ status }) => /^[45]/.test(status));
  const event = own.findLast(({ path }) => path.startsWith(eventFolder))?.path.slice(eventFolder.length) ?? "";
  const shown = lastLine(screen);
  const panic = panicOf(screen);
  const last = done.at(-1);
  return [
    last === undefined
      ? `${node.name} has fetched nothing yet`
      : `${node.name} has fetched ${last.what} (${done.length} of ${stages.length})`,
    refused && `its request for ${refused.path} was refused (${refused.status})`,
    told[event],
    panic === undefined ? shown !== "" && `its console says: ${shown}` : `its kernel panicked: ${panic}`,
  ]
    .filter(Boolean)
    .join("; ");
}

/**
 * Returns the message of a kernel panic that has halted the machine. The kernel prints this line only if it does not
 * reboot by itself; any text below the line comes from a later boot.
 */
export function panicOf(screen: string): string | undefined {
  const said = /---\[ end Kernel panic - not syncing: (.*?)\s*(?:\]---)?$/.exec(lastText(screen))?.[1];
  return said?.replaceAll(/\s+/g, " ").slice(0, 120);
}

/** Returns the last non-blank line of a console, stripped of cursor movements and cut to 120 characters. */
export function lastLine(screen: string): string {
  return lastText(screen).slice(0, 120);
}

function lastText(screen: string): string {
  const plain = screen
    .replaceAll(/\u001B(\[[0-?]*[ -/]*[@-~]|[()][A-Z0-9]|[=>78cM])/g, "")
    .replaceAll(/[^\P{C}\n\r]/gu, "");
  const line = plain.split(/[\r\n]+/).findLast((one) => one.trim() !== "") ?? "";
  return line.trim();
}
