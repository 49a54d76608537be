import { staysOverBoot } from "../../core/facts/boot.ts";
import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, printPart } from "../../core/facts/kind.ts";
import { type Absent, absent, isRecord, knownAfterApply } from "../../core/facts/symbols.ts";
import type { ManagerName } from "./packaging.ts";
import { packageFunctions, packageScript } from "./package-script.ts";

/** A package as recorded in the host's package database. */
export interface PackageState {
  /** True if the package, or another package that provides its name, is installed. */
  readonly present: boolean;
  /**
   * The version as the database prints it: `1.22.1-9+deb12u1`, `2:1.0-3`; absent if the package itself is not
   * installed.
   */
  readonly version: string | Absent;
  /** False if an installation was interrupted, or if the package's scripts have not finished. */
  readonly complete: boolean;
  /** True if the package is held or locked, so its manager will not change it. */
  readonly held: boolean;
  /**
   * False if the package was installed as a dependency, so its manager may remove it together with the last package
   * that depends on it. Always true with dnf 5, because furrow does not query it for this.
   */
  readonly manual: boolean;
  /** Other installed packages that provide the name, sorted. */
  readonly providedBy: readonly string[];
}

/** Asks about a package by name. Pass `manager` only for a manager other than the host's default. */
export function packageState(name: string, manager?: ManagerName): HostFact<PackageState> {
  return ask(packageKind, packageKey(name, manager));
}

/** The key of facts about a package: `nginx`, or `zypper/nginx` with an explicit manager. */
export function packageKey(name: string, manager?: ManagerName): string {
  return manager === undefined ? name : `${manager}/${name}`;
}

/**
 * The facts that may disappear when a package is removed. The package's settings are not included: apt keeps them, and
 * what other managers do is unknown.
 */
const goesAlong = ["unit:*", "program:**", "file:/usr/**", "!file:/usr/local/**", "file:/lib/systemd/system/**"];

/** Packages. A single `dpkg-query` or `rpm` reads all of them; `pacman` is called for each package. */
export const packageKind = defineKind<PackageState>({
  name: "package",
  afterBoot: staysOverBoot,
  isThere: ({ present }) => present,
  summary:
    "A package: its version, whether its installation is complete, whether it is held, and which packages provide its name",
  facets: {},
  read: packageScript,
  functions: packageFunctions,
  parse(lines, question) {
    const { present, version, complete, held, manual, providedBy } = lines;
    if (present === undefined || version === undefined) {
      throw new FurrowError("E_FACT", { what: `package ${question.key} could not be read: the host returned no data` });
    }
    return {
      present: present === "yes",
      version: version === "" ? absent : version,
      complete: complete === "yes",
      held: held === "yes",
      manual: manual !== "no",
      providedBy: (providedBy ?? "").split(" ").filter(Boolean),
    };
  },
  print: (value) => ({
    complete: printPart(value, "complete", yesNo),
    held: printPart(value, "held", yesNo),
    manual: printPart(value, "manual", yesNo),
    present: printPart(value, "present", yesNo),
    providedBy: printPart(value, "providedBy", (names) => names.join(" ")),
    version: printPart(value, "version", (version) => (version === absent ? "" : version)),
  }),
  // furrow does not ask which files belong to a package, so units and programs of any name may disappear with it.
  touches: (_key, from, to) => (from.version !== absent && to.version === absent ? goesAlong : []),
  // An installation checks the index first, and fetches it if it is old.
  renews: (_key, _from, { present }) => ["packagePlan:**", ...(present ? ["packageIndex:**"] : [])],
  predict(before, wanted) {
    const want = (isRecord(wanted) ? wanted : {}) as Partial<PackageState>;
    const old = isRecord(before) ? (before as unknown as PackageState) : undefined;
    const unknown = knownAfterApply as never;
    const goes = want.version === absent;
    const arrives = old?.present === false || old?.complete === false;
    return {
      present: want.present ?? (old === undefined || goes ? unknown : old.present),
      version: want.version ?? (old === undefined || arrives ? unknown : old.version),
      complete: want.complete ?? true,
      held: old?.held ?? unknown,
      manual: want.manual ?? (old === undefined || arrives || goes ? unknown : old.manual),
      providedBy: old === undefined || arrives ? unknown : old.providedBy,
    };
  },
});

function yesNo(value: boolean): string {
  return value ? "yes" : "no";
}
