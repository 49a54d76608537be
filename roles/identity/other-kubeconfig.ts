import { refuse, type Refusal } from "../../src/authoring.ts";
import { hostOf } from "../cluster/public-address.ts";
import { type KubeconfigFile, replacedKubeconfigHint } from "../../src/facts/catalogue.ts";

/**
 * True if a kubeconfig is for a cluster other than the one with this CA certificate. If no CA certificate is known, as
 * on a host that was deployed before there were records, compares the address in the kubeconfig with that of the
 * cluster.
 */
export function isOfOther(copy: KubeconfigFile, ca: string | undefined, publicAddress: string): boolean {
  return ca === undefined ? URL.parse(copy.server)?.hostname !== hostOf(publicAddress) : copy.ca !== ca;
}

/** Returns why a cluster's kubeconfig must not replace this one; undefined if it may. */
export function notReplaceable(
  kubeconfig: string,
  copy: KubeconfigFile,
  ca: string | undefined,
  publicAddress: string,
): Refusal | undefined {
  const isOther = isOfOther(copy, ca, publicAddress);
  if (!isOther && copy.others === undefined) return undefined;
  return refuse({
    code: "other-kubeconfig",
    message: `the kubeconfig ${kubeconfig} must not be replaced with the one of this cluster`,
    current: isOther
      ? `a kubeconfig for another cluster, at ${copy.server}`
      : `a kubeconfig that also has other contexts (${(copy.others ?? []).join(", ")})`,
    expected: "no file, or the kubeconfig of this cluster alone",
    hint: replacedKubeconfigHint,
  });
}

/** Says why the kubeconfig of a removed cluster stays on the controller: it has other contexts too. */
export function othersNote(kubeconfig: string, { others }: KubeconfigFile): string[] {
  return others === undefined
    ? []
    : [
        `the kubeconfig ${kubeconfig} stays: it also has other contexts (${others.join(", ")}); remove this cluster from it yourself`,
      ];
}
