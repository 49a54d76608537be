import { ranCommand, type RanCommand } from "../../../core/host/driver.ts";
import { FurrowError } from "../../../core/errors.ts";
import type { StepResult } from "../../../core/host/step.ts";
import { reveal } from "../../../core/secrets/secret.ts";
import type { KubeContainer, KubeRan } from "../../../facts/controller/kube-exec.ts";
import type { ClusterAccess } from "../../kubeconfig/kubeconfig.ts";
import { NoAnswer } from "../../kubernetes-exchange.ts";
import type { Cluster } from "../cluster.ts";
import { failureOf, statusOf } from "../failures.ts";
import { type Ended, runOverChannels, TooLate } from "./channels.ts";
import { uidOf } from "./exec-pods.ts";

/** A command for a container. */
export interface Execution extends KubeContainer {
  readonly argv: readonly string[];
  readonly deadlineSeconds: number;
  /** Text for stdin; may contain secrets. */
  readonly stdin?: string | undefined;
}

/** Runs a command that changes nothing. Throws FurrowError E_DRIVER if it did not run, E_TIMEOUT at the deadline. */
export async function tryCommand(cluster: Cluster, command: Execution): Promise<{ readonly exitCode: number }> {
  return { exitCode: (await execute(cluster, command, shortLabel(command.argv))).exitCode };
}

/**
 * Runs a command. Throws FurrowError E_STEP with the end of its output if its exit code does not mean success,
 * E_TIMEOUT at the deadline, and E_DRIVER if the command did not run, or if it is unknown how it ended.
 */
export async function runCommand(
  cluster: Cluster,
  command: Execution & { readonly okExit: readonly number[]; readonly label: string },
): Promise<RanCommand> {
  const { okExit, label, pod, container } = command;
  const result = await execute(cluster, command, label);
  if (okExit.includes(result.exitCode)) return ranCommand(result, { pod, container } satisfies KubeRan);
  const lines = (text: string): string[] => text.trimEnd().split("\n").filter(Boolean).slice(-12);
  throw new FurrowError("E_STEP", {
    what: `${label} failed`,
    current: `exit code ${result.exitCode}`,
    expected: `exit code ${okExit.join(" or ")}`,
    details: [...lines(result.stdout), ...lines(result.stderr)],
  });
}

async function execute(cluster: Cluster, command: Execution, label: string): Promise<StepResult> {
  const { namespace, pod, uid, container, argv, deadlineSeconds, stdin } = command;
  const doing = `run ${label}`;
  const now = await uidOf(cluster, namespace, pod);
  if (now !== uid) {
    throw new FurrowError("E_DRIVER", {
      what: `cannot ${doing}`,
      current: now === undefined ? `Pod ${pod} is gone` : `Pod ${pod} was re-created in the meantime`,
      hint: "Rerun: the new pods are checked first",
    });
  }
  const query = new URLSearchParams({ container, stdout: "true", stderr: "true" });
  if (stdin !== undefined) query.set("stdin", "true");
  for (const word of argv) query.append("command", word);
  const sent = {
    path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/exec?${query.toString()}`,
    stdin: stdin === undefined ? undefined : reveal(stdin),
    deadlineMs: deadlineSeconds * 1000,
  };
  let ended: Ended;
  try {
    ended = await cluster.connect(
      (access: ClusterAccess, credential, signal) => runOverChannels(access, credential, sent, signal),
      (end) => "refused" in end && end.refused.status === 401,
    );
  } catch (error) {
    if (error instanceof TooLate) throw tooLate(label, deadlineSeconds);
    // Unlike a query, the command is not repeated: it may already have started.
    throw error instanceof NoAnswer
      ? failureOf(doing, cluster.server, { code: "unknown-end", message: `it may have run: ${error.message}` })
      : error;
  }
  if ("result" in ended) return ended.result;
  if ("failed" in ended) throw notStarted(label, ended.failed);
  const { refused } = ended;
  // A server that cannot close stdin refuses the protocol without a Status object; every other refusal has one.
  if (stdin !== undefined && [400, 403].includes(refused.status) && statusOf(refused) === undefined) {
    const why = "a server older than Kubernetes 1.30 cannot close a command's stdin";
    throw notStarted(label, `HTTP ${refused.status}: ${why}`, "Leave out stdin, or let the command read a file");
  }
  throw failureOf(doing, cluster.server, refused);
}

function tooLate(label: string, deadlineSeconds: number): FurrowError {
  return new FurrowError("E_TIMEOUT", {
    what: `${label} did not end within ${deadlineSeconds} s`,
    current: "it may still be running in the container: the cluster has no way to stop it",
    hint: "Raise deadlineSeconds if it just needs more time",
  });
}

function notStarted(
  label: string,
  message: string,
  hint = "Correct the command; its program must be in the container",
): FurrowError {
  return new FurrowError("E_DRIVER", {
    what: `cannot run ${label}`,
    current: message.slice(0, 1000),
    hint,
  });
}

function shortLabel(argv: readonly string[]): string {
  return argv.join(" ").replaceAll(/\s+/g, " ").slice(0, 60);
}
