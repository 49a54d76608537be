import { type Actor, patch, read } from "./actors.ts";

interface Thing {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly spec?: { readonly vmiName?: string };
  readonly status?: { readonly phase?: string };
  readonly value?: string;
}

/**
 * KubeVirt's migrations (pkg/virt-controller/watch/migration): a migration runs, and then the machine is on the other
 * node; the migration of a machine named "slow" never ends. Harvester copies its setting to KubeVirt
 * (pkg/controller/master/setting).
 */
export const migrationControllers: Actor = (server, done) => {
  const kind = "virtualmachineinstancemigrations.kubevirt.io";
  const { items } = read(server, kind) as { items: Thing[] };
  for (const { metadata, spec, status } of items) {
    const target = "harvester-3";
    if (status?.phase === undefined)
      patch(server, kind, metadata.name, { status: { phase: "Running", migrationState: { targetNode: target } } });
    else if (status.phase === "Running" && spec?.vmiName !== "slow") {
      patch(server, "virtualmachineinstance", spec?.vmiName ?? "", { status: { nodeName: target } });
      patch(server, kind, metadata.name, { status: { phase: "Succeeded" } });
    }
  }
  const { value = "" } = read(server, "settings.harvesterhci.io", "kubevirt-migration") as Thing;
  if (value === "" || done.has(value)) return;
  done.add(value);
  const migrations = JSON.parse(value, inOwnUnit) as object;
  server.kubectl([
    "patch",
    "kubevirt",
    "kubevirt",
    "--namespace=harvester-system",
    "--type=merge",
    `--patch=${JSON.stringify({ spec: { configuration: { migrations } } })}`,
  ]);
};

/** Kubernetes writes a quantity in the largest unit that divides it (resource.Quantity in kubernetes/apimachinery). */
function inOwnUnit(name: string, value: unknown): unknown {
  const [, number] = name === "bandwidthPerMigration" ? (/^(\d+)Mi$/.exec(String(value)) ?? []) : [];
  return number !== undefined && Number(number) % 1024 === 0 ? `${Number(number) / 1024}Gi` : value;
}
