import { type Absent, absent, refuse, type Refusal } from "../../src/authoring.ts";
import type { KubeconfigFile } from "../../src/facts/catalogue.ts";

/** The program that a kubeconfig starts on the controller; undefined if it starts none. */
export function programIn(copy: Absent | KubeconfigFile | undefined): string | undefined {
  return copy === undefined || copy === absent ? undefined : copy.program;
}

/**
 * Refuses a kubeconfig that starts a program. It was fetched from a node, whose own kubeconfig has a certificate: a node
 * must not choose what runs on the controller.
 */
export function startsProgram(kubeconfig: string, program: string): Refusal {
  return refuse({
    code: "kubeconfig-program",
    message: `the kubeconfig ${kubeconfig} starts a program on this machine, which no kubeconfig of a Harvester node does`,
    current: program,
    expected: "a certificate",
    hint: "Find out who wrote it, delete the file, and fetch it again with the playbook harvester",
    final: true,
  });
}
