import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind } from "../../core/facts/kind.ts";
import type { ManagerName } from "./packaging.ts";

/** Whether a task fetches the package index before it makes its final decision. */
export interface PackageIndexRenewal {
  /** Always true in a run. Check mode does not answer this. */
  readonly near: boolean;
}

/**
 * Asks whether the current task is about to fetch the package index. In a run, the answer is always yes. Check mode
 * fetches nothing, so everything that depends on the index stays undecided in check mode.
 */
export function packageIndexRenewal(manager?: ManagerName): HostFact<PackageIndexRenewal> {
  return ask(packageIndexRenewalKind, manager ?? "host");
}

/** The fetch of an outdated index. Check mode does not ask, because the answer depends on the fetched index. */
export const packageIndexRenewalKind = defineKind<PackageIndexRenewal>({
  name: "packageIndexRenewal",
  summary:
    "Whether a run fetches the package index first because it is too old; check mode cannot know the contents of the new index",
  facets: {},
  advice: true,
  harmless: () => false,
  read: (questions) => questions.map(({ number }) => `echo ${number} near=yes`).join("\n"),
  parse: (lines) => ({ near: lines["near"] === "yes" }),
  print: (value) => ({ near: value.near ? "yes" : "no" }),
});
