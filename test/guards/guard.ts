import type { TaskCall } from "../../src/core/authoring/call.ts";
import type { Json } from "../../src/core/facts/fact.ts";
import type { SimulatedState } from "../../src/testing/index.ts";
import type { ListName } from "../../roles/cluster-answers/answers.ts";
import type { Objects } from "./examples.ts";

/** A task that asks a cluster. */
export interface Guard {
  readonly name: string;
  readonly module: unknown;
  readonly call: (kubeconfig: string) => TaskCall;
  /** What it queries: lists, or the path of one object. */
  readonly lists: readonly ListName[];
  readonly object?: string;
  /** The path of a kubelet's statistics that it asks for, and the node's name. */
  readonly statistics?: { readonly path: string; readonly node: string };
  /** For a wait: the name of its fact about that object, and the values of its other facts. */
  readonly wait?: {
    readonly object: string;
    /** True if the fact is a list with this object alone. */
    readonly listed?: true;
    readonly others: Readonly<Record<string, unknown>>;
  };
  /**
   * How it says that it could not see something: a guard refuses in check mode and in a run, and a wait refuses until
   * its deadline. A report says so in a note, because nothing follows from it, and refuses only if there is no kubeconfig,
   * because then it would be empty. A status says so in a note always: there may be no cluster yet. A comparison says so in a note too,
   * although tasks follow: the cluster's CA certificate already proves which cluster it is, and a cluster that does not
   * answer must be deployable. A comparison alone must therefore never allow a loss: a playbook that has one and can
   * lose something also has a guard, which a test checks. A verdict refuses so that the exit code says that something is
   * wrong or unknown; nothing follows from it.
   */
  readonly says: "guard" | "wait" | "report" | "status" | "comparison" | "verdict";
  /** What drivers besides that of the cluster answer. */
  readonly drivers?: Readonly<Record<string, (request: Json) => unknown>>;
  /** What a cluster has that it allows, if the sound cluster is not enough. */
  readonly allows?: Partial<Objects>;
  /** The host's state, if it matters, given the cluster's CA certificate. */
  readonly state?: (authority: string) => SimulatedState;
}
