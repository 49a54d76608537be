import type { HostFact } from "../../core/fact.ts";
import { ask, defineKind } from "../../core/kind.ts";
import type { ManagerName } from "./packaging.ts";

/** That a run fetches the package index before it decides for good. */
export interface PackageIndexRenewal {
  /** Always true where somebody may know it. */
  readonly near: boolean;
}

/**
 * Asks whether the package index is about to be fetched by the very task that asks. In a run it is; check mode fetches
 * nothing, so that what depends on it is undecided there.
 */
export function packageIndexRenewal(manager?: ManagerName): HostFact<PackageIndexRenewal> {
  return ask(packageIndexRenewalKind, manager ?? "host");
}

/** The fetch of an index that is too old: check mode does not ask, since the answer is what the fetch brings. */
export const packageIndexRenewalKind = defineKind<PackageIndexRenewal>({
  name: "packageIndexRenewal",
  summary:
    "That a run fetches a package index that is too old before it decides; check mode cannot know what it brings",
  facets: {},
  advice: true,
  harmless: () => false,
  read: (questions) => questions.map(({ number }) => `echo ${number} near=yes`).join("\n"),
  parse: (lines) => ({ near: lines["near"] === "yes" }),
  print: (value) => ({ near: value.near ? "yes" : "no" }),
});
