import { staysOverBoot } from "../../core/facts/boot.ts";
import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, printPart } from "../../core/facts/kind.ts";
import { indexFunctions } from "./package-index-script.ts";
import { packagePlaces } from "./package-places.ts";
import { findManager, type ManagerName } from "./packaging.ts";

/** The state of a host's package index. */
export interface PackageIndexState {
  /** True if the index covers at least one repository; a fresh image often has none. */
  readonly filled: boolean;
  /** True if the repository lists have changed since the index was fetched, or if a repository was never fetched. */
  readonly outdated: boolean;
  /** The manager that the index belongs to. */
  readonly manager?: ManagerName;
  /** Whole minutes since every repository was fetched or found up to date; a year if unknown. */
  readonly ageMinutes: number;
}

/** Asks about the host's package index. Pass `manager` only for a manager other than the host's default. */
export function packageIndexState(manager?: ManagerName): HostFact<PackageIndexState> {
  return ask(packageIndexKind, manager ?? "host");
}

/** The state of an index right after a refresh. */
export const freshIndex: PackageIndexState = { filled: true, outdated: false, ageMinutes: 0 };

/** The package index: one per host and manager. */
export const packageIndexKind = defineKind<PackageIndexState>({
  name: "packageIndex",
  afterBoot: staysOverBoot,
  summary: "The package index of a host: whether it exists, whether it covers all repositories, its age",
  facets: {},
  volatile: ["ageMinutes"],
  ageing: ["ageMinutes"],
  renewed: freshIndex,
  functions: indexFunctions,
  read: (questions) => `${findManager}
for x in ${questions.map(({ number, key }) => `${number}:${key}`).join(" ")}; do
n=\${x%%:*}; x=\${x#*:}; [ "$x" = host ] && x=$m
places "$x" || { echo "$n !the host has no package manager"; continue; }
a=525600 l=no u=no g=$(echo $f)
case $g in *'*'*) ;; *) l=yes;; esac
if [ -d $d ]; then
age "$x"; [ $at = 0 ] || a=$(((now - at) / 60))
fi
printf '%s\\n' "$n ageMinutes=$a" "$n filled=$l" "$n manager=$x" "$n outdated=$u"
done`,
  parse(lines, question) {
    const { filled, outdated, ageMinutes, manager } = lines;
    if (filled === undefined || outdated === undefined || ageMinutes === undefined) {
      throw new FurrowError("E_FACT", { what: `the package index (${question.key}) cannot be read` });
    }
    return {
      filled: filled === "yes",
      outdated: outdated === "yes",
      ageMinutes: Number(ageMinutes),
      ...(isManager(manager) && { manager }),
    };
  },
  print: (value) => ({
    ageMinutes: printPart(value, "ageMinutes"),
    filled: printPart(value, "filled", yesNo),
    ...(value.manager !== undefined && { manager: printPart(value, "manager") }),
    outdated: printPart(value, "outdated", yesNo),
  }),
  touches: () => ["packageOffer:**", "packagePlan:**"],
});

function isManager(name: string | undefined): name is ManagerName {
  return name !== undefined && name in packagePlaces;
}

function yesNo(value: boolean): string {
  return value ? "yes" : "no";
}

/** True if an index is younger than `maxAgeSeconds` and covers all repositories. */
export function isFresh(index: PackageIndexState, maxAgeSeconds: number): boolean {
  return index.filled && !index.outdated && index.ageMinutes * 60 < maxAgeSeconds;
}
