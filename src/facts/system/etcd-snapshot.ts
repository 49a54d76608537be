import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, printPart } from "../../core/facts/kind.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import { hiddenFunctions } from "../files/hidden-path.ts";
import { numbered } from "./quote.ts";

/** An etcd snapshot in RKE2's snapshot folder. */
export interface EtcdSnapshot {
  readonly path: string;
  /** The size in bytes; never 0. */
  readonly bytes: number;
}

/** The default folder for RKE2's snapshots (RKE2 docs, "Backup and Restore"). */
export const etcdSnapshotFolder = "/var/lib/rancher/rke2/server/db/snapshots";

/** Asks for the latest complete etcd snapshot that was saved under a name on this RKE2 server. */
export function etcdSnapshot(name: string): HostFact<Absent | EtcdSnapshot> {
  return ask(etcdSnapshotKind, name);
}

/**
 * Etcd snapshots by the name that `rke2 etcd-snapshot save --name` was given. RKE2 appends `-NODE-SECONDS` to the name,
 * and `.zip` if it compresses snapshots; it writes to a file whose name ends with `.part`, and renames it afterwards
 * (k3s, pkg/etcd/snapshot.go; etcd, client/v3/snapshot). RKE2 has left empty files behind (rancher/rke2#5039), which do
 * not count as snapshots.
 */
export const etcdSnapshotKind = defineKind<Absent | EtcdSnapshot>({
  name: "etcdSnapshot",
  summary: "The latest complete etcd snapshot that RKE2 has saved under a name",
  facets: {},
  functions: hiddenFunctions,
  read: (questions) => `d=${etcdSnapshotFolder}
for x in ${numbered(questions)}; do
n=\${x%%:*}; f=
if hidden "$n" "$d"; then continue; fi
if [ -d "$d" ] && ! { [ -r "$d" ] && [ -x "$d" ]; }; then echo "$n !its folder $d cannot be read"; continue; fi
for p in "$d/\${x#*:}"-*; do
case $p in *.part) continue;; esac
if [ -f "$p" ] && [ -s "$p" ]; then f=$p; fi
done
if [ -z "$f" ]; then echo "$n absent=yes"; else
echo "$n path=$f"
echo "$n bytes=$(stat -c %s -- "$f")"; fi
done`,
  parse({ path, bytes, absent: none }, { key }) {
    if (none !== undefined) return absent;
    if (path !== undefined && /^[1-9]\d*$/.test(bytes ?? "")) return { path, bytes: Number(bytes) };
    throw new FurrowError("E_FACT", { what: `the etcd snapshot ${key} could not be read` });
  },
  print: (value) =>
    value === absent ? { absent: "yes" } : { path: printPart(value, "path"), bytes: printPart(value, "bytes") },
  failed(key, found) {
    if ("said" in found) return { what: `the etcd snapshots on this node cannot be read`, current: found.said };
    return {
      what: `RKE2 has not saved an etcd snapshot named ${key}`,
      current: `no nonempty file ${etcdSnapshotFolder}/${key}-*`,
      hint: "Look at the server's log on the node: journalctl -u rke2-server",
    };
  },
});
