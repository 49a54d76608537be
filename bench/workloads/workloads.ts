import { bigPlan } from "./big.ts";
import { fiftyPlan } from "./fifty.ts";
import type { Plan } from "./plan.ts";
import { onePlan, tenPlan } from "./small.ts";
import { treePlan } from "./tree.ts";

/** One workload for comparing tools. */
export interface Workload {
  /** The letter in the table, followed by 2 for the second run of the same workload. */
  readonly id: string;
  readonly title: string;
  readonly plan: () => Plan;
  readonly hosts: 1 | 4 | 100;
  /** The hosts' state when the run starts: as planned, empty, or with one object changed. */
  readonly from: "converged" | "fresh" | "drifted";
  /** True if the tool changes nothing and only reports what it would do. */
  readonly check?: true;
}

const fifty = { plan: () => fiftyPlan, hosts: 4 } as const;

/** All workloads, in the order of the table. */
export const workloads: readonly Workload[] = [
  { id: "a", title: "50 tasks × 4 hosts, converged", ...fifty, from: "converged" },
  { id: "b", title: "50 tasks × 4 hosts, fresh: 40 changes each", ...fifty, from: "fresh" },
  { id: "c", title: "50 tasks × 4 hosts, one drifted", ...fifty, from: "drifted" },
  { id: "d", title: "50 tasks × 4 hosts, one drifted, check mode", ...fifty, from: "drifted", check: true },
  { id: "e", title: "1 task × 1 host, converged", plan: () => onePlan, hosts: 1, from: "converged" },
  { id: "f", title: "a tree of 200 small files × 4 hosts, fresh", plan: () => treePlan, hosts: 4, from: "fresh" },
  { id: "f2", title: "the same tree, converged", plan: () => treePlan, hosts: 4, from: "converged" },
  { id: "g", title: "a file of 320 MiB × 1 host, fresh", plan: bigPlan, hosts: 1, from: "fresh" },
  { id: "g2", title: "the same file, converged", plan: bigPlan, hosts: 1, from: "converged" },
  { id: "h", title: "10 tasks × 100 hosts, converged", plan: () => tenPlan, hosts: 100, from: "converged" },
];
