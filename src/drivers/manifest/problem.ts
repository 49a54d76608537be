import type { KubeProblem } from "../../facts/controller/kube-object.ts";

/** Thrown for a manifest that cannot be used; the driver answers with the reason. */
export class ManifestProblem extends Error {
  readonly problem: KubeProblem;

  constructor(code: string, message: string, hint: string) {
    super(message);
    this.problem = { code, message, hint };
  }
}
