import { type Absent, absent, refuse, type Refusal } from "../../src/authoring.ts";
import type { KubeconfigFile } from "../../src/facts/catalogue.ts";

/** Returns the part of a kubeconfig that a node's kubeconfig must not contain; undefined if every part is allowed. */
export function foreignIn(copy: Absent | KubeconfigFile | undefined): string | undefined {
  return copy === undefined || copy === absent ? undefined : copy.foreign;
}

/**
 * Refuses a kubeconfig with a part that no node's kubeconfig contains. It was fetched from a node, which must not
 * choose what runs on the controller, which of the controller's files are sent, or whom the controller trusts.
 */
export function foreignKubeconfig(kubeconfig: string, foreign: string): Refusal {
  return refuse({
    code: "foreign-kubeconfig",
    message: `the kubeconfig ${kubeconfig} contains ${foreign}, which no node's kubeconfig contains`,
    current: foreign,
    expected: "a server, its CA certificate, and a certificate or token, all in the file itself",
    hint: "Find out who wrote it, delete the file, and fetch it again with the harvester playbook",
    final: true,
  });
}
