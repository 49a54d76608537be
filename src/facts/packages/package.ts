import { staysOverBoot } from "../../core/boot.ts";
import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/fact.ts";
import { ask, defineKind, printPart } from "../../core/kind.ts";
import { type Absent, absent, isRecord, knownAfterApply } from "../../core/symbols.ts";
import type { ManagerName } from "./packaging.ts";
import { packageFunctions, packageScript } from "./package-script.ts";

/** A package as the host's package database has it. */
export interface PackageState {
  /** It is installed, or an installed package provides its name. */
  readonly present: boolean;
  /** Its own version as the database prints it: `1.22.1-9+deb12u1`, `2:1.0-3`; absent where it is not installed itself. */
  readonly version: string | Absent;
  /** False where an installation was interrupted, or its scripts have not run to their end. */
  readonly complete: boolean;
  /** Held or locked: its manager will not change it. */
  readonly held: boolean;
  /**
   * False where it came along as a dependency, so that its manager may remove it with the last package that needs it. True
   * for dnf 5, which furrow does not ask.
   */
  readonly manual: boolean;
  /** Other installed packages that provide its name, sorted. */
  readonly providedBy: readonly string[];
}

/** Asks about a package by name; `manager` only where the host has several and its own is not meant. */
export function packageState(name: string, manager?: ManagerName): HostFact<PackageState> {
  return ask(packageKind, packageKey(name, manager));
}

/** How facts about packages are named: `nginx`, or `zypper/nginx` where the manager is given. */
export function packageKey(name: string, manager?: ManagerName): string {
  return manager === undefined ? name : `${manager}/${name}`;
}

/** What may go with a package that is removed. Its settings stay: apt keeps them, and what other managers keep is not known. */
const goesAlong = ["unit:*", "program:**", "file:/usr/**", "!file:/usr/local/**", "file:/lib/systemd/system/**"];

/** Packages: one `dpkg-query`, one `rpm` or one `pacman` for all of them. */
export const packageKind = defineKind<PackageState>({
  name: "package",
  afterBoot: staysOverBoot,
  isThere: ({ present }) => present,
  summary: "A package: installed or provided by another, its version, whether its installation is complete, held",
  facets: {},
  read: packageScript,
  functions: packageFunctions,
  parse(lines, question) {
    const { present, version, complete, held, manual, providedBy } = lines;
    if (present === undefined || version === undefined) {
      throw new FurrowError("E_FACT", { what: `package ${question.key} cannot be read: the host gave no answer` });
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
  // Which files are a package's own is not asked: units and programs of any name may go with it.
  touches: (_key, from, to) => (from.version !== absent && to.version === absent ? goesAlong : []),
  // Whoever installs has looked at the index first, and fetched it where it was old.
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
