import type { Cluster } from "../cluster/cluster.ts";
import type { ClusterNode } from "../cluster/nodes.ts";
import { artifactNames } from "../cluster/releases.ts";
import { nodeFile } from "../boot-server/templates.ts";

/** What a node fetches from the host, in the order in which it does, by the path it asks for. */
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

/**
 * How far a node has come, in a sentence: what nginx's log (ADDRESS STATUS BYTES PATH) says that it has fetched, or was
 * refused, and the last line on its console.
 */
export function progressOf(
  node: Pick<ClusterNode, "name" | "address">,
  stages: readonly { readonly path: string; readonly what: string }[],
  log: string,
  screen: string,
): string {
  const all = log.split("\n").flatMap((line) => {
    const [from, status = "", , path] = line.split(" ");
    return from === node.address && path !== undefined ? [{ status, path }] : [];
  });
  // What it fetched when it was installed the time before says nothing about now.
  const own = all.slice(
    Math.max(
      0,
      all.findLastIndex(({ path }) => path === stages[0]?.path),
    ),
  );
  const done = stages.filter(({ path }) => own.some((one) => one.path === path && one.status.startsWith("2")));
  const refused = own.findLast(({ status }) => /^[45]/.test(status));
  const shown = lastLine(screen);
  const last = done.at(-1);
  return [
    last === undefined
      ? `${node.name} has fetched nothing yet`
      : `${node.name} has fetched ${last.what} (${done.length} of ${stages.length})`,
    refused && `it was refused ${refused.path} (${refused.status})`,
    shown !== "" && `its console says: ${shown}`,
  ]
    .filter(Boolean)
    .join("; ");
}

/** The last line of a console that says something, without what only moves the cursor. */
export function lastLine(screen: string): string {
  const plain = screen
    .replaceAll(/\u001B(\[[0-?]*[ -/]*[@-~]|[()][A-Z0-9]|[=>78cM])/g, "")
    .replaceAll(/[^\P{C}\n\r]/gu, "");
  const line = plain.split(/[\r\n]+/).findLast((one) => one.trim() !== "") ?? "";
  return line.trim().slice(0, 120);
}
