import { staysOverBoot } from "../../core/facts/boot.ts";
import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, type NumberedQuestion } from "../../core/facts/kind.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import { packageKey } from "./package.ts";
import { findManager, type ManagerName, managers } from "./packaging.ts";
import { offerFunctions } from "./package-offer-script.ts";

/** What the host's current package index offers under a name; the index is not fetched. */
export interface PackageOffer {
  /** The version that the manager would install; absent if no package has this name. */
  readonly candidate: string | Absent;
  /** All available versions in the manager's order, newest first. */
  readonly versions: readonly string[];
  /** Packages that provide the name, sorted; looked up only if no package has the name. */
  readonly providers: readonly string[];
}

/** Asks what the package index offers under a name, without taking a lock or fetching anything. */
export function packageOffer(name: string, manager?: ManagerName): HostFact<PackageOffer> {
  return ask(packageOfferKind, packageKey(name, manager));
}

/** Offers, all read with a single query of the index. dnf logs its queries; the other managers leave no trace. */
export const packageOfferKind = defineKind<PackageOffer>({
  name: "packageOffer",
  afterBoot: staysOverBoot,
  summary: "What the host's package index offers under a name: candidate, versions, packages that provide it",
  facets: {},
  deadlineSeconds: 60,
  read: offerScript,
  parse(lines, question) {
    const { candidate, versions, providers } = lines;
    if (candidate === undefined) {
      throw new FurrowError("E_FACT", {
        what: `could not find out what the package index offers under ${question.key}`,
      });
    }
    return { candidate: candidate === "" ? absent : candidate, versions: list(versions), providers: list(providers) };
  },
  print: (value) => ({
    candidate: value.candidate === absent ? "" : value.candidate,
    providers: value.providers.join(" "),
    versions: value.versions.join(" "),
  }),
});

function list(text = ""): string[] {
  return text.split(" ").filter(Boolean);
}

function offerScript(questions: readonly NumberedQuestion[]): string {
  const given = managers.flatMap((manager) => {
    const own = questions.filter(({ key }) => key.startsWith(`${manager}/`));
    return own.length === 0 ? [] : [`m=${manager}; w='${words(own)}'; offer`];
  });
  const open = questions.filter(({ key }) => !key.includes("/"));
  const found = open.length === 0 ? [] : [findManager, `w='${words(open)}'; offer`];
  return [offerFunctions, ...given, ...found].join("\n");
}

/** The questions as `NUMBER:NAME` words; names contain neither spaces nor quotes. */
function words(questions: readonly NumberedQuestion[]): string {
  return questions.map(({ number, key }) => `${number}:${key.slice(key.indexOf("/") + 1)}`).join(" ");
}
