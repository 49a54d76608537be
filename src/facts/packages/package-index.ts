import { staysOverBoot } from "../../core/boot.ts";
import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/fact.ts";
import { ask, defineKind, printPart } from "../../core/kind.ts";
import { indexFunctions } from "./package-index-script.ts";
import { packagePlaces } from "./package-places.ts";
import { findManager, type ManagerName } from "./packaging.ts";

/** What a host knows of the packages its repositories offer. */
export interface PackageIndexState {
  /** It holds the index of at least one repository; a fresh image often holds none. */
  readonly filled: boolean;
  /** The list of repositories was changed after the index was last fetched, or a repository of it was never fetched. */
  readonly outdated: boolean;
  /** Whose index it is. */
  readonly manager?: ManagerName;
  /** Whole minutes since each repository was last fetched, or found to be up to date; a year where nobody knows. */
  readonly ageMinutes: number;
}

/** Asks about the package index of the host; `manager` only where the host has several and its own is not meant. */
export function packageIndexState(manager?: ManagerName): HostFact<PackageIndexState> {
  return ask(packageIndexKind, manager ?? "host");
}

/** What an index is when it has just been refreshed. */
export const freshIndex: PackageIndexState = { filled: true, outdated: false, ageMinutes: 0 };

/** The package index: one per host and manager. */
export const packageIndexKind = defineKind<PackageIndexState>({
  name: "packageIndex",
  afterBoot: staysOverBoot,
  summary: "The package index of a host: whether there is one, whether it knows all repositories, its age",
  facets: {},
  volatile: ["ageMinutes"],
  ageing: ["ageMinutes"],
  renewed: freshIndex,
  functions: indexFunctions,
  read: (questions) => `${findManager}
for x in ${questions.map(({ number, key }) => `${number}:${key}`).join(" ")}; do
n=\${x%%:*}; x=\${x#*:}; [ "$x" = host ] && x=$m
places "$x" || { echo "$n !no package manager is on the host"; continue; }
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

/** True where an index says all that its repositories did `maxAgeSeconds` ago. */
export function isFresh(index: PackageIndexState, maxAgeSeconds: number): boolean {
  return index.filled && !index.outdated && index.ageMinutes * 60 < maxAgeSeconds;
}
