import {
  absent,
  file,
  knownAfterApply,
  libvirtDomain,
  mayRefuse,
  onlyRead,
  program,
  refuse,
  task,
  z,
} from "../../src/authoring.ts";
import { etcdSnapshot, etcdSnapshotFolder, fileText } from "../../src/facts/catalogue.ts";
import { maintenanceMarker, snapshotRecord } from "../cluster/places.ts";
import { type Domain, hasBegun, tooLate } from "./snapshot-needed.ts";
import { recordIn, snapshotNotes } from "./snapshot-record.ts";

/**
 * Where the `rke2` program may be on a node, in the order in which furrow looks. On Harvester it is in `/opt/rke2/bin`,
 * which is not in a login shell's PATH (harvester/harvester#4803 and #8460; Harvester docs, "Host Management", calls
 * `/opt/rke2/bin/rke2-uninstall.sh`). RKE2's own installer uses `/usr/local/bin` if that is writable (RKE2 docs, "Quick
 * Start"). RKE2's other programs are in `/var/lib/rancher/rke2/bin`.
 */
const rke2Places = ["/opt/rke2/bin/rke2", "/usr/local/bin/rke2", "/var/lib/rancher/rke2/bin/rke2"] as const;

/**
 * Saves a snapshot. `rke2` exits with code 0 even if it has saved nothing, for example on a full disk, and only the
 * server's log says why (k3s, pkg/etcd/snapshot.go and pkg/cli/etcdsnapshot; rancher/rke2#6226). The folder is passed
 * because a node's configuration might name a different one. Saving removes no other snapshots (RKE2 docs, "Backup and
 * Restore").
 */
const saveScript = `rke2=$1 name=$2 folder=$3
began=$(date +%s)
said=$("$rke2" etcd-snapshot save --name "$name" --etcd-snapshot-dir "$folder" 2>&1)
code=$?
said=$(printf '%s\\n' "$said" | grep -v 'Unknown flag .* found in config')
for file in "$folder/$name"-*; do
case $file in *.part) continue;; esac
[ "$code" -ne 0 ] || [ ! -s "$file" ] || { printf '%s\\n' "$said"; exit 0; }
done
printf '%s\\n' "$said" >&2
[ "$code" -eq 0 ] || exit "$code"
echo "rke2 reported no error, but there is no $folder/$name-*; the log of rke2-server has:" >&2
journalctl -q --no-pager -o cat -u rke2-server --since "@$began" 2>/dev/null | grep -i snapshot | tail -n 4 >&2
exit 1`;

/** Takes an etcd snapshot on the management node that the task runs on, and verifies that it exists. */
export const etcdSnapshotTaken = task({
  name: "etcdSnapshotTaken",
  summary: "Take an etcd snapshot on a management node, and verify that it exists",
  params: z.strictObject({
    name: z.string().min(1).describe("Name of the snapshot, to which RKE2 appends the node and the time"),
    node: z.string().describe("Name of the node, for messages"),
  }),
  examples: [],
  title: ({ node }) => `etcd snapshot on ${node}`,
  disturbs: () => [],
})
  .facts((p) => ({
    programs: rke2Places.map((path) => mayRefuse(onlyRead(program(path)), [])),
    snapshot: etcdSnapshot(p.name),
  }))
  .want((p, { programs, snapshot }) => {
    if (snapshot === absent && programs.every((one) => one === absent)) {
      return refuse({
        code: "no-rke2",
        message: `${p.node} has no rke2 program (looked at ${rke2Places.join(", ")})`,
        hint: "Find out where RKE2 is on this node, and link it to one of these paths",
      });
    }
    return { snapshot: { path: knownAfterApply, bytes: knownAfterApply } };
  })
  .steps((p, { change, now: { programs } }) => [
    change.snapshot && {
      step: "run",
      label: `rke2 etcd-snapshot save --name ${p.name}`,
      argv: ["sh", "-c", saveScript, "sh", rke2In(programs), p.name, etcdSnapshotFolder],
      // rke2 itself waits two minutes, and five more if the snapshot is also uploaded.
      timeoutSeconds: 600,
    },
  ])
  .notes((p, { programs, snapshot }) =>
    snapshot === absent ? [] : snapshotNotes(p, { ...snapshot, rke2: rke2In(programs) }),
  );

function rke2In(programs: readonly unknown[]): string {
  return rke2Places.find((_, at) => programs[at] !== absent) ?? rke2Places[0];
}

/** Refuses to continue after the task that takes the snapshot has failed. */
export const snapshotMissing = task({
  name: "snapshotMissing",
  summary: "Refuse to shut down without an etcd snapshot",
  params: z.strictObject({}),
  examples: [],
  title: () => "no shutdown without an etcd snapshot",
})
  .facts(() => ({}))
  .want(() =>
    refuse({
      code: "no-snapshot",
      message: "the cluster stays on, because no etcd snapshot of it could be taken",
      hint: "Fix what the failed task before this one reports; or, to shut down without a snapshot, add --var skipSnapshot=true",
    }),
  )
  .steps(() => []);

/**
 * Says that a shutdown takes no snapshot, and clears the record of one that could not be taken. The record of a
 * shutdown that has stopped nodes is kept: its snapshot was taken before that.
 */
export const snapshotSkipped = task({
  name: "snapshotSkipped",
  summary: "Report that a shutdown takes no etcd snapshot, and clear the record of one that could not be taken",
  params: z.strictObject({ nodes: z.array(z.string()).min(1).describe("Names of all nodes") }),
  examples: [],
  title: () => "no etcd snapshot, because of skipSnapshot",
})
  .facts((p) => ({
    domains: p.nodes.map((name) => libvirtDomain(name)),
    marker: file(maintenanceMarker, ["text"]),
    record: file(snapshotRecord, ["text"]),
  }))
  .want((_p, now) => (isKept(now) ? {} : { record: absent }))
  .steps((_p, { change }) => [change.record && { step: "remove", path: snapshotRecord, recursive: false }])
  .notes((_p, now) => {
    const record = isKept(now) ? recordIn(fileText(now.record)) : undefined;
    return record === undefined
      ? ["skipSnapshot is set, so no etcd snapshot is taken: if the cluster does not come back, it cannot be restored"]
      : snapshotNotes(record);
  });

function isKept({ domains, marker }: { readonly domains: readonly Domain[]; readonly marker: unknown }): boolean {
  return hasBegun(marker) && tooLate(domains, marker) !== undefined;
}

/** Shows the etcd snapshot of the shutdown that a restart reverses. */
export const snapshotShown = task({
  name: "snapshotShown",
  summary: "Show the etcd snapshot that the shutdown took, and how to restore it",
  params: z.strictObject({}),
  examples: [],
  title: () => "etcd snapshot of the shutdown",
})
  .facts(() => ({ record: file(snapshotRecord, ["text"]), marker: file(maintenanceMarker, ["text"]) }))
  .want(() => ({}))
  .steps(() => [])
  .notes((_p, { record, marker }) => {
    const found = recordIn(fileText(record));
    return found !== undefined && hasBegun(marker) ? snapshotNotes(found) : [];
  });
