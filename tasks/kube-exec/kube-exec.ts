import { onlyRead, ran, shellQuote, type StepResult, task } from "../../src/authoring.ts";
import {
  kubeAnyObject,
  kubeExecPods,
  type KubeExecPods,
  type KubeExecWhere,
  kubeFacts,
  type KubeContainer,
  type KubeRan,
  kubeRun,
  kubeTried,
} from "../../src/facts/catalogue.ts";
import { argvOf } from "../command/params.ts";
import { isReader, params, type Params } from "./params.ts";
import { isList, targetsOf } from "./targets.ts";

/** The output of a command in one container. */
export interface KubeExecResult {
  readonly pod: string;
  readonly container: string;
  readonly exitCode: number;
  /** At most 256 KiB. If the command printed more, reading this property fails with E_OUTPUT. */
  readonly stdout: string;
  /** At most 256 KiB. If the command printed more, reading this property fails with E_OUTPUT. */
  readonly stderr: string;
}

/** The output of a command. */
export interface KubeExecOutput {
  /** One result for each container in which the command ran, sorted by pod name. */
  readonly results: readonly KubeExecResult[];
  /** The stdout of all containers, concatenated; empty if the command did not have to run. */
  readonly stdout: string;
  /** The exit code in the last container; 0 if the command did not have to run. */
  readonly exitCode: number;
}

const cluster = { kubeconfig: "harvester.kubeconfig", namespace: "shop" };

/** Runs a command in a container of a Kubernetes pod, if its guard shows that it is needed. */
export const kubeExec = task({
  name: "kubeExec",
  summary: "Run a command in a container of a Kubernetes pod, if another command shows that it is needed",
  params,
  examples: [
    {
      ...cluster,
      pod: "db-0",
      command: ["createdb", "orders"],
      unless: "psql -lqt | cut -d '|' -f 1 | grep -qw orders",
      readOnly: true,
    },
    { ...cluster, labels: { app: "web" }, container: "nginx", command: ["nginx", "-v"], readOnly: true },
    { ...cluster, labels: { app: "web" }, each: true, command: ["nginx", "-s", "reload"], always: true, disturbs: [] },
  ],
  title: (p) => `kubeExec ${shown(p)} in ${"pod" in p ? p.pod : labelsOf(p.labels)}`,
  cannotPredict:
    "what the command changes; and, after an earlier task that changes objects in the cluster, in which pods it runs",
  disturbs: (p) => ("disturbs" in p ? p.disturbs : undefined) ?? (isReader(p) ? [] : ["everything"]),
  mayAlter: (p) => ("disturbs" in p && p.mayProvide === undefined ? (p.disturbs ?? []) : []),
  mayProvide: (p) => ("disturbs" in p || "mayProvide" in p ? (p.mayProvide ?? p.disturbs ?? []) : []),
  readsOnly: isReader,
  reads: () => kubeFacts,
  secretOutput: (p) => p.secret,
})
  .facts((p) => ({
    pods: kubeExecPods(p, whereOf(p)),
    // Controllers may replace the pods after any change to an object.
    others: onlyRead(kubeAnyObject(p)),
    ...(!("unless" in p) && { ran: ran(`${shown(p)} in ${JSON.stringify(whereOf(p))}`) }),
  }))
  .facts((p, { pods, others }) => {
    if (!("unless" in p) || !others) return {};
    const argv = argvOf(p.unless);
    const { deadlineSeconds } = p;
    return { unless: containersOf(p, pods).map((target) => kubeTried(p, target, { argv, deadlineSeconds })) };
  })
  .want((p, { pods, others, unless }) => {
    const targets = others ? targetsOf(p, pods) : [];
    if (!isList(targets)) return targets;
    return unless === undefined ? { ran: true } : { unless: targets.map(() => ({ exitCode: 0 })) };
  })
  .steps((p, { now: { pods, unless } }) => {
    const { okExit, stdin, deadlineSeconds } = p;
    const command = { argv: argvOf(p.command), deadlineSeconds, okExit, stdin };
    return containersOf(p, pods)
      .filter((_target, at) => unless === undefined || unless[at]?.exitCode !== 0)
      .map((target) => kubeRun(p, target, command, `${shown(p)} in ${target.pod}`));
  })
  .outputs((_params, _now, results = []): KubeExecOutput => {
    const own = results.map(resultOf);
    return {
      results: own,
      get stdout() {
        return own.map(({ stdout }) => stdout).join("");
      },
      exitCode: own.at(-1)?.exitCode ?? 0,
    };
  });

/** Streams are getters, so that a truncated stream throws only if it is read. */
function resultOf(result: StepResult): KubeExecResult {
  const { pod, container } = result.value as KubeRan;
  return {
    pod,
    container,
    exitCode: result.exitCode,
    get stdout() {
      return result.stdout;
    },
    get stderr() {
      return result.stderr;
    },
  };
}

function containersOf(p: Params, pods: KubeExecPods): readonly KubeContainer[] {
  const targets = targetsOf(p, pods);
  return isList(targets) ? targets : [];
}

function whereOf(p: Params): KubeExecWhere {
  const { namespace } = p;
  return "pod" in p ? { namespace, name: p.pod } : { namespace, labels: p.labels };
}

function labelsOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}

function shown({ command }: Params): string {
  const line = typeof command === "string" ? command.trim() : command.map(shellQuote).join(" ");
  const [first = ""] = line.split("\n");
  return first.length > 60 || first !== line ? `${first.slice(0, 60)}…` : first;
}
