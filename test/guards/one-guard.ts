import { spawnSync } from "node:child_process";
import { type Json, playbook } from "../../src/authoring.ts";
import { explain, simulate, type SimulatedTask } from "../../src/testing/index.ts";
import { clusterLists } from "../../roles/cluster-answers/answers.ts";
import { type BadAnswer, driverFor } from "./bad-answers.ts";
import { answerFor, soundCluster } from "./examples.ts";
import type { FakeCluster } from "./fake-cluster.ts";
import type { Guard } from "./guard.ts";

/** True if this machine lacks the program that creates the fake cluster's certificates. */
export const noCertificates: boolean = spawnSync("sh", ["-c", "command -v openssl"]).status !== 0;

/** A signal that is never aborted. */
export const never: AbortSignal = new AbortController().signal;

/** How a guard reaches the fake cluster, and what ends a request without an answer. */
export interface AskedOnce {
  readonly kubeconfig: string;
  /** Only requests for this path go to the fake cluster, through the real driver. Default: all. */
  readonly path?: string;
  readonly endsBy?: BadAnswer["endsBy"];
}

/** Runs one guard alone. */
export async function runGuard(
  cluster: FakeCluster,
  { call, state, drivers }: Guard,
  { kubeconfig, path = "", endsBy }: AskedOnce,
): Promise<SimulatedTask> {
  const book = playbook({ name: "a guard alone", plays: [{ hosts: "all", tasks: () => [call(kubeconfig)] }] });
  const { tasks } = await simulate(book, {
    hosts: ["metal"],
    state: { metal: state?.(cluster.authority) ?? {} },
    drivers: {
      ...drivers,
      kubernetes: (request: Json) => {
        const asked = request as { readonly path: string };
        return path === "" || asked.path === path
          ? driverFor(endsBy).read(request, never)
          : answerFor(soundCluster, asked);
      },
    },
  });
  return tasks[0] as SimulatedTask;
}

/**
 * The error with which a wait refuses the answer to this path. The error is determined without a run, because a
 * simulation does not wait.
 */
export async function refusalOf(
  { call, lists, object, wait }: Guard,
  { kubeconfig, path, endsBy }: AskedOnce,
): Promise<string> {
  const requests = [
    ...lists.map((list) => [list, { kubeconfig, path: clusterLists[list].path, list: true }] as const),
    ...(object === undefined || wait === undefined ? [] : [[wait.object, { kubeconfig, path: object }] as const]),
  ];
  const answers = requests.map(async ([fact, request]) => {
    const answer =
      request.path === path
        ? await driverFor(endsBy)
            .read(request, never)
            .catch((error: unknown) => error)
        : answerFor(soundCluster, request);
    return [fact, wait?.listed === true && fact === wait.object ? [answer] : answer] as const;
  });
  const now = { ...wait?.others, ...Object.fromEntries(await Promise.all(answers)) };
  const error = Object.values(now)
    .flat()
    .find((answer) => answer instanceof Error);
  return error?.message ?? explain(call(kubeconfig), now).refusal?.message ?? "nothing";
}

/** What a task reports about its failure or in its notes. */
export function said({ error, notes }: SimulatedTask): string {
  const { what = "", current = "" } = error?.failure ?? {};
  return [what, current, ...notes].join("\n");
}
