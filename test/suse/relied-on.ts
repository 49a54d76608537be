import { airGap } from "../../roles/air-gap/role.ts";
import { bootServer } from "../../roles/boot-server/role.ts";
import { clusterSchema } from "../../roles/cluster/cluster.ts";
import type { Cluster } from "../../roles/cluster/cluster-fields.ts";
import { exposure } from "../../roles/exposure/role.ts";
import { familyOf } from "../../roles/host-packages/families.ts";
import { distributionChecks } from "../../roles/preflight/distribution-checks.ts";
import { hostPackages } from "../../roles/host-packages/role.ts";
import { vmNetwork } from "../../roles/vm-network/role.ts";
import { watchdog } from "../../roles/watchdog/role.ts";
import type { HostFacts } from "../../src/authoring.ts";
import { listFacts } from "../../src/core/facts/fact.ts";
import { parseParams } from "../../src/core/params/params.ts";
import { type TaskCall, withCallsMade } from "../../src/core/authoring/call.ts";

/** What a distribution must provide for the roles to work: the names are those of its packages. */
export interface ReliedOn {
  readonly packages: readonly string[];
  readonly units: readonly string[];
  readonly users: readonly string[];
  readonly files: readonly string[];
  /** Units and files that the roles look for, but do not need: units to stop, profiles to read. */
  readonly lookedFor: readonly string[];
  /** For each path of a file, the package that must contain the file. */
  readonly owners: Readonly<Record<string, string>>;
}

/** The facts of a host with this operating system. */
export function hostWith(id: string, version: string): HostFacts {
  return { os: { id, version, like: [id, "suse"] }, addresses: {} } as unknown as HostFacts;
}

/** Returns the tasks of all roles that depend on the distribution, for a cluster that uses everything. */
export function callsOn(facts: HostFacts): readonly TaskCall[] {
  const cluster: Cluster = clusterSchema.parse({
    disks: ["/dev/a"],
    token: "t",
    password: "p",
    airGap: {},
    exposure: { from: ["192.0.2.0/24"] },
  });
  const { made } = withCallsMade(() => [
    distributionChecks(cluster, facts),
    hostPackages({ cluster, facts }),
    vmNetwork({ cluster, facts }),
    bootServer({ cluster, facts, publicAddress: "192.0.2.1" }),
    airGap({ cluster, facts }),
    exposure({ cluster, facts }),
    watchdog({ cluster }),
  ]);
  return [...made];
}

interface Input {
  readonly name?: string | readonly string[];
  readonly path?: string;
  readonly content?: unknown;
  readonly owner?: string;
  readonly group?: string;
  readonly state?: string;
}

/** Returns everything in the tasks' params that the distribution's packages must provide. */
export function reliedOn(facts: HostFacts): ReliedOn {
  const made = callsOn(facts);
  const calls = made.map(({ module, input }) => ({ task: module.card.name, input: input as Input }));
  const of = (task: string): Input[] => calls.flatMap((call) => (call.task === task ? [call.input] : []));
  const written = new Set(of("file").flatMap(({ path }) => (path === undefined ? [] : [path])));
  const unitsOf = (isStopped: boolean): string[] =>
    of("service")
      .flatMap(({ name, state }) => (name === undefined || (state === "stopped") !== isStopped ? [] : name))
      .map((name) => (/\.(service|socket|timer)$/.test(name) ? name : `${name}.service`));
  const units = unitsOf(false).filter((unit) => !written.has(`/etc/systemd/system/${unit}`));
  const family = familyOf(facts);
  const texts = of("file").flatMap(({ content }) => (typeof content === "string" ? [content] : []));
  return {
    packages: unique(of("package").flatMap(({ name }) => name ?? [])),
    units: unique([...units, `${family.libvirt.nodes}.service`, `${family.libvirt.network}.service`]),
    users: unique(of("file").flatMap(({ owner, group }) => [owner, group])).filter((name) => name !== "root"),
    files: unique([
      ...texts.flatMap(pathsIn).filter((path) => !written.has(path)),
      family.ipxe,
      family.chrony.folder,
      ...Object.keys(family.files),
    ]),
    lookedFor: unique([
      ...unitsOf(true),
      ...made.filter(({ module }) => module.card.name !== "service").flatMap(lookedForBy),
    ]),
    owners: family.files,
  };
}

/** The units and AppArmor profiles that a task's first questions are about. */
function lookedForBy({ module, input }: TaskCall): string[] {
  const parsed = parseParams(module.card.params, input, () => undefined, { task: module.card.name });
  const [first] = module.stages;
  if (!("params" in parsed) || first === undefined) return [];
  return listFacts(first(parsed.params as never, {} as never)).flatMap(({ fact }) => {
    if (!("kind" in fact)) return [];
    if (fact.kind === "apparmorProfile") return [`/etc/apparmor.d/${fact.key}`];
    return fact.kind === "unit" ? [fact.key] : [];
  });
}

/** The programs and files of packages that a configuration names. */
function pathsIn(text: string): string[] {
  return [...text.matchAll(/^\s*(?:ExecStart=|include |pid )(\/[^\s;*]+)/gm)].map(([, path = ""]) => path);
}

function unique(list: readonly (string | undefined)[]): string[] {
  return [...new Set(list.filter((value) => value !== undefined))].toSorted();
}
