import type { TaskCall } from "../../src/core/authoring/call.ts";
import type { Json } from "../../src/core/facts/fact.ts";
import type { SimulatedState } from "../../src/testing/index.ts";
import type { ListName } from "../../roles/cluster-answers/answers.ts";
import type { Objects } from "./examples.ts";

/** A task that queries a cluster. */
export interface Guard {
  readonly name: string;
  readonly module: unknown;
  readonly call: (kubeconfig: string) => TaskCall;
  /** What the task queries: lists, or the path of one object. */
  readonly lists: readonly ListName[];
  readonly object?: string;
  /** The path of a kubelet's statistics that the task queries, and the node's name. */
  readonly statistics?: { readonly path: string; readonly node: string };
  /** For a wait: the name of its fact about that object, and the values of its other facts. */
  readonly wait?: {
    readonly object: string;
    /** True if the fact is a list that contains only this object. */
    readonly listed?: true;
    readonly others: Readonly<Record<string, unknown>>;
  };
  /**
   * How the task reports that it could not read something. A guard refuses in check mode and in a run; a wait refuses
   * until its deadline. A report only notes the failure, because no other task depends on a report; a report refuses
   * only without a kubeconfig, because it would then be empty. A status always notes the failure, because there may be
   * no cluster yet. A comparison also only notes the failure, although other tasks follow it. There are two reasons:
   * the cluster's CA certificate already proves which cluster it is, and it must be possible to deploy to a cluster
   * that does not answer. So a comparison alone must never permit a loss: a playbook that has a comparison and can lose
   * something also has a guard, and a test checks this. A verdict refuses, so that the exit code shows that something
   * is wrong or unknown; no other task depends on it.
   */
  readonly says: "guard" | "wait" | "report" | "status" | "comparison" | "verdict";
  /** The answers of drivers other than the cluster's. */
  readonly drivers?: Readonly<Record<string, (request: Json) => unknown>>;
  /** The objects with which the guard allows the run, if those of the healthy cluster are not enough. */
  readonly allows?: Partial<Objects>;
  /** The host's state, if it matters, given the cluster's CA certificate. */
  readonly state?: (authority: string) => SimulatedState;
}
