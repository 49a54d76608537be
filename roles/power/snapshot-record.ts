import { z } from "../../src/authoring.ts";
import { etcdSnapshotFolder } from "../../src/facts/catalogue.ts";

const recordSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/),
  node: z.string().min(1),
  since: z.iso.datetime(),
});

/** The etcd snapshot of one shutdown. */
export type SnapshotRecord = z.output<typeof recordSchema>;

/** Seconds for which a rerun uses the snapshot of an interrupted shutdown, provided that no node is off yet. */
const freshSeconds = 3600;

/** Reads a record; undefined if it does not exist or is damaged. */
export function recordIn(text: string | undefined): SnapshotRecord | undefined {
  try {
    return recordSchema.safeParse(JSON.parse(text ?? "")).data;
  } catch {
    return undefined;
  }
}

/** The text of the file for a record. */
export function recordText({ name, node, since }: SnapshotRecord): string {
  return `${JSON.stringify({ name, node, since })}\n`;
}

/**
 * True if a run that starts at `now` may use this snapshot as its own. An older snapshot does not contain later changes
 * to the cluster, and the age of a snapshot that is dated in the future is unknown.
 */
export function isFresh({ since }: SnapshotRecord, now: string): boolean {
  const seconds = (Date.parse(now) - Date.parse(since)) / 1000;
  return seconds >= 0 && seconds < freshSeconds;
}

/**
 * Names the snapshot of a shutdown that starts now, in UTC: `furrow-shutdown-20260101-000000`. The name must be valid
 * in Kubernetes, because RKE2 creates an object for each snapshot.
 */
export function snapshotName(now: string): string {
  const [day = "", time = ""] = new Date(now).toISOString().replaceAll(/[:-]/g, "").split(/[T.]/);
  return `furrow-shutdown-${day}-${time}`;
}

/**
 * Says where a snapshot is, and how to restore it (RKE2 docs, "Backup and Restore", "Snapshot Restore Steps").
 *
 * @param found the exact path, its size and rke2's path, if they are known
 */
export function snapshotNotes(
  { name, node }: Pick<SnapshotRecord, "name" | "node">,
  found?: { readonly path: string; readonly bytes: number; readonly rke2: string },
): string[] {
  const pattern = `${etcdSnapshotFolder}/${name}-*`;
  const size = found === undefined ? "" : ` (${Math.ceil(found.bytes / 2 ** 20)} MiB)`;
  const restored = found?.path ?? `"$(ls ${pattern})"`;
  const command = `${found?.rke2 ?? "/opt/rke2/bin/rke2"} server --cluster-reset --cluster-reset-restore-path=${restored}`;
  return [
    `etcd snapshot on ${node}: ${found?.path ?? pattern}${size}`,
    `only if the cluster does not come back, restore it as root on ${node}, once rke2-server is stopped on every node: ${command} (the next steps: https://docs.rke2.io/datastore/backup_restore)`,
  ];
}
